package profile

import (
	"cmp"
	"math/bits"
	"slices"

	"moonio/engine/trace"
)

// sample follows some of the blocks closely: those whose hash is below a limit, which halves
// whenever they become too many (SHARDS: Waldspurger and others, Efficient MRC construction
// with SHARDS, FAST 2015). Until the first halving it follows all.
//
// The distance of an access is how many different blocks were accessed since the last
// access to the same block. A Fenwick tree over the order of last accesses counts them.
type sample struct {
	halvings uint
	table    []followed // a power of two
	used     int
	tree     [maxOrder + 1]uint32 // from 1
	owner    [maxOrder + 1]uint32 // index in the table, plus 1, of the block last accessed then
	now      int                  // places in the order that have been given out

	distances [64]int64 // by bits.Len64, each counted as often as it stands for
	first     int64     // accesses that were the first of their block, likewise
}

// followed is a block that is followed.
type followed struct {
	hash   uint64
	counts [2]int64 // accesses by direction; both 0: none here
	order  uint32
	file   trace.ID
}

func (b *followed) empty() bool { return b.counts == [2]int64{} }

const (
	maxFollowed = 1 << 15
	tableBits   = 16
	maxOrder    = 1 << 16
)

func (s *sample) init() { s.table = make([]followed, 1<<tableBits) }

// rate is the share of the blocks that are followed.
func (s *sample) rate() float64 { return 1 / float64(int64(1)<<s.halvings) }

func (s *sample) add(f trace.ID, dir int, first, last uint64) {
	for n := first; n <= last; n++ {
		if h := blockHash(f, n); h>>(64-s.halvings) == 0 {
			s.access(h, f, dir)
		}
	}
}

func (s *sample) access(h uint64, f trace.ID, dir int) {
	if s.now == maxOrder {
		s.rebuild()
	}
	i := s.slot(h)
	b := &s.table[i]
	weight := int64(1) << s.halvings
	if b.empty() {
		if s.used == maxFollowed {
			s.halvings++
			s.rebuild()
			if h>>(64-s.halvings) == 0 {
				s.access(h, f, dir)
			}
			return
		}
		s.used++
		b.hash, b.file = h, f
		s.first += weight
	} else {
		s.distances[bits.Len64(uint64(s.since(b.order)*weight))] += weight
		s.move(b.order, ^uint32(0))
		s.owner[b.order] = 0
	}
	b.counts[dir]++
	s.now++
	b.order = uint32(s.now)
	s.owner[s.now] = uint32(i) + 1
	s.move(b.order, 1)
}

func (s *sample) slot(h uint64) int {
	i := int(h * golden >> (64 - tableBits))
	for !s.table[i].empty() && s.table[i].hash != h {
		i = (i + 1) & (1<<tableBits - 1)
	}
	return i
}

// move adds to the tree at a place: 1, or 2^32-1 to take one away.
func (s *sample) move(at, by uint32) {
	for ; at <= maxOrder; at += at & -at {
		s.tree[at] += by
	}
}

// since is how many blocks were accessed after a place in the order.
func (s *sample) since(at uint32) int64 {
	var before uint32
	for ; at > 0; at &= at - 1 {
		before += s.tree[at]
	}
	return int64(s.used) - int64(before)
}

// rebuild leaves out the blocks whose hash is no longer below the limit, and numbers the order anew.
func (s *sample) rebuild() {
	old, owner := s.table, s.owner
	s.table, s.used, s.now = make([]followed, len(old)), 0, 0
	clear(s.tree[:])
	clear(s.owner[:])
	for _, o := range owner {
		if o == 0 || old[o-1].hash>>(64-s.halvings) != 0 {
			continue
		}
		b := old[o-1]
		s.used++
		s.now++
		b.order = uint32(s.now)
		i := s.slot(b.hash)
		s.table[i] = b
		s.owner[s.now] = uint32(i) + 1
		s.move(b.order, 1)
	}
}

// counts are the accesses of the blocks that are followed, the hottest first.
func (s *sample) counts() []int64 {
	list := make([]int64, 0, s.used)
	for i := range s.table {
		if n := s.table[i].both(); n > 0 {
			list = append(list, n)
		}
	}
	descending(list)
	return list
}

// ofFiles are the accesses of the blocks of each of the first n files, by direction, the hottest first.
func (s *sample) ofFiles(n int) [][2][]int64 {
	files := make([][2][]int64, n)
	for i := range s.table {
		b := &s.table[i]
		if int(b.file) >= n {
			continue
		}
		for dir, c := range b.counts {
			if c > 0 {
				files[b.file][dir] = append(files[b.file][dir], c)
			}
		}
	}
	for i := range files {
		descending(files[i][reading])
		descending(files[i][writing])
	}
	return files
}

func descending(list []int64) {
	slices.SortFunc(list, func(a, b int64) int { return cmp.Compare(b, a) })
}

// both is the accesses of a block in both directions.
func (b *followed) both() int64 { return b.counts[reading] + b.counts[writing] }
