package fioout

import (
	"moonio/engine/hist"
	"moonio/engine/run"
)

// gather joins intervals to the windows of a log.
type gather struct {
	length      int64 // in nanoseconds; 0: there is no such log
	from, until int64 // of what is gathered; nothing if they are the same
	began       int64 // the job's start
	next        int64 // when the window is full, since the job's start
	ways        [directions]gathered
}

// gathered is one direction of a window.
type gathered struct {
	ios, bytes       int64
	slat, clat, full *hist.Histogram
}

// add takes an interval, and gives the window to write when it is full.
func (a *gather) add(w *run.Window, write func(*gather)) {
	if w.Began != a.began || a.next == 0 {
		a.flush(write)
		a.began, a.next = w.Began, (w.From-w.Began)/a.length*a.length+a.length
	}
	if a.from == a.until {
		a.from = w.From
	}
	a.until = w.Until
	for i := range w.Ops {
		o := &w.Ops[i]
		d, sync, ok := directionOf(o.Code.String())
		if !ok || sync {
			continue
		}
		y := &a.ways[d]
		y.ios += o.Count
		y.bytes += o.Bytes
		y.slat, y.clat, y.full = merged(y.slat, o.Submission), merged(y.clat, o.Completion), merged(y.full, o.Service)
	}
	if since := a.until - a.began; since >= a.next {
		a.next = since/a.length*a.length + a.length
		a.flush(write)
	}
}

func merged(to, from *hist.Histogram) *hist.Histogram {
	if from == nil {
		return to
	}
	if to == nil {
		to = hist.New()
	}
	to.Merge(from)
	return to
}

// flush writes what there is, and empties the window.
func (a *gather) flush(write func(*gather)) {
	if a.until == a.from {
		return
	}
	write(a)
	for d := range a.ways {
		y := &a.ways[d]
		y.ios, y.bytes = 0, 0
		for _, h := range []*hist.Histogram{y.slat, y.clat, y.full} {
			if h != nil {
				h.Reset()
			}
		}
	}
	a.from = a.until
}

// writeAverage writes a window's lines of the logs with averages. A direction that nothing
// completed in has a rate, 0, and no latency.
func (g *jobLog) writeAverage(a *gather) {
	at := g.stamp(a.until, a.began)
	seconds := float64(a.until-a.from) / 1e9
	for i := range a.ways {
		y, d := &a.ways[i], direction(i)
		if !g.does[d] && y.ios == 0 {
			continue
		}
		g.line(g.bw, at, int64(float64(y.bytes)/seconds/1024+0.5), d, nil)
		g.line(g.iops, at, int64(float64(y.ios)/seconds+0.5), d, nil)
		g.latency(g.lat, at, y.full, d)
		g.latency(g.clat, at, g.completion(y), d)
		if !g.inline {
			g.latency(g.slat, at, y.slat, d)
		}
	}
}

// completion are the latencies that clat is of.
func (g *jobLog) completion(y *gathered) *hist.Histogram {
	if g.inline {
		return y.full
	}
	return y.clat
}

func (g *jobLog) latency(f *logFile, at int64, h *hist.Histogram, d direction) {
	switch {
	case h == nil || h.Count() == 0:
	case g.most:
		g.line(f, at, h.Max(), d, nil)
	default:
		g.line(f, at, int64(h.Mean()+0.5), d, nil)
	}
}

// writeBins writes a window's lines of the histogram log.
func (g *jobLog) writeBins(a *gather) {
	for i := range a.ways {
		y := &a.ways[i]
		if h := g.completion(y); h != nil && h.Count() > 0 {
			g.logs.put(g.hist, g.binLine(g.stamp(a.until, a.began), i, y))
		}
	}
}

// binLine is the time, the direction, the block size and fio's bins, of which so many make one here.
// What is above the last is in the last.
func (g *jobLog) binLine(at int64, d int, y *gathered) []byte {
	counts := make([]int64, numBins/g.stride)
	for i, c := range binsOf(g.completion(y)) {
		counts[min(i/g.stride, len(counts)-1)] += c
	}
	b := numbers(g.hist.w.AvailableBuffer(), at, int64(d), y.bytes/y.ios)
	b = numbers(append(b, ", "...), counts...)
	return append(b, '\n')
}
