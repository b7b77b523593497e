package sim

// tag says whose operation something is: a worker and its slot.
type tag uint64

func newTag(worker int, slot uint32) tag { return tag(worker)<<32 | tag(slot) }

func (t tag) worker() int  { return int(t >> 32) }
func (t tag) slot() uint32 { return uint32(t) }

// flushTag is the flush that many fsyncs wait for.
const flushTag = ^tag(0)

// event is something that ends at a known time.
type event struct {
	at     int64
	seq    uint64 // of equally late events the one made first comes first
	tag    tag
	served bool // a server is free again
}

func (e *event) before(o *event) bool {
	return e.at < o.at || e.at == o.at && e.seq < o.seq
}

// events is a heap with the earliest at its root. Every operation goes through it, and package heap's, which
// compares by calls, takes half as long again.
type events struct {
	heap []event
	seq  uint64
}

func (h *events) push(at int64, t tag, served bool) {
	h.seq++
	e := event{at: at, seq: h.seq, tag: t, served: served}
	h.heap = append(h.heap, e)
	i := len(h.heap) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !e.before(&h.heap[up]) {
			break
		}
		h.heap[i] = h.heap[up]
		i = up
	}
	h.heap[i] = e
}

func (h *events) pop() event {
	root := h.heap[0]
	n := len(h.heap) - 1
	e := h.heap[n]
	h.heap = h.heap[:n]
	if n == 0 {
		return root
	}
	i := 0
	for {
		down := 2*i + 1
		if down >= n {
			break
		}
		if right := down + 1; right < n && h.heap[right].before(&h.heap[down]) {
			down = right
		}
		if !h.heap[down].before(&e) {
			break
		}
		h.heap[i] = h.heap[down]
		i = down
	}
	h.heap[i] = e
	return root
}
