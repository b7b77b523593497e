package sim

import (
	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/helper"
	"moonio/engine/memfs"
)

// space makes a namespace run full. A file takes as much as its size says, and
// gives it back when it has no name any more.
type space struct {
	fs       *memfs.FS
	capacity int64 // bytes; 0 is no end of it
	free     int64 // surely so much is left
	stale    bool  // it may be more
}

// recount forgets what is free: files may have changed from outside.
func (s *space) recount() { s.free, s.stale = 0, true }

// take says whether n more bytes fit, and takes them.
func (s *space) take(n int64) bool {
	if n > s.free && s.stale {
		s.free, s.stale = s.capacity-s.used("."), false
	}
	if n > s.free {
		return false
	}
	s.free -= n
	return true
}

// used is the size of everything beneath a directory.
func (s *space) used(dir string) int64 {
	names, _ := s.fs.List(dir) // fails only if it is not there, and then it uses nothing
	var sum int64
	for _, name := range names {
		path := dir + "/" + name
		switch size, isDir, err := s.fs.Stat(path); {
		case err == nil && isDir:
			sum += s.used(path)
		case err == nil:
			sum += size
		}
	}
	return sum
}

// write does a write that fits.
func (s *space) write(fd int, off, n int64) int64 {
	if s.capacity == 0 {
		return s.fs.WriteAt(fd, off, n)
	}
	before, err := s.fs.Size(fd)
	if err != nil {
		return helper.Errno(err)
	}
	grow := max(0, off+n-before)
	if !s.take(grow) {
		return -int64(unix.ENOSPC)
	}
	res := s.fs.WriteAt(fd, off, n)
	// A failed write took nothing, and one with O_APPEND went elsewhere.
	after, _ := s.fs.Size(fd)
	s.free += grow - (after - before)
	return res
}

// perform does an operation that transfers nothing.
func (s *space) perform(op *engine.Op) int64 {
	if s.capacity == 0 {
		return helper.Do(s.fs, op)
	}
	if op.Code == engine.Allocate || op.Code == engine.Truncate {
		return s.resize(op)
	}
	s.stale = true
	return helper.Do(s.fs, op)
}

// resize sets a file's size if that fits.
func (s *space) resize(op *engine.Op) int64 {
	before, err := s.fs.Size(op.File.FD)
	if err != nil {
		return helper.Errno(err)
	}
	end := op.Len
	if op.Code == engine.Allocate {
		end += op.Off
	}
	grow := max(0, end-before)
	if !s.take(grow) {
		return -int64(unix.ENOSPC)
	}
	res := helper.Do(s.fs, op)
	after, _ := s.fs.Size(op.File.FD)
	s.free += grow - (after - before)
	return res
}
