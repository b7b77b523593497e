//go:build giouring

package giouring

import (
	"math"
	"unsafe"

	lib "github.com/pawelgaczynski/giouring"
	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/helper"
)

// Submit fills the ring's entries, of which there are enough for every slot.
func (e *Engine) Submit(ops []engine.Op, slots []uint32) error {
	if err := e.begin(); err != nil {
		return err
	}
	e.inFlight += len(slots)
	for len(slots) > 0 {
		n := 1
		for n < len(slots) && ops[slots[n-1]].Flags&engine.Link != 0 {
			n++
		}
		if err := e.startChain(ops, slots[:n]); err != nil {
			return err
		}
		slots = slots[n:]
	}
	return nil
}

// startChain begins linked operations: as one chain in the ring if it can hold
// all of it, otherwise one after the other.
func (e *Engine) startChain(ops []engine.Op, chain []uint32) error {
	if len(chain) > 1 && !linkable(ops, chain) {
		e.chains.Hold(ops, chain)
		chain = chain[:1]
	}
	if len(chain) == 1 {
		return e.start(&ops[chain[0]], chain[0])
	}
	// The kernel ends a chain where a submission ends.
	for int(e.ring.SQSpaceLeft()) < len(chain) {
		if err := e.flush(); err != nil {
			return err
		}
	}
	for i, slot := range chain {
		s, err := e.next()
		if err != nil {
			return err
		}
		fill(s, &ops[slot], slot)
		if i+1 < len(chain) {
			s.Flags |= lib.SqeIOLink
		}
	}
	return nil
}

func linkable(ops []engine.Op, chain []uint32) bool {
	for i, slot := range chain {
		if !inRing(&ops[slot]) || i+1 < len(chain) && !helper.EndsChain(ops[slot].Code) {
			return false
		}
	}
	return true
}

// start begins one operation.
func (e *Engine) start(op *engine.Op, slot uint32) error {
	switch {
	case op.Code.Transfers() && op.Off < 0: // the kernel would take -1 for the file's position
		e.pool.Complete(slot, -int64(unix.EINVAL))
		return nil
	case !inRing(op):
		e.pool.Start(slot, op)
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

// maxTransfer is the most that Linux moves in one call.
const maxTransfer = math.MaxInt32 &^ 4095

func fill(s *lib.SubmissionQueueEntry, op *engine.Op, slot uint32) {
	n := uint32(min(len(op.Buf), maxTransfer))
	switch op.Code {
	case engine.Nop:
		s.PrepareNop()
	case engine.Read:
		s.PrepareRead(op.File.FD, address(op.Buf), n, uint64(op.Off))
	case engine.Write, engine.Append:
		s.PrepareWrite(op.File.FD, address(op.Buf), n, uint64(op.Off))
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
	s.UserData = uint64(slot)
}

func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// next returns an SQE to fill. The library leaves what it does not set as it
// was, so it comes zeroed.
func (e *Engine) next() (*lib.SubmissionQueueEntry, error) {
	for {
		if s := e.ring.GetSQE(); s != nil {
			*s = lib.SubmissionQueueEntry{}
			return s, nil
		}
		if err := e.flush(); err != nil {
			return nil, err
		}
	}
}

// flush hands SQEs over without waiting.
func (e *Engine) flush() error {
	_, err := e.ring.SubmitAndGetEvents()
	return e.checkEnter(err)
}
