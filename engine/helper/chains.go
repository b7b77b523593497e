package helper

import (
	"golang.org/x/sys/unix"

	"moonio/engine"
)

// Chains holds linked operations back until those before them have completed.
// An engine uses it for a chain that it can't give to the kernel whole.
type Chains struct {
	links []link // by slot; empty until first used
	slots int
	held  int
}

// link is one slot's place in a chain.
type link struct {
	op      engine.Op // the held operation
	want    int64     // what this slot's operation must at least return
	next    uint32
	chained bool // next is valid
}

// NewChains makes room for no chain yet. Slots are below slots.
func NewChains(slots int) *Chains { return &Chains{slots: slots} }

// Held is how many operations wait for their turn.
func (c *Chains) Held() int { return c.held }

// Hold keeps all of chain but its first slot, which is the caller's to start.
func (c *Chains) Hold(ops []engine.Op, chain []uint32) {
	if c.links == nil {
		c.links = make([]link, c.slots)
	}
	for i, slot := range chain {
		l := &c.links[slot]
		l.want, l.chained = 0, i+1 < len(chain)
		if !l.chained {
			break
		}
		if op := &ops[slot]; op.Code.Transfers() {
			l.want = int64(len(op.Buf))
		}
		l.next = chain[i+1]
		c.links[l.next].op = ops[l.next]
		c.held++
	}
}

// Done takes note of a slot's completion. If an operation waited for it, ok is
// true, and next must now be started with op, or, when op is nil, be completed
// with ECANCELED.
func (c *Chains) Done(slot uint32, res int64) (next uint32, op *engine.Op, ok bool) {
	if c.held == 0 || !c.links[slot].chained {
		return 0, nil, false
	}
	l := &c.links[slot]
	l.chained = false
	c.held--
	if res < l.want {
		return l.next, nil, true
	}
	return l.next, &c.links[l.next].op, true
}

// EndsChain says whether a ring's own links stop behind an operation that
// failed. The kernel does not mark fsync, sync_file_range, fallocate, ftruncate
// and statx as failed, whatever they return, and starts what is linked to them:
// a chain with one of these before its end must be held back.
func EndsChain(code engine.OpCode) bool {
	switch code {
	case engine.Fsync, engine.Fdatasync, engine.SyncRange, engine.Trim, engine.Allocate, engine.Truncate, engine.Stat:
		return false
	}
	return true
}

// Canceled is the completion's Res of an operation that was given up.
const Canceled = -int64(unix.ECANCELED)
