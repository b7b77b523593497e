// Package backend is the one place that knows every engine: it reads the name
// that a user gave, decides what "auto" is on this machine, and opens engines
// for the workers of a run.
package backend

import (
	"fmt"
	"slices"
	"strings"

	"moonio/engine"
	"moonio/engine/memfs"
	"moonio/engine/null"
	"moonio/engine/pool"
	"moonio/engine/sim"
	"moonio/engine/suggest"
	"moonio/engine/uring"
)

// Auto is the choice of the best engine that works here.
const Auto = "auto"

// The engines by name, as users write them.
const (
	nameURing    = uring.Name
	nameLibaio   = "libaio"
	namePool     = "pool"
	nameMmap     = "mmap"
	nameNull     = "null"
	nameSim      = "sim"
	nameGiouring = "giouring"
)

// Names are what Parse takes, before a colon.
func Names() []string {
	return []string{Auto, nameURing, nameLibaio, namePool, nameMmap, nameNull, nameSim, nameGiouring}
}

// Choice is an engine as the user named it, with its options.
type Choice struct {
	Name    string
	Options map[string]string // of any engine but sim
	Device  sim.Config        // of sim
}

// Parse reads "io_uring", "pool:threads=64", "sim:hdd,fsync=12ms" and the like;
// nothing is "auto". Whether the engine works here is for Open to say.
func Parse(spec string) (Choice, error) {
	name, rest, _ := strings.Cut(strings.TrimSpace(spec), ":")
	if name == "" && rest == "" {
		name = Auto
	}
	if !slices.Contains(Names(), name) {
		return Choice{}, fmt.Errorf("unknown engine %q: use %s%s", name, strings.Join(Names(), ", "), suggest.Hint(name, Names()))
	}
	c := Choice{Name: name}
	var err error
	if name == nameSim {
		c.Device, err = sim.Parse(rest)
	} else {
		c.Options, err = parseOptions(name, rest)
	}
	if err == nil && name == namePool {
		_, err = pool.Threads(c.Options)
	}
	if err != nil {
		return Choice{}, err
	}
	return c, nil
}

func parseOptions(engine, s string) (map[string]string, error) {
	if s == "" {
		return nil, nil
	}
	known := optionsOf(engine)
	if len(known) == 0 {
		return nil, fmt.Errorf("engine %s has no options, and %q gives it some", engine, engine+":"+s)
	}
	options := map[string]string{}
	for part := range strings.SplitSeq(s, ",") {
		name, value, ok := strings.Cut(part, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		_, twice := options[name]
		switch {
		case !ok:
			return nil, fmt.Errorf("engine %s: option %q: write it as name=value", engine, part)
		case !slices.Contains(known, name):
			return nil, fmt.Errorf("engine %s: unknown option %q: use %s%s", engine, name, strings.Join(known, ", "), suggest.Hint(name, known))
		case twice:
			return nil, fmt.Errorf("engine %s: option %s is given twice", engine, name)
		}
		options[name] = value
	}
	return options, nil
}

func optionsOf(name string) []string {
	if name == namePool {
		return []string{"threads"}
	}
	return nil
}

// Memory says that the engine touches no storage: its files are in memory, and
// no directory is needed.
func (c Choice) Memory() bool { return c.Name == nameNull || c.Name == nameSim }

// Backend is an engine that was chosen for a run.
type Backend struct {
	name    string
	why     string
	fs      engine.FS
	options map[string]string
	world   *sim.World
}

// Open decides what the choice means here, and makes sure that it works. files
// is the namespace of an engine that works on storage, and may be nil for one
// whose Choice is in memory: that gets one of its own. An error wraps
// engine.ErrUnavailable if the engine can't be had here. The seed is for an
// engine that draws.
func Open(c Choice, files engine.FS, seed uint64) (*Backend, error) {
	switch c.Name {
	case nameNull:
		return &Backend{name: c.Name, fs: memfs.New()}, nil
	case nameSim:
		fs := memfs.New()
		return &Backend{name: c.Name, fs: fs, world: sim.NewWorld(c.Device, seed, fs)}, nil
	case Auto:
		return automatic(files)
	}
	return try(&Backend{name: c.Name, fs: files, options: c.Options})
}

// automatic takes the first engine that works.
func automatic(files engine.FS) (*Backend, error) {
	b, err := try(&Backend{name: nameURing, why: "the best that works here", fs: files})
	if err == nil {
		return b, nil
	}
	return try(&Backend{name: namePool, why: err.Error(), fs: files})
}

// try opens an engine of b and closes it again.
func try(b *Backend) (*Backend, error) {
	e, err := b.Engine(engine.Config{Slots: 1})
	if err != nil {
		return nil, err
	}
	if err := e.Close(); err != nil {
		return nil, fmt.Errorf("engine %s: %w", b.name, err)
	}
	return b, nil
}

// Name is the engine's name: never "auto".
func (b *Backend) Name() string { return b.name }

// Why says why this engine was chosen; it is empty if the user named it.
func (b *Backend) Why() string { return b.why }

// FS is where the run's files are.
func (b *Backend) FS() engine.FS { return b.fs }

// Virtual says that the engines' clock is a virtual one.
func (b *Backend) Virtual() bool { return b.world != nil }

// Engine opens an engine for one worker. The configuration's FS and Options are
// the backend's.
func (b *Backend) Engine(cfg engine.Config) (engine.Engine, error) {
	cfg.FS, cfg.Options = b.fs, b.options
	switch b.name {
	case nameURing:
		return uring.Open(cfg)
	case namePool:
		return opened(pool.Open(cfg))
	case nameGiouring:
		return openGiouring(cfg)
	case nameNull:
		return opened(null.Open(cfg))
	case nameSim:
		return b.world.Open(cfg)
	}
	return nil, notBuilt(b.name)
}

// opened keeps a nil pointer from becoming an engine that is not nil.
func opened[E engine.Engine](e E, err error) (engine.Engine, error) {
	if err != nil {
		return nil, err
	}
	return e, nil
}

func notBuilt(name string) error {
	return fmt.Errorf("engine %s is %w: %s; use io_uring or pool", name, engine.ErrUnavailable, notInThisVersion)
}

const notInThisVersion = "it is not in this version of moonio"
