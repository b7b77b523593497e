package uring

import (
	"moonio/engine"
	"moonio/engine/helper"
)

// Unsubmitted is how many entries the kernel has not taken.
func (e kernel) Unsubmitted() int { return int(e.ring.unsubmit) }

// Lagging says whether completions wait for this thread to enter the kernel.
func (e kernel) Lagging() bool { return e.ring.pendingWork() }

// Enter hands the entries over and waits.
func (e kernel) Enter(wait int, ns int64, raw bool) error {
	if e.opts.hipri {
		return e.enterPolled(wait, ns, raw)
	}
	return e.ring.submit(uint32(wait), ns, raw)
}

// ArmWake keeps a read of the waker's eventfd in the ring, unless that is polled.
func (e kernel) ArmWake() error {
	if e.opts.hipri {
		return nil
	}
	s, err := e.next()
	if err != nil {
		return err
	}
	*s = sqe{opcode: opRead, fd: int32(e.Waker.FD()), addr: addr(&e.ring.shared.wakes), len: 8, userData: helper.MarkWake}
	return nil
}

// Take collects completions from the ring.
func (e kernel) Take(out []engine.Completion) (n int, err error) {
	head, tail := e.ring.ready()
	if head == tail {
		return 0, nil
	}
	for ; head != tail && n < len(out) && err == nil; head++ {
		c := &e.ring.cqes[head&e.ring.cqMask]
		if c.userData >= helper.MarkWake {
			err = e.Own(c.userData)
			continue
		}
		out[n] = engine.Completion{Slot: uint32(c.userData), Res: int64(c.res)}
		if e.fates[out[n].Slot] != fatePlain {
			e.settle(out[n].Slot, out[n].Res)
		}
		n++
	}
	e.ring.consumed(head)
	return n, err
}
