package run

import (
	"fmt"

	"moonio/engine"
)

// submit hands the queued operations over. The service time of all begins with that: a slot whose operation waits
// while others are handed over is in use.
func (w *Worker) submit() error {
	w.watch.leave(w)
	batch := w.takes()
	if len(batch) == 0 {
		return nil
	}
	at := w.watch.left
	for rest := batch; ; {
		n := w.piece(rest, len(batch)-len(rest))
		if err := w.hand(rest[:n], at); err != nil {
			return err
		}
		if rest = rest[n:]; len(rest) == 0 {
			break
		}
		if w.p.s.Virtual { // time stands still here
			continue
		}
		if _, err := w.eng.Wait(nil, 0, at); err != nil {
			return fmt.Errorf("handing over %d operations: %w", n, err)
		}
	}
	w.queue = w.queue[:copy(w.queue, w.queue[len(batch):])]
	return nil
}

// hand gives operations to the engine.
func (w *Worker) hand(batch []uint32, at int64) error {
	for _, i := range batch {
		w.slots[i].submitted = at
	}
	if w.tap != nil {
		w.tell(batch)
	}
	if err := w.eng.Submit(w.ops, batch); err != nil {
		return fmt.Errorf("submitting %d operations: %w", len(batch), err)
	}
	if w.inline || w.detail != nil {
		w.took = w.eng.Now()
	}
	if w.detail != nil && w.solo == nil {
		w.detail.submitted(w, batch)
	}
	w.flying += len(batch)
	return nil
}

// piece is how many of the operations to hand over in the next call, after those that were just
// now handed over. A device that is slower than the calls is given the first at once and begins
// while the next are prepared: three times as many as it has been given, so that it does not run out of work, in
// a few calls. At least it is as many as complete in the time that a call may cost, and all where
// they complete there and then. Linked operations stay together.
func (w *Worker) piece(batch []uint32, given int) int {
	n := min(len(batch), w.call)
	if !w.inline && !w.p.s.Virtual && w.gap > 0 {
		n = int(min(int64(n), max(3*int64(given), 1+handover/w.gap)))
	}
	for n < len(batch) && w.ops[batch[n-1]].Flags&engine.Link != 0 {
		n++
	}
	return n
}

// handover, in nanoseconds, is ten times what a call to hand operations over costs.
const handover = 5000

// takes is what of the queue the engine has room for. The rest is submitted, and its
// service time begins, when others have completed. Linked operations stay together.
func (w *Worker) takes() []uint32 {
	if w.depth == 0 {
		return w.queue
	}
	n := max(0, min(w.depth-w.flying, len(w.queue)))
	for n > 0 && n < len(w.queue) && w.ops[w.queue[n-1]].Flags&engine.Link != 0 {
		n++
	}
	return w.queue[:n]
}
