package uring

import (
	"math"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/helper"
)

// rawWait bounds, in nanoseconds, a wait for several completions that the Go
// scheduler doesn't know of. It is also the longest that a Wake goes unnoticed there.
const rawWait = 1_000_000

// untimed is from how far off, in nanoseconds, a deadline is not given to the kernel
// with a wait for one completion. Setting a timer costs several microseconds in a virtual
// machine, a tenth of a read at depth 1. What ends such a wait early, if nothing
// completes, is the signal with which Go's runtime takes a processor back that has been busy
// for 10 ms.
const untimed = 50_000_000

// Wait starts what was queued and collects completions.
func (e *Engine) Wait(out []engine.Completion, least int, deadline int64) (int, error) {
	if err := e.begin(); err != nil {
		return 0, err
	}
	need := min(least, len(out))
	n, err := e.collect(out)
	switch {
	case err != nil:
		return n, err
	case n >= need, e.waker.Asked():
		return e.poke(out, n)
	}
	return e.sleep(out, n, need, deadline)
}

// poke starts what was queued, and collects what can be had without waiting.
func (e *Engine) poke(out []engine.Completion, n int) (int, error) {
	if e.ring.unsubmit == 0 && !e.ring.pendingWork() {
		return n, nil
	}
	for first := true; first || e.ring.unsubmit > 0; first = false {
		if err := e.flush(); err != nil {
			return n, err
		}
	}
	m, err := e.collect(out[n:])
	return n + m, err
}

// sleep starts what was queued, and waits.
func (e *Engine) sleep(out []engine.Completion, n, need int, deadline int64) (int, error) {
	for slow := false; ; {
		left := int64(math.MaxInt64)
		if deadline != engine.NoDeadline {
			if left = deadline - e.Now(); left <= 0 {
				return e.poke(out, n)
			}
		}
		// Helpers want a processor to run on, and nothing in flight can't end early.
		raw := !slow && e.pool.Running() == 0 && (e.inFlight > 0 || left <= rawWait)
		err := e.ring.submit(e.waitFor(need-n, left, raw))
		slow = slow || err == unix.ETIME || err == unix.EINTR
		if err := e.checkSubmit(err); err != nil {
			return n, err
		}
		m, err := e.collect(out[n:])
		n += m
		if err != nil || n >= need || e.waker.Asked() {
			return n, err
		}
	}
}

// waitFor is how many completions to wait for in one system call, and how long
// at most (below 0: without limit).
func (e *Engine) waitFor(need int, left int64, raw bool) (n uint32, ns int64, isRaw bool) {
	switch {
	case !raw && left == math.MaxInt64:
		return 1, -1, false
	case !raw:
		return 1, left, false
	case e.chains.Held() > 0: // the kernel has fewer than are in flight
		need = 1
	}
	n = uint32(max(1, min(need, e.inFlight)))
	if n == 1 && left >= untimed {
		return n, -1, true
	}
	return n, min(left, rawWait), true
}

// collect fills out with completions that are there.
func (e *Engine) collect(out []engine.Completion) (n int, err error) {
	if n, err = e.takeRing(out); err != nil {
		return n, err
	}
	for ; n < len(out) && e.pool.Take(&out[n]); n++ {
		if err := e.after(out[n].Slot, out[n].Res); err != nil {
			return n, err
		}
	}
	e.inFlight -= n
	return n, nil
}

// takeRing fills out from the completion ring.
func (e *Engine) takeRing(out []engine.Completion) (n int, err error) {
	head, tail := e.ring.ready()
	if head == tail {
		return 0, nil
	}
	for ; head != tail && n < len(out) && err == nil; head++ {
		c := &e.ring.cqes[head&e.ring.cqMask]
		if c.userData >= markWake {
			err = e.own(c.userData)
			continue
		}
		out[n] = engine.Completion{Slot: uint32(c.userData), Res: int64(c.res)}
		err = e.after(out[n].Slot, out[n].Res)
		n++
	}
	e.ring.consumed(head)
	return n, err
}

// own deals with the completion of an entry that no caller made.
func (e *Engine) own(mark uint64) error {
	switch {
	case mark == markCancel:
		e.cancels--
	case e.closing:
		e.closing = false
	default:
		return e.armWake()
	}
	return nil
}

// after does what follows from a completion.
func (e *Engine) after(slot uint32, res int64) error {
	if e.fates[slot] != fatePlain {
		e.settle(slot, res)
	}
	if e.chains.Held() == 0 {
		return nil
	}
	next, op, ok := e.chains.Done(slot, res)
	switch {
	case !ok:
		return nil
	case op == nil:
		e.pool.Complete(next, helper.Canceled)
		return nil
	}
	return e.start(op, next)
}
