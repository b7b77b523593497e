package pool

import (
	"sync/atomic"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/helper"
)

// total counts the threads of all engines.
var total atomic.Int64

// mayStart takes a thread from what the program may have. An engine's first is
// always granted, so that its operations are made in the end.
func mayStart(first bool) bool {
	if total.Add(1) <= maxThreads || first {
		return true
	}
	total.Add(-1)
	return false
}

// thread makes calls until the engine closes. It is a goroutine: one that is
// in a call has a thread to itself.
func (e *Engine) thread() {
	defer total.Add(-1)
	var vec unix.Iovec
	e.mu.Lock()
	defer e.mu.Unlock()
	for {
		slot, ok := e.next()
		if !ok {
			return
		}
		e.chain(slot, &vec)
	}
}

// next takes a chain from the queue, waiting for one; ok is false when there
// will be none. The caller holds mu.
func (e *Engine) next() (slot uint32, ok bool) {
	for e.queue.n == 0 {
		if e.closing {
			return 0, false
		}
		e.idle++
		e.work.Wait()
	}
	return e.queue.pop(), true
}

// chain performs a slot's operation and those linked to it. The caller holds
// mu, which is free during the calls.
func (e *Engine) chain(slot uint32, vec *unix.Iovec) {
	for broken := false; ; {
		j := &e.jobs[slot]
		res := helper.Canceled
		if !broken && !j.canceled {
			e.mu.Unlock()
			res = call(e.fs, &j.op, vec)
			e.mu.Lock()
		}
		linked, next := j.linked, j.next
		broken = linked && (res < 0 || j.op.Code.Transfers() && res < int64(len(j.op.Buf)))
		e.post(slot, res)
		if !linked {
			return
		}
		slot = next
	}
}

// post records a completion, after which the slot may be used again. The caller
// holds mu, which is free while the owner is woken.
func (e *Engine) post(slot uint32, res int64) {
	e.done = append(e.done, engine.Completion{Slot: slot, Res: res})
	if e.want == 0 || len(e.done) < e.want {
		return
	}
	e.want = 0
	e.mu.Unlock()
	e.bell.Ring()
	e.mu.Lock()
}

// ring is a queue of slots with room for all.
type ring struct {
	buf  []uint32
	head int
	n    int
}

func newRing(size int) ring { return ring{buf: make([]uint32, size)} }

func (r *ring) push(slot uint32) {
	r.buf[(r.head+r.n)%len(r.buf)] = slot
	r.n++
}

func (r *ring) pop() uint32 {
	slot := r.buf[r.head]
	r.head = (r.head + 1) % len(r.buf)
	r.n--
	return slot
}
