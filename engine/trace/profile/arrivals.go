package profile

import (
	"math"

	"moonio/engine/hist"
)

// arrivals is when I/Os come. Times count from the trace's first record.
type arrivals struct {
	n        int64
	last     int64
	gaps     hist.Histogram
	shift    float64 // the first gap: sums about it do not lose what the variance is made of
	sum, sq  float64 // of gaps less the shift, and of their squares
	idle     idle
	second   window
	minute   window
	timeline timeline
}

// idle is the time in which nothing came for longer than idleAfter.
type idle struct {
	gaps, sum, longest, from int64
}

const idleAfter = 1e9 // ns

func (a *arrivals) add(t int64, dir int) {
	if a.n++; a.n > 1 {
		a.gap(t - a.last)
	}
	a.last = t
	a.second.add(t / 1e9)
	a.minute.add(t / 60e9)
	a.timeline.add(t, dir)
}

func (a *arrivals) gap(d int64) {
	a.gaps.Record(d)
	if a.n == 2 {
		a.shift = float64(d)
	}
	x := float64(d) - a.shift
	a.sum += x
	a.sq += x * x
	if d >= idleAfter {
		i := &a.idle
		i.gaps++
		i.sum += d
		if d > i.longest {
			i.longest, i.from = d, a.last
		}
	}
}

// cv is the coefficient of variation of the gaps; 0 if there are none.
func (a *arrivals) cv() float64 {
	n := float64(a.n - 1)
	if n < 1 {
		return 0
	}
	mean := a.sum / n
	if mean+a.shift <= 0 {
		return 0
	}
	return math.Sqrt(max(0, a.sq/n-mean*mean)) / (mean + a.shift)
}

// window counts I/Os in windows of time one after another.
type window struct {
	index   int64
	count   int64 // in the present one
	peak    int64
	peakAt  int64 // index of the busiest
	squares float64
}

func (w *window) add(i int64) {
	if i != w.index {
		w.close()
		w.index = i
	}
	w.count++
}

func (w *window) close() {
	if w.count > w.peak {
		w.peak, w.peakAt = w.count, w.index
	}
	w.squares += float64(w.count) * float64(w.count)
	w.count = 0
}

// dispersion is the variance of the windows' counts over their mean: 1 for arrivals
// that are independent of each other.
func (w *window) dispersion(total int64) float64 {
	c := *w
	c.close()
	n := float64(c.index + 1)
	mean := float64(total) / n
	if mean == 0 {
		return 0
	}
	return max(0, c.squares/n-mean*mean) / mean
}

// most is the count of the busiest window.
func (w *window) most() (count, at int64) {
	c := *w
	c.close()
	return c.peak, c.peakAt
}

// timeline counts I/Os over time in bins that double their width when the trace outgrows them.
type timeline struct {
	width  int64 // ns; 0 before the first
	counts [maxBins][2]int64
}

const (
	maxBins = 2048
	// The narrowest bins are the odd part of a second, so that doubled they come to seconds.
	narrowest = 1e9 / 512
)

func (l *timeline) add(t int64, dir int) {
	if l.width == 0 {
		l.width = narrowest
	}
	for t/l.width >= maxBins {
		l.double()
	}
	l.counts[t/l.width][dir]++
}

func (l *timeline) double() {
	c := &l.counts
	for i := range maxBins / 2 {
		c[i] = [2]int64{c[2*i][0] + c[2*i+1][0], c[2*i][1] + c[2*i+1][1]}
	}
	clear(c[maxBins/2:])
	l.width *= 2
}
