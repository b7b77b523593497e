//go:build giouring

package giouring

import (
	"errors"
	"math"
	"syscall"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/helper"
)

// batchWait bounds, in nanoseconds, a wait for several completions: a Wake is
// only one of them.
const batchWait = 1_000_000

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
	for e.ring.SQReady() > 0 {
		if err := e.flush(); err != nil {
			return n, err
		}
	}
	m, err := e.collect(out[n:])
	return n + m, err
}

// sleep starts what was queued, and waits.
func (e *Engine) sleep(out []engine.Completion, n, need int, deadline int64) (int, error) {
	for single := false; ; {
		left := int64(math.MaxInt64)
		if deadline != engine.NoDeadline {
			if left = deadline - e.Now(); left <= 0 {
				return e.poke(out, n)
			}
		}
		// What helpers do, and what is held back, makes no completion in the ring.
		single = single || e.pool.Running() > 0 || e.chains.Held() > 0
		wait := min(need-n, e.inFlight)
		if single || wait <= 1 {
			wait = 1
		} else {
			left = min(left, batchWait)
		}
		err := e.enter(wait, left)
		single = single || errors.Is(err, unix.ETIME)
		if err := e.checkEnter(err); err != nil {
			return n, err
		}
		m, err := e.collect(out[n:])
		n += m
		if err != nil || n >= need || e.waker.Asked() {
			return n, err
		}
	}
}

// enter starts what was queued and waits for as many completions, for ns
// nanoseconds at most.
func (e *Engine) enter(wait int, ns int64) error {
	var ts *syscall.Timespec
	if ns >= 0 && ns < math.MaxInt64 {
		e.timeout = syscall.NsecToTimespec(ns)
		ts = &e.timeout
	}
	_, err := e.ring.SubmitAndWaitTimeout(uint32(wait), ts, nil)
	return err
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

// takeRing fills out from the completion ring. With DEFER_TASKRUN the library's
// peek enters the kernel when completions wait for that.
func (e *Engine) takeRing(out []engine.Completion) (n int, err error) {
	for n < len(out) && err == nil {
		m := e.ring.PeekBatchCQE(e.cqes[:min(len(e.cqes), len(out)-n)])
		if m == 0 {
			break
		}
		for _, c := range e.cqes[:m] {
			if c.UserData >= markWake {
				err = errors.Join(err, e.own(c.UserData))
				continue
			}
			out[n] = engine.Completion{Slot: uint32(c.UserData), Res: int64(c.Res)}
			err = errors.Join(err, e.after(out[n].Slot, out[n].Res))
			n++
		}
		e.ring.CQAdvance(m)
	}
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

// after starts, or gives up, the operation that waited for this one.
func (e *Engine) after(slot uint32, res int64) error {
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
