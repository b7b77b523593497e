package run

import (
	"moonio/engine"
	"moonio/engine/internal/heap"
)

// timers are clients by the time they wake, first come first served among equals. The
// zero value is ready.
type timers struct {
	heap heap.Heap[timer]
	seq  uint64
}

type timer struct {
	at   int64
	seq  uint64
	task *Task
}

func (a timer) Before(b timer) bool { return a.at < b.at || a.at == b.at && a.seq < b.seq }

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
	h.heap.Push(timer{at, h.seq, t})
}

// due takes out the first client whose time has come; nil if there is none.
func (h *timers) due(now int64) *Task {
	if len(h.heap) == 0 || h.heap[0].at > now {
		return nil
	}
	return h.heap.Pop().task
}
