// Package backend is the one place that knows every engine: it reads the name
// that a user gave, decides what "auto" is on this machine, and opens engines
// for the workers of a run.
package backend

import (
	"fmt"

	"moonio/engine"
	"moonio/engine/memfs"
	"moonio/engine/sim"
)

// Auto is the choice of the best engine that works here.
const Auto = "auto"

// Backend is an engine that was chosen for a run.
type Backend struct {
	name    string
	why     string
	fs      engine.FS
	options map[string]string
	open    func(engine.Config) (engine.Engine, error)
	virtual bool
}

// Open decides what the choice means here, and makes sure that it works. files
// is the namespace of an engine that works on storage, and may be nil for one
// whose Choice is in memory: that gets one of its own. An error wraps
// engine.ErrUnavailable if the engine can't be had here. The seed is for an
// engine that draws.
func Open(c Choice, files engine.FS, seed uint64) (*Backend, error) {
	if c.Name == Auto {
		return automatic(files)
	}
	k, _ := find(c.Name)
	b := &Backend{name: c.Name, fs: files, options: c.Options, open: k.open}
	if !k.memory {
		return b.try()
	}
	fs := memfs.New()
	b.fs = fs
	if c.Name == nameSim {
		b.open, b.virtual = sim.NewWorld(c.Device, seed, fs).Open, true
	}
	return b, nil
}

// automatic takes the first engine that works.
func automatic(files engine.FS) (*Backend, error) {
	why := "the best that works here"
	for _, name := range []string{nameURing, nameLibaio} {
		b, err := Open(Choice{Name: name}, files, 0)
		if err == nil {
			b.why = why
			return b, nil
		}
		why = err.Error()
	}
	b, err := Open(Choice{Name: namePool}, files, 0)
	if err != nil {
		return nil, err
	}
	b.why = why
	return b, nil
}

// try opens an engine of b and closes it again.
func (b *Backend) try() (*Backend, error) {
	e, err := b.Engine(engine.Config{Slots: 1})
	if err != nil {
		return nil, err
	}
	if err := e.Close(); err != nil {
		return nil, fmt.Errorf("engine %s: %w", b.name, err)
	}
	return b, nil
}

// Beside is another engine on the same files, for jobs that want one of their
// own. On storage it is any engine that works on storage; in memory there is
// only b itself, under its own name.
func (b *Backend) Beside(spec string) (*Backend, error) {
	c, err := Parse(spec)
	switch {
	case err != nil:
		return nil, err
	case b.fs.Memory() && spec == b.name:
		return b, nil
	case b.fs.Memory():
		return nil, fmt.Errorf("engine %s can't be had beside %s, whose files are in memory", spec, b.name)
	case c.Memory():
		return nil, fmt.Errorf("engine %s can't be had beside %s, whose files are on storage", spec, b.name)
	}
	return Open(c, b.fs, 0)
}

// Name is the engine's name: never "auto".
func (b *Backend) Name() string { return b.name }

// Why says why this engine was chosen; it is empty if the user named it.
func (b *Backend) Why() string { return b.why }

// FS is where the run's files are.
func (b *Backend) FS() engine.FS { return b.fs }

// Virtual says that the engines' clock is a virtual one.
func (b *Backend) Virtual() bool { return b.virtual }

// Engine opens an engine for one worker. The configuration's FS is the backend's,
// and so are its Options unless it is to be plain.
func (b *Backend) Engine(cfg engine.Config) (engine.Engine, error) {
	cfg.FS, cfg.Options = b.fs, nil
	if !cfg.Plain {
		cfg.Options = b.options
	}
	return b.open(cfg)
}

// Info is what an engine says of itself that is opened for as many operations
// as a worker may well have in flight.
func (b *Backend) Info() (engine.Info, error) {
	e, err := b.Engine(engine.Config{Slots: 64})
	if err != nil {
		return engine.Info{}, err
	}
	return e.Info(), e.Close()
}
