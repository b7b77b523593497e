package verify

import (
	"encoding/binary"
	"sync"
	"sync/atomic"
)

// entry is what is known of a block. The content is one of the generations from low to
// high; low = 0 says that nothing is known, or that nothing was written.
type entry struct {
	high      uint32 // the latest that was begun
	span      uint16 // high − low; noSpan: low is 0
	contested bool   // writes in flight have overlapped, or one has failed
	flying    uint16 // writes in flight
	durable   uint32 // a generation that is sure to outlive the machine; 0: none is
	epoch     uint32 // in which low completed: it is durable when a sync of this epoch has completed
}

const (
	noSpan    = 1<<16 - 1
	maxFlying = 1<<15 - 1
	entrySize = 16
)

func (e *entry) low() uint32 {
	if e.span == noSpan {
		return 0
	}
	return e.high - uint32(e.span)
}

func (e *entry) setLow(low uint32) {
	e.span = noSpan
	if d := e.high - low; low != 0 && d < noSpan {
		e.span = uint16(d)
	}
}

// begin notes a write and returns its generation.
func (e *entry) begin() uint32 {
	e.contested = e.contested || e.flying > 0
	if e.flying < maxFlying {
		e.flying++ // so many at once are never all seen to end: the block stays contested
	}
	if e.high++; e.high == 0 {
		*e = entry{high: 1, flying: e.flying, contested: true, span: noSpan}
	}
	if e.span < noSpan {
		e.span++
	}
	return e.high
}

// end notes that a write has completed. Of several that overlapped, any may have been the last.
func (e *entry) end(ok bool, epoch, synced uint32) {
	e.contested = e.contested || !ok
	if e.flying < maxFlying {
		e.flying--
	}
	if e.flying > 0 {
		return
	}
	if !e.contested {
		if e.epoch <= synced {
			e.durable = e.low()
		}
		e.epoch, e.span = epoch, 0
	}
	e.contested = false
}

// forget says that the content may be anything now.
func (e *entry) forget() {
	if e.high > 0 {
		e.span, e.durable = noSpan, 0
	}
}

// survive makes of an entry that a dead program left what the next one can rely on.
func (e *entry) survive(powerCut bool, synced uint32) {
	e.flying, e.contested = 0, false
	if !powerCut {
		return
	}
	if e.epoch <= synced {
		e.durable = e.low()
	}
	e.setLow(e.durable)
	e.epoch = 0
}

func (e *entry) load(b []byte) {
	a := binary.LittleEndian.Uint64(b)
	e.high, e.span, e.contested, e.flying = uint32(a>>32), uint16(a>>16), a>>15&1 == 1, uint16(a&maxFlying)
	d := binary.LittleEndian.Uint64(b[8:])
	e.durable, e.epoch = uint32(d>>32), uint32(d)
}

// store writes what durability rests on first: a copy that the kernel takes in between
// then claims less, and not more.
func (e *entry) store(b []byte) {
	binary.LittleEndian.PutUint64(b[8:], uint64(e.durable)<<32|uint64(e.epoch))
	a := uint64(e.high)<<32 | uint64(e.span)<<16 | uint64(e.flying)
	if e.contested {
		a |= 1 << 15
	}
	binary.LittleEndian.PutUint64(b, a)
}

// Entries are kept in chunks that come into being when they are first needed.
const (
	chunkUnits = 1 << 16
	chunkSize  = chunkUnits * entrySize
	maxChunks  = 1 << 20 // bounds the list of them
)

// table holds the entries of a file's blocks, by their number.
type table struct {
	chunks  atomic.Pointer[[][]byte] // nil where there is none yet
	mu      sync.Mutex               // held to make one
	make    func(chunk int) ([]byte, error)
	stripes [numStripes]stripe
}

const (
	numStripes  = 256
	stripeUnits = 64 // blocks one behind the other that have a lock in common
)

// stripe is a lock on a cache line of its own.
type stripe struct {
	sync.Mutex
	_ [56]byte
}

func (t *table) stripe(unit int64) *stripe { return &t.stripes[unit/stripeUnits%numStripes] }

// at is where a block's entry is kept; nil if it has none. Its stripe guards it.
func (t *table) at(unit int64) []byte {
	chunks := t.chunks.Load()
	if i := unit / chunkUnits; chunks != nil && i < int64(len(*chunks)) && (*chunks)[i] != nil {
		return (*chunks)[i][unit%chunkUnits*entrySize:]
	}
	return nil
}

// reach makes room for the entries of blocks from first to last.
func (t *table) reach(first, last int64) error {
	for i := first / chunkUnits; i <= last/chunkUnits; i++ {
		if t.at(i*chunkUnits) == nil {
			if err := t.add(int(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *table) add(i int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.at(int64(i)*chunkUnits) != nil {
		return nil
	}
	c, err := t.make(i)
	if err != nil {
		return err
	}
	var chunks [][]byte
	if old := t.chunks.Load(); old != nil {
		chunks = append(chunks, *old...)
	}
	for len(chunks) <= i {
		chunks = append(chunks, nil)
	}
	chunks[i] = c
	t.chunks.Store(&chunks)
	return nil
}

// walk goes through the entries of blocks one behind the other, a stripe at a time and
// under its lock.
type walk struct {
	t    *table
	unit int64 // the present block
	end  int64
	s    *stripe
	b    []byte // its entry; nil if it has none
}

// walk goes from block first to before end.
func (t *table) walk(first, end int64) walk { return walk{t: t, unit: first - 1, end: end} }

// next loads the next block's entry; false when there is no other.
func (w *walk) next(e *entry) bool {
	w.unit++
	if w.s != nil && (w.unit == w.end || w.unit%stripeUnits == 0) {
		w.s.Unlock()
		w.s = nil
	}
	if w.unit >= w.end {
		return false
	}
	if w.s == nil {
		w.s = w.t.stripe(w.unit)
		w.s.Lock()
	}
	if w.b = w.t.at(w.unit); w.b == nil {
		*e = entry{}
		return true
	}
	e.load(w.b)
	return true
}

// keep stores the present block's entry.
func (w *walk) keep(e *entry) {
	if w.b != nil {
		e.store(w.b)
	}
}

// stop ends the walk early.
func (w *walk) stop() {
	w.s.Unlock()
	w.end = w.unit
}
