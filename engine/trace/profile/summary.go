package profile

import (
	"math/bits"

	"moonio/engine"
	"moonio/engine/hist"
	"moonio/engine/trace"
)

// Result sums up what was added so far. The log, of the readers that the records came from, has the
// names and what went wrong; it may be nil. More may be added afterwards.
func (p *Profile) Result(log *trace.Log) *Result {
	if log == nil {
		log = &trace.Log{}
	}
	read, write := &p.dirs[reading], &p.dirs[writing]
	r := &Result{
		Reads: read.ios, Writes: write.ios, IOs: read.ios + write.ios, Bytes: read.bytes + write.bytes,
		Ops: map[string]int64{}, Estimates: []string{}, SpanNS: p.last - p.first, FirstNS: p.first, MaxEnd: p.maxEnd,
	}
	var all int64
	for code, n := range p.ops {
		if n > 0 {
			r.Ops[engine.OpCode(code).String()] = n
		}
		all += n
	}
	r.ReadShare = share(read.ios, r.IOs)
	r.ReadBytes = share(read.bytes, r.Bytes)
	r.Sequential = share(p.moves.follows[reading]+p.moves.follows[writing], r.IOs)
	r.Continuing = share(read.continues+write.continues, r.IOs)
	r.Unaligned512 = share(read.unaligned[0]+write.unaligned[0], r.IOs)
	r.Unaligned4K = share(read.unaligned[1]+write.unaligned[1], r.IOs)
	r.Read, r.Write = p.side(reading), p.side(writing)
	r.SeekForward, r.SeekBackward = buckets(&p.moves.forward), buckets(&p.moves.backward)
	p.arrival(r)
	p.space(r)
	p.flush(r)
	r.Completions = p.completions(r.IOs)
	p.parties(r, log)
	r.Input = Input{
		Records: all + p.odd, Lines: log.Lines, Bad: log.Bad, Skipped: log.Skipped, Lost: log.Lost,
		Disorder: log.Disorder, Odd: p.odd, Notes: append([]string{}, log.Notes...),
	}
	for _, bad := range log.First {
		r.Input.First = append(r.Input.First, bad.String())
	}
	p.estimates(r)
	return r
}

func share(part, all int64) float64 {
	if all == 0 {
		return 0
	}
	return float64(part) / float64(all)
}

// perSecond is a count over a span, which counts as the shortest at least.
func perSecond(n int64, span, shortest int64) float64 {
	return float64(n) / (float64(max(span, shortest, 1)) / 1e9)
}

// topSizes is how many sizes are listed of reads, and of writes.
const topSizes = 16

func (p *Profile) side(dir int) Side {
	d := &p.dirs[dir]
	s := Side{IOs: d.ios, Bytes: d.bytes, SizeLog2: buckets(&d.sizes.log2)}
	s.Sizes, s.OtherSizes = d.sizes.top(topSizes)
	if d.ios > 0 {
		s.Mean = float64(d.bytes) / float64(d.ios)
	}
	s.Unaligned4K = share(d.unaligned[1], d.ios)
	s.Sequential, s.Continuing = share(p.moves.follows[dir], d.ios), share(d.continues, d.ios)
	s.Runs = p.moves.summary(dir)
	return s
}

// summary is the runs of one direction, those that have not ended included.
func (m *moves) summary(dir int) Runs {
	all := m.runs[dir]
	for _, h := range m.heads {
		if h.dir == dir {
			all.ended(h)
		}
	}
	r := Runs{Count: all.count, Alone: all.alone, Longest: all.longest, Log2: buckets(&all.log2)}
	if all.count > 0 {
		r.Mean = float64(all.ios) / float64(all.count)
		r.Bytes = float64(all.bytes) / float64(all.count)
	}
	return r
}

func (p *Profile) arrival(r *Result) {
	a := &p.arrivals
	peak1, at := a.second.most()
	peak60, _ := a.minute.most()
	r.CV = a.cv()
	r.Arrival = Arrival{
		MeanIOPS: perSecond(r.IOs, r.SpanNS, 0), MeanBandwidth: perSecond(r.Bytes, r.SpanNS, 0),
		Peak1s: float64(peak1), Peak1sAt: at * 1e9, Peak60s: float64(peak60) / 60,
		P50: a.gaps.Percentile(50), P99: a.gaps.Percentile(99),
		Dispersion1s: a.second.dispersion(a.n), Dispersion60s: a.minute.dispersion(a.n),
		Idle: Idle{Gaps: a.idle.gaps, NS: a.idle.sum, Share: share(a.idle.sum, r.SpanNS), Longest: a.idle.longest, At: a.idle.from},
	}
	if r.SpanNS == 0 {
		r.Arrival.MeanIOPS, r.Arrival.MeanBandwidth = 0, 0
	}
	if r.IOs > 0 {
		// A trace that is shorter than the window has its mean in it.
		r.PeakToMean1s = float64(peak1) / perSecond(r.IOs, r.SpanNS, 1e9)
		r.Arrival.PeakToMean60s = float64(peak60) / 60 / perSecond(r.IOs, r.SpanNS, 60e9)
	}
	r.Timeline = a.timeline.summary(r.SpanNS)
}

func (l *timeline) summary(span int64) Timeline {
	t := Timeline{WidthNS: l.width}
	if l.width > 0 {
		t.Counts = append(t.Counts, l.counts[:min(span/l.width+1, maxBins)]...)
	}
	return t
}

func (p *Profile) flush(r *Result) {
	f := &p.flushes
	r.Trim = Trim{Count: p.ops[engine.Trim], Bytes: p.trimmed}
	r.Flush = Flush{Count: f.count, Preflush: p.preflush, FUA: p.fua, Empty: f.empty, MostWrites: f.most}
	if r.SpanNS > 0 {
		r.Flush.Rate = perSecond(f.count, r.SpanNS, 0)
	}
	if n := f.count - f.empty; n > 0 {
		r.Flush.Writes = float64(f.covered) / float64(n)
	}
}

func (p *Profile) completions(ios int64) *Completions {
	f := &p.flying
	if f.known == 0 && f.flush.Count() == 0 {
		return nil
	}
	c := &Completions{
		Share: share(f.known, ios), Read: latency(&f.latency[reading]), Write: latency(&f.latency[writing]), Flush: latency(&f.flush),
		DepthP50: f.depth.Percentile(50), DepthP99: f.depth.Percentile(99), DepthMax: f.depth.Max(),
	}
	// Little's law.
	if span := p.last - p.first; span > 0 {
		c.DepthMean = (f.latency[reading].Sum() + f.latency[writing].Sum()) / float64(span)
	}
	return c
}

func latency(h *hist.Histogram) *Latency {
	if h.Count() == 0 {
		return nil
	}
	return &Latency{Mean: h.Mean(), P50: h.Percentile(50), P99: h.Percentile(99), Max: h.Max()}
}

// space sums up places.
func (p *Profile) space(r *Result) {
	pl := &p.places
	read, written, either := pl.all.unique()
	r.Footprint, r.BlocksEstimated = either*blockSize, pl.all.sketch != nil
	s := &r.Space
	s.Read, s.Written = read*blockSize, written*blockSize
	s.Both = max(0, read+written-either) * blockSize
	w := pl.minutes
	if _, _, n := pl.minute.unique(); n > 0 {
		w.windows, w.sum, w.most = w.windows+1, w.sum+n, max(w.most, n)
	}
	if w.windows > 0 {
		s.WindowMean, s.WindowMax = w.sum/w.windows*blockSize, w.most*blockSize
	}
	h := hotness{pl.sample.counts(), pl.sample.rate(), float64(pl.touched)}
	s.Hot1, s.Hot10, s.Hot20, s.Zipf = h.share(0.01), h.share(0.1), h.share(0.2), h.theta()
	s.Accesses = pl.touched
	s.Reuse, s.Cache = pl.sample.reuse()
	s.HeatWidth = 1 << pl.heat.shift
	s.Heat = append(s.Heat, pl.heat.counts[:min(heatBins, r.MaxEnd>>pl.heat.shift+1)]...)
}

// reuse is the distances in bytes, and what caches of as many bytes would have served.
func (s *sample) reuse() (list []Bucket, hits []CacheHit) {
	all := s.first
	for _, c := range s.distances {
		all += c
	}
	list, hits = []Bucket{}, []CacheHit{}
	served := int64(0)
	for k, c := range s.distances {
		if served += c; c == 0 {
			continue
		}
		list = append(list, Bucket{from(k) * blockSize, c})
		// A cache that holds the most blocks of this bucket, and the block itself.
		hits = append(hits, CacheHit{blockSize << k, float64(served) / float64(all)})
	}
	return list, hits
}

// estimates says what is no exact count.
func (p *Profile) estimates(r *Result) {
	note := func(on bool, text string) {
		if on {
			r.Estimates = append(r.Estimates, text)
		}
	}
	note(p.places.all.sketch != nil, "blocks are about right (standard error 0.8 %): there are too many to count one by one")
	note(p.places.minute.overrun, "working sets of busy minutes are about right (standard error 0.8 %)")
	note(p.places.sample.halvings > 0, "hot shares and reuse distances are from a sample of the blocks")
	note(p.moves.forgotten > 0, "sequential shares are a little low: more streams and files than are followed at a time")
	note(p.dirs[reading].sizes.rest+p.dirs[writing].sizes.rest > 0, "some sizes came too late to be told apart")
	note(p.long > 0, "of some huge I/Os only the beginning is in the footprint: the first GiB, or the first MiB once they come to 256 GiB together")
	note(p.flying.overflow > 0, "depths are a little low: more I/Os in flight than are followed")
}

// lowest is the power of two that all of the or-ed values are multiples of, up to a block.
func lowest(values int64) int64 {
	return 1 << min(blockBits, bits.TrailingZeros64(uint64(values)))
}
