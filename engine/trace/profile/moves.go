package profile

import (
	"math/bits"

	"moonio/engine/trace"
)

// moves is how I/Os follow each other: within a stream, a file and a direction, one
// either begins where the one before ended, or somewhere else.
type moves struct {
	heads map[uint64]*head
	key   uint64 // of the head used last
	now   *head

	follows   [2]int64
	runs      [2]runs
	forward   [64]int64 // by bits.Len64 of the distance
	backward  [64]int64
	forgotten int64 // how often all heads were given up for want of room
}

// head is where a stream's reads, or writes, of a file have got to.
type head struct {
	end   int64
	run   int64 // I/Os in the present run
	bytes int64
	dir   int
}

// runs are sequential runs that have ended.
type runs struct {
	count, ios, bytes int64
	alone             int64 // of one I/O
	longest           int64
	log2              [64]int64 // by bits.Len64 of the I/Os
}

// maxHeads bounds how many heads are kept at a time.
const maxHeads = 1 << 16

func (m *moves) init() { m.heads = map[uint64]*head{} }

// add counts an I/O and says whether it follows the one before.
func (m *moves) add(s trace.ID, f trace.ID, dir int, off, end int64) bool {
	key := uint64(s)<<32 | uint64(f)<<1 | uint64(dir)
	h := m.now
	if h == nil || m.key != key {
		var ok bool
		if h, ok = m.heads[key]; !ok {
			m.start(key, dir, end, end-off)
			return false
		}
		m.key, m.now = key, h
	}
	n := end - off
	if off == h.end {
		m.follows[dir]++
		h.run++
		h.bytes += n
		h.end = end
		return true
	}
	m.seek(off - h.end)
	m.runs[dir].ended(h)
	h.end, h.run, h.bytes = end, 1, n
	return false
}

func (m *moves) start(key uint64, dir int, end, n int64) {
	if len(m.heads) >= maxHeads {
		m.close()
		clear(m.heads)
		m.forgotten++
	}
	h := &head{end: end, run: 1, bytes: n, dir: dir}
	m.heads[key] = h
	m.key, m.now = key, h
}

func (m *moves) seek(d int64) {
	if d < 0 {
		m.backward[bits.Len64(uint64(-d))]++
		return
	}
	m.forward[bits.Len64(uint64(d))]++
}

// close ends all runs.
func (m *moves) close() {
	for _, h := range m.heads {
		m.runs[h.dir].ended(h)
		h.run, h.bytes = 0, 0
	}
}

func (r *runs) ended(h *head) {
	if h.run == 0 {
		return
	}
	r.count++
	r.ios += h.run
	r.bytes += h.bytes
	r.longest = max(r.longest, h.run)
	r.log2[bits.Len64(uint64(h.run))]++
	if h.run == 1 {
		r.alone++
	}
}
