package uring

import (
	"errors"
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/helper"
)

// Submit fills the ring's entries. It enters the kernel only when they are all
// used, and once for each file to be registered.
func (e *Engine) Submit(ops []engine.Op, slots []uint32) error {
	if err := e.begin(); err != nil {
		return err
	}
	e.inFlight += len(slots)
	for len(slots) > 0 {
		n := chainLen(ops, slots)
		var err error
		if n == 1 {
			err = e.start(&ops[slots[0]], slots[0])
		} else {
			err = e.startChain(ops, slots[:n])
		}
		if err != nil {
			return err
		}
		slots = slots[n:]
	}
	return nil
}

// chainLen is how many of slots, from the first, are linked: 1 if it stands alone.
func chainLen(ops []engine.Op, slots []uint32) int {
	n := 1
	for n < len(slots) && ops[slots[n-1]].Flags&engine.Link != 0 {
		n++
	}
	return n
}

// start begins one operation.
func (e *Engine) start(op *engine.Op, slot uint32) error {
	switch where, res := e.route(op, slot); where {
	case nowhere:
		e.pool.Complete(slot, res)
		return nil
	case byHelper:
		if op.Code == engine.Close {
			e.forget(op.File)
		}
		e.pool.Start(slot, op)
		return nil
	}
	s, err := e.next()
	if err != nil {
		return err
	}
	e.fill(s, op, slot)
	return nil
}

// startChain begins linked operations: as one chain in the ring if it can hold
// all of it, otherwise one after the other.
func (e *Engine) startChain(ops []engine.Op, chain []uint32) error {
	if !e.linkable(ops, chain) {
		e.chains.Hold(ops, chain)
		return e.start(&ops[chain[0]], chain[0])
	}
	// The kernel ends a chain where a submission ends.
	for e.ring.room() < len(chain) {
		if err := e.flush(); err != nil {
			return err
		}
	}
	for i, slot := range chain {
		s := e.ring.next()
		e.fill(s, &ops[slot], slot)
		if i+1 < len(chain) {
			s.flags |= sqeLink
		}
	}
	return nil
}

func (e *Engine) linkable(ops []engine.Op, chain []uint32) bool {
	if len(chain) > len(e.ring.sqes) {
		return false
	}
	named := false
	for i, slot := range chain {
		op := &ops[slot]
		if i+1 < len(chain) && !helper.EndsChain(op.Code) {
			return false
		}
		// A name is resolved now, and may mean something else after an operation
		// on another.
		if op.Code.Named() && named {
			return false
		}
		named = named || op.Code.Named()
		if where, _ := e.route(op, slot); where != inRing {
			return false
		}
	}
	return true
}

// next returns an SQE to fill, and makes room for it if it must.
func (e *Engine) next() (*sqe, error) {
	for e.ring.room() == 0 {
		if err := e.flush(); err != nil {
			return nil, err
		}
	}
	return e.ring.next(), nil
}

// flush hands SQEs over without waiting.
func (e *Engine) flush() error {
	return e.checkSubmit(e.ring.submit(0, 0, true))
}

// checkSubmit sorts an enter's errno: nil if it is worth going on.
func (e *Engine) checkSubmit(err error) error {
	switch {
	case err == nil, errors.Is(err, unix.ETIME):
		return nil
	case errors.Is(err, unix.EINTR):
		// The runtime wants this thread, most likely for a garbage collection.
		runtime.Gosched()
		return nil
	case errors.Is(err, unix.EBUSY), errors.Is(err, unix.EAGAIN):
		// The kernel has no memory for more requests. It will have when some of
		// those in flight are done; if there are none, it won't.
		if e.inFlight > int(e.ring.unsubmit) {
			runtime.Gosched()
			return nil
		}
	case errors.Is(err, unix.EEXIST):
		return fmt.Errorf("entering the ring from a thread that doesn't own it: %w", err)
	}
	return fmt.Errorf("submitting %d operations: %w", e.ring.unsubmit, err)
}
