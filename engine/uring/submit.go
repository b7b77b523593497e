package uring

import (
	"moonio/engine"
	"moonio/engine/helper"
)

// kernel is the engine as its loop drives it.
type kernel struct{ *Engine }

// Begin makes the calling thread the ring's owner.
func (e kernel) Begin() error { return e.ring.enable(min(e.slots, maxWorkers)) }

// Start fills an entry of the ring.
func (e kernel) Start(op *engine.Op, slot uint32) error {
	if err := e.vet(op); err != nil {
		return err
	}
	switch where, res := e.route(op, slot); where {
	case nowhere:
		e.Pool.Complete(slot, res)
		return nil
	case byHelper:
		if op.Code == engine.Close {
			e.forget(op.File)
		}
		e.Pool.Start(slot, op)
		return nil
	}
	s, err := e.next()
	if err != nil {
		return err
	}
	e.fill(s, op, slot)
	return nil
}

// StartLinked fills a chain of entries, if the ring can hold all of it.
func (e kernel) StartLinked(ops []engine.Op, chain []uint32) (bool, error) {
	if !e.linkable(ops, chain) {
		return false, nil
	}
	for _, slot := range chain {
		if err := e.vet(&ops[slot]); err != nil {
			return false, err
		}
	}
	// The kernel ends a chain where a submission ends.
	for e.ring.room() < len(chain) {
		if err := e.Flush(); err != nil {
			return false, err
		}
	}
	for i, slot := range chain {
		s := e.ring.next()
		e.fill(s, &ops[slot], slot)
		if i+1 < len(chain) {
			s.flags |= sqeLink
		}
	}
	return true, nil
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
		if err := e.Flush(); err != nil {
			return nil, err
		}
	}
	return e.ring.next(), nil
}
