package uring

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"

	"moonio/engine"
)

// maxFiles is the size of the registered table. Files with higher IDs are used
// by their descriptors.
const maxFiles = 256

// maxFixed is the most that the kernel takes as one registered buffer.
const maxFixed = 1 << 30

// registerTables gives the ring an empty file table and the arena's first
// chunk. What is refused is done without, and noted, unless it was asked for.
func (e *Engine) registerTables(arena *engine.Arena) error {
	if err := e.registerFiles(); err != nil {
		return err
	}
	if chunk := arena.First(); chunk != nil && e.opts.bufs != mustNot {
		return e.registerBuffer(chunk)
	}
	return nil
}

func (e *Engine) registerFiles() error {
	if e.opts.files == mustNot {
		return nil
	}
	empty := make([]int32, maxFiles)
	for i := range empty {
		empty[i] = -1
	}
	if err := register(e.ring.fd, registerFiles, unsafe.Pointer(&empty[0]), len(empty)); err != nil {
		return e.refused("registerfiles", e.opts.files, "files are not registered", err)
	}
	e.files = make([]*engine.File, maxFiles)
	return nil
}

func (e *Engine) registerBuffer(chunk []byte) error {
	v := unix.Iovec{Base: &chunk[0]}
	v.SetLen(min(len(chunk), maxFixed))
	err := fitsLocked(len(chunk))
	if err == nil {
		err = register(e.ring.fd, registerBuffers, unsafe.Pointer(&v), 1)
	}
	if err != nil {
		return e.refused("fixedbufs", e.opts.bufs, "buffers are not registered", err)
	}
	e.fixedBuf, e.fixedLen = uintptr(unsafe.Pointer(v.Base)), uintptr(v.Len)
	return nil
}

// refused notes that a registration was refused, or is the error if it was asked for.
func (e *Engine) refused(option string, d demand, what string, err error) error {
	if d == must {
		return fmt.Errorf("io_uring: option %s: %s: %s: %w", option, what, whyNot(err), err)
	}
	e.note(what, err)
	return nil
}

// fitsLocked refuses to lock more than a part of what the user may: the rings
// of other threads need some of it, and don't open without.
func fitsLocked(n int) error {
	const part = 8
	var lim unix.Rlimit
	err := unix.Getrlimit(unix.RLIMIT_MEMLOCK, &lim)
	if err == nil && unix.Geteuid() != 0 && uint64(n) > lim.Cur/part {
		return unix.ENOMEM
	}
	return nil
}

// note keeps what a reader of a result must know about a registration.
func (e *Engine) note(what string, err error) {
	if e.detail != "" {
		e.detail += "; "
	}
	e.detail += what + ": " + whyNot(err)
}

func whyNot(err error) string {
	switch {
	case errors.Is(err, unix.ENOMEM):
		return "RLIMIT_MEMLOCK (ulimit -l) is too low"
	case errors.Is(err, unix.EMFILE):
		return "RLIMIT_NOFILE (ulimit -n) is too low"
	}
	return err.Error()
}

// registered says whether f is in the table, where it is put at its first use.
func (e *Engine) registered(f *engine.File) bool {
	if f.ID >= uint32(len(e.files)) {
		return false
	}
	// The File itself is compared: its ID and descriptor may be those of one that
	// was closed since.
	return e.files[f.ID] == f || e.setRegistered(f.ID, f, f.FD)
}

// forget drops f from the table, which would keep it open.
func (e *Engine) forget(f *engine.File) {
	if f.ID < uint32(len(e.files)) && e.files[f.ID] == f {
		e.setRegistered(f.ID, nil, -1)
	}
}

func (e *Engine) setRegistered(id uint32, f *engine.File, fd int) bool {
	e.ring.shared.fd = int32(fd)
	u := rsrcUpdate{offset: id, data: addr(&e.ring.shared.fd)}
	e.files[id] = nil
	if register(e.ring.fd, registerFilesUpdate, unsafe.Pointer(&u), 1) != nil {
		return false
	}
	e.files[id] = f
	return true
}

// unregister frees what the tables hold at once: the kernel takes its time
// after a ring is closed, and locked memory is scarce.
func (e *Engine) unregister() error {
	var err error
	if e.fixedLen > 0 {
		err = register(e.ring.fd, unregisterBuffers, nil, 0)
	}
	if e.files != nil {
		err = errors.Join(err, register(e.ring.fd, unregisterFiles, nil, 0))
	}
	return err
}
