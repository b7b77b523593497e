package run

import (
	"time"

	"moonio/engine"
)

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
	Ops       [engine.NumOpCodes]OpRate
	Jobs      []JobProgress // in the plan's order
}

// OpRate is how fast one kind of operation went in the latest interval.
type OpRate struct{ IOPS, Bandwidth float64 }

// JobProgress is how far a job has got.
type JobProgress struct {
	Name        string
	Begun, Over bool    // Over: it begins nothing more
	Share       float64 // of what it has to do, 0 to 1; negative if that is not known
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
		for c, o := range live.ops {
			g.Ops[c] = OpRate{float64(o.count) / seconds, float64(o.bytes) / seconds}
		}
	}
	for i := range p.plan.Jobs {
		g.Jobs = append(g.Jobs, p.jobProgress(i, now))
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
	if g.Share < 0 {
		g.Share = slowest(g.Jobs)
	}
	if passed := now - p.from; g.Share > 0 && passed > 0 {
		g.Left = time.Duration(float64(passed) * (1 - g.Share) / g.Share)
	}
	return g
}

// slowest is the least share of any job; negative if one's is not known.
func slowest(jobs []JobProgress) float64 {
	least := 1.0
	for _, j := range jobs {
		least = min(least, j.Share)
	}
	return least
}

func (p *phase) jobProgress(i int, now int64) JobProgress {
	begin, end := p.window(i)
	j := JobProgress{Name: p.plan.Jobs[i].Name, Begun: now >= begin, Over: now >= end, Share: -1}
	c := p.courses[i]
	if c == nil {
		return j
	}
	for _, b := range []struct {
		b *budget
		n int64
	}{{&c.ops, c.spec.Ops}, {&c.bytes, c.spec.Bytes}} {
		if b.n > 0 {
			j.Share = max(j.Share, 1-float64(max(b.b.left.Load(), 0))/float64(b.n))
			j.Over = j.Over || b.b.spent()
		}
	}
	if c.spec.Passes > 0 && c.over() {
		j.Share, j.Over = 1, true
	}
	return j
}

// over says whether all of the stream's passes have been made.
func (c *course) over() bool {
	for _, t := range c.targets {
		if !t.over() {
			return false
		}
	}
	return true
}
