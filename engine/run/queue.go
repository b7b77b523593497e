package run

import (
	"fmt"

	"moonio/engine"
)

// Queue lets one client have several operations in flight: it submits now and
// waits later. It belongs to its client.
type Queue struct {
	t        *Task
	depth    int
	inflight int
	until    int       // the client waits until so few are in flight; -1: it does not wait
	chain    []Request // linked operations, held until the last of them is there
	held     []Request // asked for when the queue was full
	done     int64     // completed since the last wait
	failed   int64     // of them
}

// NewQueue makes a queue that keeps at most depth operations in flight.
func (t *Task) NewQueue(depth int) (*Queue, error) {
	if depth < 1 || depth > queueSlots {
		return nil, fmt.Errorf("a queue of depth %d: from 1 to %d are possible", depth, queueSlots)
	}
	q := &Queue{t: t, depth: depth, until: -1}
	t.fresh = append(t.fresh, q)
	return q, nil
}

// Settle waits for what queues that were made in the present turn have in flight: a turn is not
// over before that is done. It says false when there is nothing to wait for.
func (t *Task) Settle() (waits bool, err error) {
	for n := len(t.fresh) - 1; n >= 0; n-- {
		if err := t.fresh[n].Wait(-1); err != nil || t.waiting {
			return t.waiting, err
		}
		t.fresh = t.fresh[:n]
	}
	return false, nil
}

// InFlight is how many operations have been submitted and not completed.
func (q *Queue) InFlight() int { return q.inflight }

// Submit starts an operation. It waits only if the queue is full; then the
// operation starts when there is room, and the client goes on. A request with
// engine.Link is held back until the one that ends the chain is there.
func (q *Queue) Submit(r Request) error {
	if err := r.check(); err != nil {
		return err
	}
	q.chain = append(q.chain, r)
	if len(q.chain) > q.depth {
		return fmt.Errorf("a chain of %d linked operations does not fit a queue of depth %d", len(q.chain), q.depth)
	}
	if r.Flags&engine.Link != 0 {
		return nil
	}
	if q.inflight+len(q.chain) > q.depth {
		q.held, q.chain = append(q.held[:0], q.chain...), q.chain[:0]
		q.wait(q.depth - len(q.held))
		return nil
	}
	err := q.start(q.chain)
	q.chain = q.chain[:0]
	return err
}

func (q *Queue) start(chain []Request) error {
	q.inflight += len(chain)
	return q.t.w.start(q.t, q, chain)
}

// Wait waits until at least n of the operations in flight have completed; with
// n < 0 or more than there are, until all have.
func (q *Queue) Wait(n int) error {
	if len(q.chain) > 0 {
		return fmt.Errorf("the last operation is linked to one that never came: end the chain with an operation that is not linked")
	}
	left := q.inflight - n
	if n < 0 || left < 0 {
		left = 0
	}
	q.wait(left)
	return nil
}

func (q *Queue) wait(left int) {
	if q.inflight > left {
		q.until = left
		q.t.waiting = true
	}
}

// Completed is how many operations have completed since the last call, and
// how many of them failed.
func (q *Queue) Completed() (done, failed int64) {
	done, failed = q.done, q.failed
	q.done, q.failed = 0, 0
	return done, failed
}

func (q *Queue) completed(w *Worker, slot uint32, res int64) {
	w.release(slot)
	q.inflight--
	q.done++
	if res < 0 {
		q.failed++
	}
	if q.until < 0 || q.inflight > q.until {
		return
	}
	q.until = -1
	if len(q.held) > 0 {
		if err := q.start(q.held); err != nil {
			w.p.fail(err)
		}
		q.held = q.held[:0]
	}
	w.runnable = append(w.runnable, q.t)
}
