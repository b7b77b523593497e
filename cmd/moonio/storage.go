package main

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/backend"
	"moonio/engine/blockdev"
	"moonio/engine/osfs"
	"moonio/engine/workdir"
	"moonio/vm"
)

// storage is what a run works on.
type storage struct {
	backend *backend.Backend
	info    engine.Info
	dir     *workdir.Dir // nil for an engine that touches no storage
	files   *osfs.FS     // likewise
	devices []*vm.Device
	held    []*blockdev.Device // what the devices' own descriptors were made from
}

// chooseEngine reads what --engine says. That there is no such engine is a
// failure of the run; the rest is wrong usage.
func (r *running) chooseEngine() (err error) {
	spec := r.flags.engine
	if r.engine, err = backend.Parse(spec); err == nil {
		if r.engine.Memory() && len(r.flags.devices) > 0 {
			return usage("--device %s: engine %s touches no storage", r.flags.devices[0], spec)
		}
		return nil
	}
	if name, _, _ := strings.Cut(spec, ":"); slices.Contains(backend.Names(), name) {
		return usage("--engine %s: %w", spec, err)
	}
	return err
}

// openStorage makes or takes the run's directory, and opens the engine on it.
func (r *running) openStorage() (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, r.closeStorage())
		}
	}()
	s := &r.storage
	if !r.engine.Memory() {
		if err := r.openDir(); err != nil {
			return err
		}
	}
	if err := s.openDevices(r.flags.devices, r.flags.destroy); err != nil {
		return err
	}
	if err := s.openDevices(r.flags.reading, false); err != nil {
		return err
	}
	var files engine.FS
	if s.files != nil {
		files = s.files
	}
	if s.backend, err = backend.Open(r.engine, files, r.flags.seed); err != nil {
		return err
	}
	s.info, err = s.backend.Info()
	return err
}

// openDir opens the directory that files live in, and says what killed runs
// have left there.
func (r *running) openDir() (err error) {
	s, o := &r.storage, r.flags
	cfg := workdir.Config{Script: r.script.name, Version: version(), Keep: o.keep, Share: r.fio != nil, Overwrite: o.overwrite}
	look := []string{cmp.Or(o.dir, ".")}
	switch {
	case len(o.dirs) > 0:
		look = nil
		for _, d := range o.dirs {
			look = append(look, filepath.Join(o.dir, d))
		}
		s.dir, err = workdir.Gather(o.dir, o.dirs, cfg)
	case o.dir != "":
		s.dir, err = workdir.Use(o.dir, cfg)
	default:
		s.dir, err = workdir.Create(".", cfg)
	}
	if err != nil {
		return err
	}
	for _, d := range look {
		r.nameLeftovers(d)
	}
	s.files, err = osfs.Open(s.dir.Path())
	return err
}

// nameLeftovers tells the user what runs that were killed have left.
func (r *running) nameLeftovers(dir string) {
	stale, err := workdir.Stale(dir)
	if err != nil {
		r.note("looking for what killed runs have left: %v", err)
	}
	for _, l := range stale {
		r.note("%v", l)
	}
}

// closeStorage gives up what openStorage opened. What the run made is removed.
func (r *running) closeStorage() error {
	s := &r.storage
	errs := []error{s.closeDevices()}
	if s.files != nil {
		errs = append(errs, s.files.Shutdown())
	}
	notes, err := s.dir.Close()
	for _, n := range notes {
		r.note("%s", n)
	}
	*s = storage{}
	return errors.Join(append(errs, err)...)
}

// space says whether there is room to lay out so many bytes more of a file.
func (s *storage) space() func(string, int64) error {
	if s.dir == nil {
		return nil
	}
	root := s.dir.Path()
	return func(name string, n int64) error {
		dir := filepath.Join(root, filepath.Dir(name))
		if _, err := os.Stat(dir); err != nil {
			dir = root // the open finds out what is wrong
		}
		return workdir.CheckSpace(dir, n)
	}
}

// brim says whether the file system that a file is in may be filled to the last byte.
func (s *storage) brim() func(string) error {
	if s.dir == nil {
		return nil
	}
	root := s.dir.Path()
	return func(name string) error {
		return workdir.CheckBrim(filepath.Join(root, filepath.Dir(name)), memoryHere())
	}
}

// whereabouts is what the script is told of the storage.
func (r *running) whereabouts() vm.Place {
	e := &r.result.Environment
	p := vm.Place{Engine: r.result.Engine, Memory: e.MemoryBytes}
	s := e.Storage
	if s == nil {
		return p
	}
	p.FSType, p.Source = s.FSType, cmp.Or(s.Source, s.Path)
	var st unix.Statfs_t
	switch {
	case s.FSType == "" && s.Device != nil:
		p.Size = s.Device.SizeBytes
	case unix.Statfs(s.Path, &st) == nil:
		p.Size = int64(st.Blocks) * st.Frsize
	}
	return p
}

// place is the path whose storage the result describes; empty if there is none.
func (r *running) place() string {
	s := &r.storage
	switch {
	case s.dir == nil:
		return ""
	case len(r.flags.devices) > 0:
		return r.flags.devices[0]
	case len(r.flags.reading) > 0:
		return r.flags.reading[0]
	}
	// What a fresh directory is called differs from run to run.
	return absolute(cmp.Or(r.flags.dir, "."))
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
