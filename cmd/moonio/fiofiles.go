package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"moonio/cmd/internal/fiojob"
	"moonio/cmd/internal/fiolua"
	"moonio/engine/workdir"
)

// filesIn are the files in a directory and in those beneath it. What moonio notes of its own is none of them.
func filesIn(dir string) (paths []string, err error) {
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && workdir.Hidden(e.Name()):
			return fs.SkipDir
		case e.Type().IsRegular():
			paths = append(paths, path)
		}
		return nil
	})
	return paths, err
}

// roomIn is how many bytes files in a directory may take, and why they may not take the last.
func roomIn(dir string) (most, brim int64, why string) {
	most, err := workdir.Room(dir)
	if err != nil {
		return 0, 0, err.Error()
	}
	if err := workdir.CheckBrim(dir, memoryHere()); err != nil {
		return most, 0, err.Error()
	}
	brim, err = workdir.Free(dir)
	if err != nil {
		return most, 0, err.Error()
	}
	return most, brim, ""
}

// realPath is a path from the root on, with links followed as far as there is something.
func realPath(path string) string {
	path = absolute(path)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if dir := filepath.Dir(path); dir != path {
		return filepath.Join(realPath(dir), filepath.Base(path))
	}
	return path
}

// lookAt says what there is at a path. Links are followed: the user named it.
func lookAt(path string) fiolua.Node {
	st, err := os.Stat(path)
	if err != nil {
		return fiolua.Node{}
	}
	n := fiolua.Node{Exists: true, Size: st.Size(), Kind: fiolua.Other}
	switch mode := st.Mode(); {
	case mode.IsRegular():
		n.Kind = fiolua.Regular
	case mode.IsDir():
		n.Kind = fiolua.Directory
	case mode&os.ModeDevice != 0 && mode&os.ModeCharDevice == 0:
		n.Kind = fiolua.Device
		n.Size = deviceSize(path)
	}
	return n
}

func deviceSize(path string) int64 {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	n, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return 0
	}
	return n
}

// reach lets the run reach the files and devices that the jobs name.
func (f *fioRun) reach(o *runFlags) error {
	var devices []string
	for _, g := range f.general {
		switch g.Name {
		case "overwrite":
			name, err := f.inRun(g)
			if err != nil {
				return err
			}
			o.overwrite = append(o.overwrite, name)
		case "device":
			devices = append(devices, g.Value)
		}
	}
	if o.destroy && len(devices) == 0 {
		return usage("--destroy-data goes with --device: name the device whose data may be destroyed")
	}
	if o.dir == "" {
		return nil
	}
	for _, file := range f.program.Files {
		if !file.Device {
			continue
		}
		named := slices.ContainsFunc(devices, func(d string) bool { return realPath(d) == file.Path })
		switch {
		case !file.Written:
			o.reading = append(o.reading, file.Path)
		case named && o.destroy:
			o.devices = append(o.devices, file.Path)
		default:
			return usage("%w", file.Option.Fail("", "a job writes to the device %s, and what is on it would be lost: --device %[1]s --destroy-data allows it", file.Path))
		}
	}
	o.destroy = len(o.devices) > 0 // jobs that only read destroy nothing
	return nil
}

// inRun is what the run calls a file that --overwrite names.
func (f *fioRun) inRun(g fiojob.Option) (string, error) {
	want := realPath(g.Value)
	for _, file := range f.program.Files {
		if file.Path == want && !file.Device {
			return file.Name, nil
		}
	}
	return "", usage("%w", g.Fail("", "no job has a file %s", want))
}

// permit refuses jobs that write to files that are not theirs to write.
func (f *fioRun) permit(s *storage) error {
	if f == nil || s.dir == nil {
		return nil
	}
	for _, file := range f.program.Files {
		st, err := os.Stat(file.Path)
		if dir := filepath.Dir(file.Path); err != nil && unix.Access(dir, unix.W_OK|unix.X_OK) == unix.EACCES {
			return usage("%w", file.Option.Fail("", "there is no file %s yet, and the directory %s cannot be written: permission denied", filepath.Base(file.Path), dir))
		}
		if file.Device || err != nil || !file.Written && st.Size() >= file.Size {
			continue
		}
		if err := s.dir.Guard().Writable(file.Name); err != nil {
			what := "a job writes to"
			if !file.Written {
				what = fmt.Sprintf("a job needs %d bytes where there are %d in", file.Size, st.Size())
			}
			if !strings.Contains(err.Error(), "moonio did not make it") {
				return usage("%w", file.Option.Fail("", "%s", otherDir.Replace(err.Error())))
			}
			return usage("%w", file.Option.Fail("", "%s %s, which moonio did not make: --overwrite %s allows writing to it, and what is in it is lost", what, file.Path, f.spelled(file.Path)))
		}
	}
	return nil
}

// spelled is a path as it is typed where the user is.
func (f *fioRun) spelled(path string) string {
	if rel, err := filepath.Rel(realPath("."), path); err == nil && !strings.HasPrefix(rel, "..") {
		return rel
	}
	return path
}
