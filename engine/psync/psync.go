// Package psync holds the engines that make one system call for one operation,
// on the worker's own thread and one at a time:
//
//   - psync, with pread64 and pwrite64;
//   - sync, with read and write, behind an lseek where the last call did not
//     end where this one begins;
//   - pvsync2, with preadv2 and pwritev2, which carry flags.
//
// Submit makes the calls, so that nothing is ever in flight when it is back,
// and the true depth is 1. The scheduler is told of each call, so that a
// garbage collection does not wait for the storage; the goroutine keeps its
// thread and, unless the call takes long, its processor.
//
// A descriptor's position belongs to all who use it. The engine sync opens each
// file anew for itself, at its first use.
package psync

import (
	"errors"
	"slices"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/helper"
)

// The engines' names.
const (
	Psync   = "psync"
	Sync    = "sync"
	Pvsync2 = "pvsync2"
)

// Options are the engine's.
func Options(name string) []engine.Option {
	if name == Pvsync2 {
		return slices.Clone(helper.TransferOptions)
	}
	return nil
}

// Engine makes calls.
type Engine struct {
	*helper.Inline
	name     string
	fs       engine.FS
	perform  func(*engine.Op) (int64, error)
	transfer helper.Transfers
	vec      *unix.Iovec
	own      []own // by file ID, of sync
}

var _ engine.Engine = (*Engine)(nil)

// Open opens the engine of that name on any namespace with descriptors of the
// kernel. pvsync2 has the options uncached and nowait.
func Open(name string, cfg engine.Config) (engine.Engine, error) {
	if err := helper.CheckFiles(name, cfg.FS); err != nil {
		return nil, err
	}
	e := &Engine{Inline: helper.NewInline(name, cfg.Slots), name: name, fs: cfg.FS, vec: new(unix.Iovec)}
	var err error
	if e.transfer, err = read(name, cfg.Options); err != nil {
		return nil, err
	}
	e.perform = map[string]func(*engine.Op) (int64, error){Psync: e.positioned, Sync: e.sequential, Pvsync2: e.flagged}[name]
	return e, nil
}

// CheckOptions says what is wrong with an engine's options.
func CheckOptions(name string, options map[string]string) error {
	_, err := read(name, options)
	return err
}

func read(name string, options map[string]string) (t helper.Transfers, err error) {
	s := helper.NewSettings(name, options)
	if name == Pvsync2 {
		t = helper.NewTransfers(name, s)
	}
	return t, s.Err()
}

// Info describes the engine.
func (e *Engine) Info() engine.Info {
	detail := map[string]string{
		Psync:   "pread and pwrite by the worker itself, one call at a time",
		Sync:    "lseek, read and write by the worker itself, one call at a time",
		Pvsync2: "preadv2 and pwritev2 by the worker itself, one call at a time",
	}[e.name]
	return engine.Info{Name: e.name, Detail: detail, Features: e.transfer.Features(), Depth: 1, Inline: true}
}

// Submit performs the operations.
func (e *Engine) Submit(ops []engine.Op, slots []uint32) error {
	return e.Inline.Submit(ops, slots, e.perform)
}

// positioned is psync's way.
func (e *Engine) positioned(op *engine.Op) (int64, error) {
	if op.File == nil || !op.Code.Transfers() || op.Flags&engine.DSync != 0 {
		return e.other(op), nil
	}
	call := uintptr(unix.SYS_PWRITE64)
	if op.Code == engine.Read {
		call = unix.SYS_PREAD64
	}
	return again(call, op.File.FD, helper.Address(op.Buf), len(op.Buf), op.Off, 0), nil
}

// flagged is pvsync2's way.
func (e *Engine) flagged(op *engine.Op) (int64, error) {
	if op.File == nil || !op.Code.Transfers() {
		return e.other(op), nil
	}
	if err := e.transfer.Check(op.File); err != nil {
		return 0, err
	}
	return e.vectored(op, e.transfer.Flags), nil
}

func (e *Engine) vectored(op *engine.Op, flags uint32) int64 {
	if op.Off < 0 { // the kernel would take -1 for the file's position
		return -int64(unix.EINVAL)
	}
	call := uintptr(unix.SYS_PREADV2)
	if op.Code != engine.Read {
		call = unix.SYS_PWRITEV2
		if op.Flags&engine.DSync != 0 {
			flags |= unix.RWF_DSYNC
		}
	}
	return againVec(call, op.File.FD, e.setVec(op.Buf), op.Off, flags)
}

// other is what is the same for all of them.
func (e *Engine) other(op *engine.Op) int64 {
	switch {
	case op.File == nil:
	case op.Code.Transfers():
		return e.vectored(op, 0)
	case op.Code == engine.Fsync:
		return again(unix.SYS_FSYNC, op.File.FD, 0, 0, 0, 0)
	case op.Code == engine.Fdatasync:
		return again(unix.SYS_FDATASYNC, op.File.FD, 0, 0, 0, 0)
	}
	return helper.Do(e.fs, op)
}

// Close gives the engine's own descriptors up.
func (e *Engine) Close() error {
	var errs []error
	for i := range e.own {
		errs = append(errs, e.own[i].close())
	}
	e.own = nil
	return errors.Join(errs...)
}
