package profile

import (
	"math/bits"

	"moonio/engine/trace"
)

// blocks is a set of blocks that were read and one of blocks that were written. It is exact,
// bitmaps of 64 blocks in a hash table, until they would be more than limit; from then
// on it is an estimate.
type blocks struct {
	limit   int
	table   []region // a power of two of them, or none yet
	used    int
	shift   uint   // 64 less log2 of the table's size
	now     uint64 // key of the region used last, and where it is
	at      int
	sketch  *[3]sketch // read, written, either; nil while exact
	overrun bool
}

// region is 64 blocks, 256 KiB, of a file.
type region struct {
	key  uint64 // 0: none
	bits [2]uint64
}

const (
	maxRegions = 3 << 19 // 1.5 Mi regions in a table of 2 Mi, which is 48 MiB
	fileShift  = 44      // regions of a file have numbers below 2^44
)

func regionKey(f trace.ID, number uint64) uint64 { return uint64(f)<<fileShift + number + 1 }

// add adds blocks first to last of a file.
func (b *blocks) add(f trace.ID, dir int, first, last uint64) {
	if b.sketch != nil {
		b.estimate(f, dir, first, last)
		return
	}
	for n := first >> 6; n <= last>>6; n++ {
		mask := ^uint64(0)
		if n == first>>6 {
			mask <<= first & 63
		}
		if n == last>>6 {
			mask &= ^uint64(0) >> (63 - last&63)
		}
		key := regionKey(f, n)
		if b.now != key && !b.find(key) {
			b.estimate(f, dir, max(first, n<<6), last)
			return
		}
		b.table[b.at].bits[dir] |= mask
	}
}

// find makes now and at those of a key. It says false when there is no more room, and
// the set is an estimate from now on.
func (b *blocks) find(key uint64) bool {
	if b.used >= len(b.table)*3/4 && !b.grow() {
		return false
	}
	i := b.slot(key)
	if b.table[i].key == 0 {
		b.table[i].key = key
		b.used++
	}
	b.now, b.at = key, i
	return true
}

// slot is where a key is, or belongs.
func (b *blocks) slot(key uint64) int {
	i := int(key * golden >> b.shift)
	for b.table[i].key != 0 && b.table[i].key != key {
		i = (i + 1) & (len(b.table) - 1)
	}
	return i
}

const golden = 0x9e3779b97f4a7c15

func (b *blocks) grow() bool {
	if b.used >= b.limit {
		b.giveUp()
		return false
	}
	old := b.table
	n := max(1024, 2*len(old))
	b.table, b.shift = make([]region, n), uint(64-bits.Len(uint(n-1)))
	for _, r := range old {
		if r.key != 0 {
			b.table[b.slot(r.key)] = r
		}
	}
	b.now = 0
	return true
}

// giveUp goes over to an estimate.
func (b *blocks) giveUp() {
	b.sketch = new([3]sketch)
	for _, r := range b.table {
		if r.key == 0 {
			continue
		}
		f, n := trace.ID((r.key-1)>>fileShift), (r.key-1)&(1<<fileShift-1)
		for dir, set := range r.bits {
			for ; set != 0; set &= set - 1 {
				at := n<<6 + uint64(bits.TrailingZeros64(set))
				b.estimate(f, dir, at, at)
			}
		}
	}
	b.overrun = true
	b.table, b.used, b.now = nil, 0, 0
}

func (b *blocks) estimate(f trace.ID, dir int, first, last uint64) {
	for n := first; n <= last; n++ {
		h := blockHash(f, n)
		b.sketch[dir].add(h)
		b.sketch[2].add(h)
	}
}

// unique is how many blocks were read, were written, and were either.
func (b *blocks) unique() (read, written, either int64) {
	if b.sketch != nil {
		return b.sketch[reading].count(), b.sketch[writing].count(), b.sketch[2].count()
	}
	for _, r := range b.table {
		read += int64(bits.OnesCount64(r.bits[reading]))
		written += int64(bits.OnesCount64(r.bits[writing]))
		either += int64(bits.OnesCount64(r.bits[reading] | r.bits[writing]))
	}
	return read, written, either
}

// extent is how many blocks were read, were written, and were either.
type extent [3]int64

// ofFiles is the extents of files, while the set is exact.
func (b *blocks) ofFiles(n int) []extent {
	list := make([]extent, n)
	for _, r := range b.table {
		if f := (r.key - 1) >> fileShift; r.key != 0 && f < uint64(n) {
			e := &list[f]
			e[reading] += int64(bits.OnesCount64(r.bits[reading]))
			e[writing] += int64(bits.OnesCount64(r.bits[writing]))
			e[2] += int64(bits.OnesCount64(r.bits[reading] | r.bits[writing]))
		}
	}
	return list
}

// reset empties the set. It keeps a table that is not much too large.
func (b *blocks) reset() {
	if len(b.table) > 4096 && b.used*16 < len(b.table) {
		b.table = nil
	}
	clear(b.table)
	b.used, b.now, b.sketch = 0, 0, nil
}

// blockHash spreads blocks evenly over 64 bits.
func blockHash(f trace.ID, block uint64) uint64 {
	h := block + uint64(f)*0xd6e8feb86659fd93
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}
