package profile

import "moonio/engine/trace"

// places is which blocks of 4 KiB are read and written, how often, and again how soon.
type places struct {
	all     blocks
	minute  blocks // of the present minute
	index   int64  // of it
	minutes workingSet
	sample  sample
	heat    heat
	touched int64 // accesses to blocks
}

// workingSet sums up the blocks that were touched in each minute with an I/O in it.
type workingSet struct{ windows, sum, most int64 }

const (
	blockBits = 12
	blockSize = 1 << blockBits
)

func (p *places) init() {
	p.all.limit, p.minute.limit = maxRegions, maxRegions/32
	p.sample.init()
}

// add counts an I/O of n bytes at off, and returns how many blocks it touches. An empty one touches none.
func (p *places) add(t int64, f trace.ID, dir int, off, n int64) int64 {
	if i := t / 60e9; i != p.index {
		p.endMinute()
		p.index = i
	}
	if n == 0 {
		return 0
	}
	first, last := uint64(off)>>blockBits, uint64(off+n-1)>>blockBits
	blocks := int64(last - first + 1)
	p.touched += blocks
	p.all.add(f, dir, first, last)
	p.minute.add(f, dir, first, last)
	p.sample.add(f, dir, first, last)
	p.heat.add(off, dir)
	return blocks
}

func (p *places) endMinute() {
	_, _, union := p.minute.unique()
	p.minute.reset()
	if union == 0 {
		return
	}
	w := &p.minutes
	w.windows++
	w.sum += union
	w.most = max(w.most, union)
}

// heat counts I/Os over addresses in bins that double their width when addresses outgrow them.
type heat struct {
	shift  uint
	counts [heatBins][2]int64
}

const heatBins = 1024

func (h *heat) add(off int64, dir int) {
	for off>>h.shift >= heatBins {
		c := &h.counts
		for i := range heatBins / 2 {
			c[i] = [2]int64{c[2*i][0] + c[2*i+1][0], c[2*i][1] + c[2*i+1][1]}
		}
		clear(c[heatBins/2:])
		h.shift++
	}
	h.counts[off>>h.shift][dir]++
}
