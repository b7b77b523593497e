package fault

import "moonio/engine/internal/heap"

// held is the completions that are held back, by when they are due. Of equals the
// first comes first.
type held struct {
	heap heap.Heap[completion]
	seq  uint64
}

type completion struct {
	due  int64
	seq  uint64
	slot uint32
	res  int64
}

// Before says whether c is to be handed out before o.
func (c completion) Before(o completion) bool {
	return c.due < o.due || c.due == o.due && c.seq < o.seq
}

func (h *held) push(due int64, slot uint32, res int64) {
	h.seq++
	h.heap.Push(completion{due: due, seq: h.seq, slot: slot, res: res})
}

// hasten makes a slot's completion due.
func (h *held) hasten(slot uint32) {
	for i := range h.heap {
		if h.heap[i].slot == slot {
			h.heap[i].due = 0
			h.heap.Up(i)
			return
		}
	}
}
