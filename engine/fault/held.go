package fault

// held is the completions that are held back, the one that is due first at the
// root. Of equals the first comes first.
type held struct {
	heap []completion
	seq  uint64
}

type completion struct {
	due  int64
	seq  uint64
	slot uint32
	res  int64
}

func (c *completion) before(o *completion) bool {
	return c.due < o.due || c.due == o.due && c.seq < o.seq
}

func (h *held) push(due int64, slot uint32, res int64) {
	h.seq++
	h.heap = append(h.heap, completion{due: due, seq: h.seq, slot: slot, res: res})
	h.up(len(h.heap) - 1)
}

func (h *held) pop() completion {
	root := h.heap[0]
	last := len(h.heap) - 1
	h.heap[0] = h.heap[last]
	h.heap = h.heap[:last]
	h.down(0)
	return root
}

func (h *held) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !h.heap[i].before(&h.heap[parent]) {
			return
		}
		h.heap[i], h.heap[parent] = h.heap[parent], h.heap[i]
		i = parent
	}
}

func (h *held) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(h.heap) {
			return
		}
		if right := child + 1; right < len(h.heap) && h.heap[right].before(&h.heap[child]) {
			child = right
		}
		if !h.heap[child].before(&h.heap[i]) {
			return
		}
		h.heap[i], h.heap[child] = h.heap[child], h.heap[i]
		i = child
	}
}

// find is the place of a slot's completion, or -1.
func (h *held) find(slot uint32) int {
	for i := range h.heap {
		if h.heap[i].slot == slot {
			return i
		}
	}
	return -1
}
