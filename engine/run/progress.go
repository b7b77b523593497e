package run

import "time"

// Progress is how far a phase has got.
type Progress struct {
	Phase     string
	Layout    bool // a file is being laid out; there are no rates
	Warmup    bool
	Share     float64       // of the phase, 0 to 1; negative if its end is not known
	Left      time.Duration // until its end, if that is known
	IOPS      float64
	Bandwidth float64
	P99       time.Duration // of the slowest kind of operation, over the latest interval
}

func (p *phase) progress() Progress {
	g := Progress{Phase: p.plan.Name, Share: -1}
	live := p.col.live.Load()
	now := p.s.now(p, live)
	g.Warmup = now < p.from
	if live != nil {
		seconds := p.plan.Interval.Seconds()
		g.IOPS, g.Bandwidth = float64(live.count)/seconds, float64(live.bytes)/seconds
		g.P99 = time.Duration(live.p99)
	}
	if d := p.plan.Duration; d > 0 {
		g.Share = min(1, float64(now-p.start)/float64(p.end-p.start))
		g.Left = time.Duration(max(0, p.end-now))
		return g
	}
	for _, b := range []struct {
		b *budget
		n int64
	}{{&p.ops, p.plan.Ops}, {&p.bytes, p.plan.Bytes}, {&p.iterations, p.plan.Iterations}} {
		if b.n > 0 {
			g.Share = max(g.Share, 1-float64(max(b.b.left.Load(), 0))/float64(b.n))
		}
	}
	if passed := now - p.from; g.Share > 0 && passed > 0 {
		g.Left = time.Duration(float64(passed) * (1 - g.Share) / g.Share)
	}
	return g
}
