package verify

// Tally is what one checker has seen. The zero value is ready; one goroutine owns it.
type Tally struct {
	Checked    int64 // blocks that were judged
	Bytes      int64 // in them
	Mismatches int64 // of them
	Unsettled  int64 // blocks that were written while they were read, or by writes that overlapped
	Unknown    int64 // blocks of which nothing is known
	Otherwise  int64 // of those checked, the blocks that were written with another method, and are checked by that
	First      []Mismatch
}

// mostShown is how many mismatches are kept in full.
const mostShown = 8

// Add adds what another has seen.
func (t *Tally) Add(o *Tally) {
	t.Checked += o.Checked
	t.Bytes += o.Bytes
	t.Mismatches += o.Mismatches
	t.Unsettled += o.Unsettled
	t.Unknown += o.Unknown
	t.Otherwise += o.Otherwise
	t.First = append(t.First, o.First[:min(len(o.First), mostShown-len(t.First))]...)
}

// Token is what was known when a read began.
type Token struct {
	writes uint64 // all that had begun of its blocks
	busy   bool   // some were in flight
}

// Busy says that some of the blocks were being written.
func (t Token) Busy() bool { return t.busy }

// Reading begins a read.
func (f *File) Reading(off, n int64) (t Token) {
	first, end := f.inside(off, n)
	var e entry
	for w := f.table.walk(first, end); w.next(&e); {
		t.writes += uint64(e.high)
		t.busy = t.busy || e.flying > 0
	}
	return t
}

// Read judges what a read that began with t got. It returns the number of mismatches.
func (f *File) Read(b []byte, off int64, t Token, tally *Tally) (mismatches int64) {
	first, end := f.inside(off, int64(len(b)))
	if f.Blind {
		f.pretend(b, off, first, end, tally)
		return 0
	}
	if t.busy || f.Reading(off, int64(len(b))) != t {
		tally.Unsettled += end - first
		return 0
	}
	before := tally.Mismatches
	for u := first; u < end; u++ {
		at := u*f.Interval - off
		m := f.judge(b[at:at+f.Interval], u, tally)
		switch {
		case m == nil:
		case m.pardoned || f.Reading(off, int64(len(b))) != t: // another thread has written it since
			tally.Unsettled++
		default:
			tally.add(m, b[at:at+f.Interval])
		}
	}
	return tally.Mismatches - before
}

// add counts a mismatch of a block.
func (t *Tally) add(m *Mismatch, have []byte) {
	t.Mismatches++
	if len(t.First) < mostShown {
		m.Have = append([]byte(nil), have...)
		t.First = append(t.First, *m)
	}
}

// pretend does the work of checking where there is nothing to check.
func (f *File) pretend(b []byte, off, first, end int64, tally *Tally) {
	for u := first; u < end; u++ {
		at := u*f.Interval - off
		block := b[at : at+f.Interval]
		_, _ = parse(block)
		f.Method.matches(block)
	}
	tally.Unknown += end - first
}

// known is what the block's generation may be, from low to high; low = 0 says that it can't
// be judged.
func (f *File) known(unit int64) (low, high uint32) {
	s := f.table.stripe(unit)
	s.Lock()
	defer s.Unlock()
	var e entry
	if b := f.table.at(unit); b != nil {
		e.load(b)
	}
	if e.flying > 0 {
		return 0, 0
	}
	return e.low(), e.high
}

// judge says in what a block is not what it must be; nil if it is.
func (f *File) judge(b []byte, unit int64, tally *Tally) *Mismatch {
	low, high := f.known(unit)
	if low == 0 && f.Foreign {
		low, high = f.claimed(b)
	}
	if low == 0 {
		tally.Unknown++
		return nil
	}
	tally.Checked++
	tally.Bytes += f.Interval
	if f.whole(b, unit, low, high, tally) {
		return nil
	}
	m := f.explain(b, unit, low, high)
	return &m
}

// whole says whether a block is that of one of the generations from low to high.
func (f *File) whole(b []byte, unit int64, low, high uint32, tally *Tally) bool {
	if f.Method == Pattern {
		return f.patterned(b, unit)
	}
	h, ok := parse(b)
	if ok && h.method != f.Method {
		tally.Otherwise++
	}
	return ok && h.offset == unit*f.Interval && h.seed == f.seed && int64(h.length) == f.Interval &&
		(h.generation-low <= high-low || f.newer(h.generation, high)) && h.method.matches(b)
}

// newer says whether a generation is one that a program wrote which died before it could say so.
func (f *File) newer(generation, high uint32) bool {
	return f.State != nil && f.State.crashed && int32(generation-high) > 0
}

// claimed is what a block that nothing is known of must be, if it says that it is one.
func (f *File) claimed(b []byte) (low, high uint32) {
	switch {
	case f.Expect > 0:
		return f.Expect, f.Expect
	case f.Method == Pattern || marked(b):
		return 1, 1<<32 - 1
	}
	return 0, 0
}
