package fioout

import (
	"math"
	"math/bits"
	"slices"

	"moonio/engine/hist"
	"moonio/engine/report"
)

// times is a distribution of times in nanoseconds in fio's bins: a group of 64 for each
// power of two. Ours go on where fio's end, at 17.1 s.
type times struct {
	n, min, max   int64
	mean, squares float64 // squares: the sum of squared distances from the mean
	bins          []int64
	spread        spread
}

const (
	binBits = 6
	numBins = 29 << binBits // of fio
)

// binOf is the index of the bin that holds ns.
func binOf(ns int64) int {
	shift := max(bits.Len64(uint64(ns))-1-binBits, 0)
	if shift == 0 {
		return int(ns)
	}
	return (shift+1)<<binBits + int(ns>>shift)&(1<<binBits-1)
}

// binValue is the time that stands for a bin: its middle.
func binValue(i int) int64 {
	if i < 2<<binBits {
		return int64(i)
	}
	shift := i>>binBits - 1
	low := int64(1<<binBits+i&(1<<binBits-1)) << shift
	return low + 1<<shift/2
}

// newTimes takes over a latency. Its buckets lie within fio's bins: nothing is lost.
func newTimes(l *report.Latency) (times, error) {
	var d times
	if l == nil {
		return d, nil
	}
	h, err := hist.Decode(l.HDR)
	if err != nil {
		return d, err
	}
	d.n, d.min, d.max, d.mean = h.Count(), l.MinNS, l.MaxNS, l.MeanNS
	d.squares = l.StdDevNS * l.StdDevNS * float64(d.n)
	d.bins = binsOf(h)
	h.Each(func(low, _, n int64) { d.spread.count(low, n) })
	return d, nil
}

// binsOf sorts a histogram into fio's bins.
func binsOf(h *hist.Histogram) []int64 {
	var bins []int64
	h.Each(func(low, _, count int64) {
		i := binOf(low)
		bins = extend(bins, i)
		bins[i] += count
	})
	return bins
}

func extend(bins []int64, i int) []int64 {
	if i < len(bins) {
		return bins
	}
	return append(bins, make([]int64, i+1-len(bins))...)
}

// add merges o.
func (d *times) add(o *times) {
	if o.n == 0 {
		return
	}
	if d.n == 0 {
		*d = *o
		d.bins = slices.Clone(o.bins)
		return
	}
	n, m := float64(d.n), float64(o.n)
	delta := o.mean - d.mean
	d.squares += o.squares + delta*delta*n*m/(n+m)
	d.mean += delta * m / (n + m)
	d.n += o.n
	d.min, d.max = min(d.min, o.min), max(d.max, o.max)
	for u := range d.spread {
		for k := range d.spread[u] {
			d.spread[u][k] += o.spread[u][k]
		}
	}
	d.bins = extend(d.bins, len(o.bins)-1)
	for i, c := range o.bins {
		d.bins[i] += c
	}
}

// stddev is the deviation of a sample, as fio has it.
func (d *times) stddev() float64 {
	if d.n < 2 {
		return 0
	}
	return math.Sqrt(d.squares / float64(d.n-1))
}

// percentiles are the values of a rising list: the first bin's up to which so many lie, but never
// outside what was measured.
func (d *times) percentiles(list []float64) []int64 {
	out := make([]int64, len(list))
	var sum int64
	j := 0
	for i, c := range d.bins {
		sum += c
		for j < len(list) && float64(sum) >= list[j]/100*float64(d.n) && sum > 0 {
			out[j] = min(max(binValue(i), d.min), d.max)
			j++
		}
	}
	for ; j < len(list); j++ {
		out[j] = d.max
	}
	return out
}

// The upper ends of fio's coarse distribution, in each of its three units.
var bounds = []int64{2, 4, 10, 20, 50, 100, 250, 500, 750, 1000, 2000}

// spread counts times by unit (nanoseconds, microseconds, milliseconds) and bound. What is above
// all bounds of the last is its last.
type spread [3][12]int64

func (s *spread) count(ns, n int64) {
	unit := 0
	for ; ns >= 1000 && unit < 2; unit++ {
		ns /= 1000
	}
	k, _ := slices.BinarySearch(bounds, ns+1)
	s[unit][k] += n
}
