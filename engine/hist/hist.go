// Package hist records latencies: HDR histograms with three significant
// digits from 1 ns to an hour, beside an exact count, sum, minimum and maximum.
//
// A Histogram belongs to one goroutine at a time. Recording neither locks nor
// allocates. A value beyond the range is counted in the last bucket, and the exact figures keep it; a
// percentile that falls there is the exact maximum, which is all that is known of it.
package hist

import "math"

// The range that is resolved, in nanoseconds.
const (
	Lowest  = 1
	Highest = 3_600_000_000_000
	digits  = 3
)

// Histogram is a distribution of durations in nanoseconds. The zero value is
// empty and ready to use. It is a quarter of a megabyte: never copy one.
type Histogram struct {
	n        int64
	sum      Sum
	min, max int64 // of n values; meaningless while n is 0
	counts   [numBuckets]int64
}

// New returns an empty histogram.
func New() *Histogram { return new(Histogram) }

// Record adds one duration. A negative one counts as 0.
func (h *Histogram) Record(ns int64) {
	ns = max(ns, 0)
	if h.n == 0 || ns < h.min {
		h.min = ns
	}
	if ns > h.max {
		h.max = ns
	}
	h.n++
	h.sum.Add(ns)
	h.counts[bucketOf(ns)]++
}

// RecordN adds the same duration n times.
func (h *Histogram) RecordN(ns, n int64) {
	if n <= 0 {
		return
	}
	h.Record(ns)
	ns = max(ns, 0)
	h.n += n - 1
	h.sum.AddN(ns, n-1)
	h.counts[bucketOf(ns)] += n - 1
}

// Count is how many durations were recorded.
func (h *Histogram) Count() int64 { return h.n }

// Sum is the sum of them all, exact up to 2^53 ns.
func (h *Histogram) Sum() float64 { return h.sum.Float() }

// Min is the smallest recorded duration, 0 if there is none.
func (h *Histogram) Min() int64 { return h.min }

// Max is the largest recorded duration, 0 if there is none.
func (h *Histogram) Max() int64 { return h.max }

// Mean is the exact mean, 0 if there is none.
func (h *Histogram) Mean() float64 {
	if h.n == 0 {
		return 0
	}
	return h.sum.Float() / float64(h.n)
}

// StdDev is the standard deviation, to the histogram's resolution.
func (h *Histogram) StdDev() float64 {
	if h.n == 0 {
		return 0
	}
	// Around the mean of the buckets' middles: equal values deviate by nothing.
	lo, used := h.used()
	var sum float64
	for i, c := range used {
		sum += float64(c) * float64(middle(lo+i))
	}
	mean := sum / float64(h.n)
	var squares float64
	for i, c := range used {
		d := float64(middle(lo+i)) - mean
		squares += float64(c) * d * d
	}
	return math.Sqrt(squares / float64(h.n))
}

// Percentile is the duration that p per cent of the recorded ones do not
// exceed, to the histogram's resolution and never outside [Min, Max]. It is 0
// if there is none.
func (h *Histogram) Percentile(p float64) int64 {
	if h.n == 0 {
		return 0
	}
	left := rank(p, h.n)
	if left == h.n {
		return h.max
	}
	lo, used := h.used()
	last := len(used) - 1
	for i, c := range used[:last] {
		if left -= c; left <= 0 {
			return max(highest(lo+i), h.min)
		}
	}
	return h.max // its bucket may hold what is beyond the range
}

// rank is how many of n values lie at or below the p-th percentile: at least one.
func rank(p float64, n int64) int64 {
	// One step down, so that a product that should be whole but came out a hair
	// above is not rounded up.
	p = math.Nextafter(min(max(p, 0), 100), math.Inf(-1))
	return min(max(int64(math.Ceil(p*float64(n)/100)), 1), n)
}

// used is the index of the first bucket in use, and the counts from there to the last.
func (h *Histogram) used() (lo int, counts []int64) {
	if h.n == 0 {
		return 0, nil
	}
	lo = bucketOf(h.min)
	return lo, h.counts[lo : bucketOf(h.max)+1]
}

// Each calls f with every bucket that holds anything, from the lowest: its smallest and its
// largest value, and how many were recorded in between.
func (h *Histogram) Each(f func(low, high, count int64)) {
	lo, used := h.used()
	for i, c := range used {
		if c > 0 {
			low, width := lowest(lo + i)
			f(low, low+width-1, c)
		}
	}
}

// Merge adds all of o.
func (h *Histogram) Merge(o *Histogram) {
	if o.n == 0 {
		return
	}
	if h.n == 0 || o.min < h.min {
		h.min = o.min
	}
	h.max = max(h.max, o.max)
	h.n += o.n
	h.sum.Join(o.sum)
	lo, used := o.used()
	to := h.counts[lo : lo+len(used)]
	for i, c := range used {
		to[i] += c
	}
}

// Reset empties the histogram. It costs as much as the range in use is wide.
func (h *Histogram) Reset() {
	_, used := h.used()
	clear(used)
	h.n, h.sum, h.min, h.max = 0, Sum{}, 0, 0
}
