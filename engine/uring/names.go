package uring

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/helper"
)

// resolver is what an FS offers beside engine.FS if its names are those of the
// operating system.
type resolver interface {
	// Resolve returns the directory that holds path's last part, and that part,
	// which must not be followed if it is a symbolic link. The descriptor stays open.
	Resolve(path string) (dirfd int, base string, err error)
	// OpenFlags are what every open there adds to its flags.
	OpenFlags() int
	// Renamed is told of renames that did not go through the FS.
	Renamed(from, to string)
}

// nameMemory is one slot's memory for names and results of operations on them.
// The kernel reads and writes it while the operation is in flight.
type nameMemory struct {
	statx      unix.Statx_t
	base, to   [maxName + 1]byte
	dir, toDir int32
}

// maxName is NAME_MAX: the longest part of a name.
const maxName = 255

// names are the memories of all slots, mapped at the first operation on a name.
// Only the pages that are used cost memory.
func (e *Engine) names() ([]nameMemory, error) {
	if e.nameMem == nil {
		m, err := e.ring.mmap(-1, 0, e.slots*int(unsafe.Sizeof(nameMemory{})))
		if err != nil {
			return nil, err
		}
		e.nameMem = unsafe.Slice((*nameMemory)(unsafe.Pointer(&m[0])), e.slots)
		e.metas = make([]*engine.Meta, e.slots)
	}
	return e.nameMem, nil
}

// routeNamed resolves an operation's names into its slot's memory.
func (e *Engine) routeNamed(op *engine.Op, slot uint32) (route, int64) {
	if op.Meta == nil {
		return nowhere, -int64(unix.EINVAL)
	}
	if e.resolve == nil || !e.native[op.Code] {
		return byHelper, 0
	}
	all, err := e.names()
	if err != nil {
		return nowhere, helper.Errno(err)
	}
	m := &all[slot]
	if m.dir, err = e.resolveInto(&m.base, op.Meta.Path); err != nil {
		return nowhere, helper.Errno(err)
	}
	if op.Code == engine.Rename {
		if m.toDir, err = e.resolveInto(&m.to, op.Meta.Path2); err != nil {
			return nowhere, helper.Errno(err)
		}
	}
	return inRing, 0
}

func (e *Engine) resolveInto(to *[maxName + 1]byte, path string) (dirfd int32, err error) {
	fd, base, err := e.resolve.Resolve(path)
	if err != nil {
		return -1, err
	}
	if len(base) > maxName {
		return -1, fmt.Errorf("%q: %w", base, unix.ENAMETOOLONG)
	}
	to[copy(to[:], base)] = 0
	return int32(fd), nil
}

// fillNamed makes the SQE from what routeNamed prepared.
func (e *Engine) fillNamed(s *sqe, op *engine.Op, slot uint32) {
	m := &e.nameMem[slot]
	s.fd = m.dir
	s.addr = addr(&m.base)
	switch op.Code {
	case engine.Create, engine.Open:
		s.len = op.Meta.Perm
		s.opFlags = uint32(op.Meta.Flags | e.resolve.OpenFlags())
	case engine.Rename:
		s.len = uint32(m.toDir)
		s.off = addr(&m.to)
		e.expect(slot, op.Meta, fateRename)
	case engine.Stat:
		s.len = unix.STATX_TYPE | unix.STATX_SIZE
		s.off = addr(&m.statx)
		s.opFlags = unix.AT_SYMLINK_NOFOLLOW
		e.expect(slot, op.Meta, fateStat)
	case engine.Mkdir:
		s.len = op.Meta.Perm
	}
}

// fate is what is left to do when a slot's operation has completed.
type fate uint8

const (
	fatePlain fate = iota
	fateStat
	fateRename
)

func (e *Engine) expect(slot uint32, m *engine.Meta, f fate) {
	e.metas[slot] = m
	e.fates[slot] = f
}

// settle does what is left to do for an operation on a name.
func (e *Engine) settle(slot uint32, res int64) {
	m := e.metas[slot]
	switch f := e.fates[slot]; {
	case res < 0:
	case f == fateStat:
		st := &e.nameMem[slot].statx
		m.Size, m.Dir = int64(st.Size), st.Mode&unix.S_IFMT == unix.S_IFDIR
	case f == fateRename:
		e.resolve.Renamed(m.Path, m.Path2)
	}
	e.metas[slot], e.fates[slot] = nil, fatePlain
}
