//go:build giouring

package giouring

import (
	"fmt"
	"unsafe"

	lib "github.com/pawelgaczynski/giouring"
	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/helper"
)

// kernel is the engine as its loop drives it.
type kernel struct{ *Engine }

// Begin makes the calling thread the ring's owner.
func (e kernel) Begin() error {
	if _, err := e.ring.EnableRings(); err != nil {
		return fmt.Errorf("enabling the ring: %w", err)
	}
	// The kernel's worker threads, as many as operations that can block; kernels
	// before 5.15 can't be told. The library's own call passes the wrong size.
	limits := [2]uint32{uint32(min(e.slots, maxWorkers)), 0}
	_, _ = e.ring.Register(e.ring.RingFd(), lib.RegisterIOWQMaxWorkers, unsafe.Pointer(&limits), 2)
	return nil
}

// StartLinked fills a chain of entries, if the library can be trusted with all of it.
func (e kernel) StartLinked(ops []engine.Op, chain []uint32) (bool, error) {
	if !linkable(ops, chain) {
		return false, nil
	}
	// The kernel ends a chain where a submission ends.
	for int(e.ring.SQSpaceLeft()) < len(chain) {
		if err := e.Flush(); err != nil {
			return false, err
		}
	}
	for i, slot := range chain {
		s, err := e.next()
		if err != nil {
			return false, err
		}
		fill(s, &ops[slot], slot)
		if i+1 < len(chain) {
			s.Flags |= lib.SqeIOLink
		}
	}
	return true, nil
}

func linkable(ops []engine.Op, chain []uint32) bool {
	for i, slot := range chain {
		if !inRing(&ops[slot]) || i+1 < len(chain) && !helper.EndsChain(ops[slot].Code) {
			return false
		}
	}
	return true
}

// Start fills an entry of the ring.
func (e kernel) Start(op *engine.Op, slot uint32) error {
	switch {
	case op.Code.Transfers() && op.Off < 0: // the kernel would take -1 for the file's position
		e.Pool.Complete(slot, -int64(unix.EINVAL))
		return nil
	case !inRing(op):
		e.Pool.Start(slot, op)
		return nil
	}
	s, err := e.next()
	if err != nil {
		return err
	}
	fill(s, op, slot)
	return nil
}

// inRing says whether the library can be trusted with the operation, and the
// operation is such that it can start.
func inRing(op *engine.Op) bool {
	switch op.Code {
	case engine.Nop:
		return true
	case engine.Read, engine.Write, engine.Append, engine.Allocate:
		return op.File != nil && op.Off >= 0
	case engine.Trim:
		return op.File != nil && !op.File.Device // which wants an ioctl
	case engine.Fsync, engine.Fdatasync:
		return op.File != nil
	}
	return false
}

func fill(s *lib.SubmissionQueueEntry, op *engine.Op, slot uint32) {
	n := uint32(min(len(op.Buf), helper.MaxTransfer))
	switch op.Code {
	case engine.Nop:
		s.PrepareNop()
	case engine.Read:
		s.PrepareRead(op.File.FD, helper.Address(op.Buf), n, uint64(op.Off))
	case engine.Write, engine.Append:
		s.PrepareWrite(op.File.FD, helper.Address(op.Buf), n, uint64(op.Off))
		if op.Flags&engine.DSync != 0 {
			s.OpcodeFlags = unix.RWF_DSYNC
		}
	case engine.Fsync:
		s.PrepareFsync(op.File.FD, 0)
	case engine.Fdatasync:
		s.PrepareFsync(op.File.FD, lib.FsyncDatasync)
	case engine.Trim:
		s.PrepareFallocate(op.File.FD, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, uint64(op.Off), uint64(op.Len))
	case engine.Allocate:
		s.PrepareFallocate(op.File.FD, 0, uint64(op.Off), uint64(op.Len))
	}
	if op.Code.Transfers() {
		s.IoPrio = op.Prio
	}
	s.UserData = uint64(slot)
}

// next returns an SQE to fill. The library leaves what it does not set as it
// was, so it comes zeroed.
func (e *Engine) next() (*lib.SubmissionQueueEntry, error) {
	for {
		if s := e.ring.GetSQE(); s != nil {
			*s = lib.SubmissionQueueEntry{}
			return s, nil
		}
		if err := e.Flush(); err != nil {
			return nil, err
		}
	}
}
