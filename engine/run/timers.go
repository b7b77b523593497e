package run

import "moonio/engine"

// timers is a heap of clients by the time they wake, first come first served
// among equals. The zero value is ready.
type timers struct {
	heap []timer
	seq  uint64
}

type timer struct {
	at   int64
	seq  uint64
	task *Task
}

func (a timer) before(b timer) bool { return a.at < b.at || a.at == b.at && a.seq < b.seq }

func (h *timers) len() int { return len(h.heap) }

// next is when the first is due.
func (h *timers) next() int64 {
	if len(h.heap) == 0 {
		return engine.NoDeadline
	}
	return h.heap[0].at
}

func (h *timers) add(at int64, t *Task) {
	h.seq++
	h.heap = append(h.heap, timer{at, h.seq, t})
	for i := len(h.heap) - 1; i > 0; {
		up := (i - 1) / 2
		if !h.heap[i].before(h.heap[up]) {
			return
		}
		h.heap[i], h.heap[up] = h.heap[up], h.heap[i]
		i = up
	}
}

// due takes out the first client whose time has come; nil if there is none.
func (h *timers) due(now int64) *Task {
	if len(h.heap) == 0 || h.heap[0].at > now {
		return nil
	}
	t := h.heap[0].task
	last := len(h.heap) - 1
	h.heap[0] = h.heap[last]
	h.heap[last] = timer{}
	h.heap = h.heap[:last]
	for i := 0; ; {
		down := 2*i + 1
		if down >= last {
			return t
		}
		if down+1 < last && h.heap[down+1].before(h.heap[down]) {
			down++
		}
		if !h.heap[down].before(h.heap[i]) {
			return t
		}
		h.heap[i], h.heap[down] = h.heap[down], h.heap[i]
		i = down
	}
}
