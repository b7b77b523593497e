package profile

import (
	"cmp"
	"math/bits"
	"slices"
)

// sizes counts how often each size comes, exactly for the first so many different ones.
type sizes struct {
	exact map[int64]*int64
	last  int64 // the size that came last, and its counter
	count *int64
	log2  [64]int64 // by bits.Len64(size): 0 is empty, k holds [2^(k-1), 2^k)
	rest  int64     // I/Os of sizes that came too late to be told apart
}

// maxSizes bounds how many sizes are told apart in one table.
const maxSizes = 1 << 16

func (s *sizes) add(n int64) { s.upTo(n, maxSizes) }

// upTo counts a size, and tells no more than so many apart.
func (s *sizes) upTo(n int64, most int) {
	s.log2[bits.Len64(uint64(n))]++
	if s.count != nil && s.last == n {
		*s.count++
		return
	}
	c, ok := s.exact[n]
	if !ok {
		if len(s.exact) >= most {
			s.rest++
			return
		}
		if s.exact == nil {
			s.exact = map[int64]*int64{}
		}
		c = new(int64)
		s.exact[n] = c
	}
	*c++
	s.last, s.count = n, c
}

// SizeCount is how many I/Os have a size.
type SizeCount struct {
	Bytes int64 `json:"bytes"`
	Count int64 `json:"count"`
}

// top is the k most frequent sizes, and how many I/Os have none of them.
func (s *sizes) top(k int) (list []SizeCount, others int64) {
	list = []SizeCount{}
	for n, c := range s.exact {
		list = append(list, SizeCount{n, *c})
	}
	slices.SortFunc(list, func(a, b SizeCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Bytes, b.Bytes))
	})
	others = s.rest
	for len(list) > k {
		others += list[len(list)-1].Count
		list = list[:len(list)-1]
	}
	return list, others
}

// Bucket counts values from From on, below twice that; a bucket from 0 holds zeros alone.
type Bucket struct {
	From  int64 `json:"from"`
	Count int64 `json:"count"`
}

// buckets are the counters by bits.Len64 that are not zero.
func buckets(log2 *[64]int64) []Bucket {
	list := []Bucket{}
	for k, c := range log2 {
		if c > 0 {
			list = append(list, Bucket{from(k), c})
		}
	}
	return list
}

// from is the least value whose bits.Len64 is k.
func from(k int) int64 {
	if k == 0 {
		return 0
	}
	return 1 << (k - 1)
}
