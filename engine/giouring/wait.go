//go:build giouring

package giouring

import (
	"errors"
	"math"
	"syscall"

	"moonio/engine"
	"moonio/engine/helper"
)

// Unsubmitted is how many entries the kernel has not taken.
func (e kernel) Unsubmitted() int { return int(e.ring.SQReady()) }

// Lagging is false: with DEFER_TASKRUN the library's look at the completions
// enters the kernel when some wait for that.
func (e kernel) Lagging() bool { return false }

// Enter hands the entries over, and waits for as many completions, for ns
// nanoseconds at most.
func (e kernel) Enter(wait int, ns int64, _ bool) (err error) {
	if wait == 0 {
		_, err = e.ring.SubmitAndGetEvents()
		return err
	}
	var ts *syscall.Timespec
	if ns >= 0 && ns < math.MaxInt64 {
		e.timeout = syscall.NsecToTimespec(ns)
		ts = &e.timeout
	}
	_, err = e.ring.SubmitAndWaitTimeout(uint32(wait), ts, nil)
	return err
}

// ArmWake keeps a read of the waker's eventfd in the ring.
func (e kernel) ArmWake() error {
	s, err := e.next()
	if err != nil {
		return err
	}
	s.PrepareRead(e.Waker.FD(), helper.Address(e.wakes), 8, 0)
	s.UserData = helper.MarkWake
	return nil
}

// Take collects completions from the ring.
func (e kernel) Take(out []engine.Completion) (n int, err error) {
	for n < len(out) && err == nil {
		m := e.ring.PeekBatchCQE(e.cqes[:min(len(e.cqes), len(out)-n)])
		if m == 0 {
			break
		}
		for _, c := range e.cqes[:m] {
			if c.UserData >= helper.MarkWake {
				err = errors.Join(err, e.Own(c.UserData))
				continue
			}
			out[n] = engine.Completion{Slot: uint32(c.UserData), Res: int64(c.Res)}
			n++
		}
		e.ring.CQAdvance(m)
	}
	return n, err
}
