package fioout

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"moonio/engine/report"
)

// samples summarises the rates of equally long windows.
type samples struct {
	n             int64
	min, max      int64
	mean, squares float64
}

func (s *samples) add(v int64) {
	if s.n == 0 || v < s.min {
		s.min = v
	}
	s.max = max(s.max, v)
	s.n++
	delta := float64(v) - s.mean
	s.mean += delta / float64(s.n)
	s.squares += delta * (float64(v) - s.mean)
}

func (s *samples) stddev() float64 {
	if s.n < 2 {
		return 0
	}
	return math.Sqrt(s.squares / float64(s.n-1))
}

// windows are what an entry's jobs did, by time: those of one phase are cut alike, so that the sum
// over a group's jobs is of what happened at once.
type windows map[windowKey]*window

type windowKey struct {
	start int64 // of the phase
	at    int64 // within it
}

type window struct {
	ns   int64
	ways [directions]struct{ ios, bytes float64 }
}

// take adds a job's intervals.
func (w windows) take(p *report.Phase, j *report.Job, mixed bool) {
	for _, iv := range j.Intervals {
		k := windowKey{p.StartNS, iv.TNS}
		x := w[k]
		if x == nil {
			x = &window{}
			w[k] = x
		}
		x.ns = max(x.ns, iv.DurationNS)
		seconds := float64(iv.DurationNS) / 1e9
		for name, op := range iv.Ops {
			d, sync, ok := directionOf(name)
			if !ok || sync {
				continue
			}
			if mixed {
				d = reads
			}
			x.ways[d].ios += math.Round(op.IOPS * seconds)
			x.ways[d].bytes += math.Round(op.Bandwidth * seconds)
		}
	}
}

// inOrder are the windows joined to ones of at least ns each; a rest at the end of a phase is
// left out.
func (w windows) inOrder(ns int64) []window {
	var list []window
	var open window
	var start int64
	keys := slices.SortedFunc(maps.Keys(w), func(a, b windowKey) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.at, b.at))
	})
	for _, k := range keys {
		if k.start != start {
			open, start = window{}, k.start
		}
		x := w[k]
		open.ns += x.ns
		for d := range open.ways {
			open.ways[d].ios += x.ways[d].ios
			open.ways[d].bytes += x.ways[d].bytes
		}
		if open.ns >= ns {
			list = append(list, open)
			open = window{}
		}
	}
	return list
}

// fill sets the samples of the directions that did anything.
func (w windows) fill(e *entry) {
	for d := range e.ways {
		if y := &e.ways[d]; y.ios > 0 {
			w.each(e, func(bw bool, x window) { y.sample(bw, x.ns, x.ways[d].ios, x.ways[d].bytes) })
		}
	}
}

// fillMixed sets the samples of all directions together.
func (w windows) fillMixed(y *way, e *entry) {
	w.each(e, func(bw bool, x window) {
		var ios, bytes float64
		for _, v := range x.ways {
			ios += v.ios
			bytes += v.bytes
		}
		y.sample(bw, x.ns, ios, bytes)
	})
}

func (w windows) each(e *entry, f func(bw bool, x window)) {
	for _, x := range w.inOrder(1e6 * e.opt.Integer("bwavgtime")) {
		f(true, x)
	}
	for _, x := range w.inOrder(1e6 * e.opt.Integer("iopsavgtime")) {
		f(false, x)
	}
}

// sample adds one window's rates: KiB/s, or operations per second.
func (y *way) sample(bw bool, ns int64, ios, bytes float64) {
	seconds := float64(ns) / 1e9
	if bw {
		y.bw.add(int64(bytes / seconds / 1024))
		return
	}
	y.iops.add(int64(ios/seconds + 0.5))
}
