package run

import (
	"fmt"
	"strings"

	"moonio/engine"
	"moonio/engine/report"
)

func (p *phase) reportJob(i int, last int64) (*report.Job, error) {
	j := &p.plan.Jobs[i]
	start := p.startOf(i, last)
	r := &report.Job{
		Name:       j.Name,
		StartNS:    start,
		DurationNS: max(p.jobEnd(i, last)-p.from-start, 0),
		Ops:        map[string]*report.Op{},
	}
	p.describeThreads(i, r)
	switch {
	case j.Stream != nil:
		p.describeStream(i, j.Stream, r)
	case j.Replay != nil:
		r.Kind, r.Depth = "replay", j.Replay.Depth
	default:
		r.Kind, r.Clients = "clients", j.Clients.Count
		if rate := j.Clients.Rate; rate != nil {
			r.Conditions.Rate, r.Conditions.Arrival = rate.String(), j.Clients.Arrival.String()
			r.Lag = p.lag(i)
		}
	}
	names := p.keyNames(i)
	for k := range p.col.jobs[i].cells {
		c := &p.col.jobs[i].cells[k]
		if c.empty() {
			continue
		}
		op, err := c.report(r.DurationNS)
		if err != nil {
			return nil, err
		}
		if op.Priorities, err = p.priorities(i, c); err != nil {
			return nil, err
		}
		op.Span = key(k) >= keyIteration
		if p.col.detail != nil && !op.Span {
			if err := op.SetParts(p.groupOf(i).parts(c)); err != nil {
				return nil, err
			}
		}
		r.Ops[names(key(k))] = op
	}
	if j.Replay != nil {
		if err := p.describeReplay(i, j.Replay, r); err != nil {
			return nil, err
		}
	}
	p.reportDetail(i, r)
	r.Verify = p.reportVerify(i)
	p.fillSeries(i, r, names)
	return r, nil
}

// startOf is when a job began, from the measured start on; with the phase's end, if it never did.
func (p *phase) startOf(i int, last int64) int64 {
	if len(p.plan.Jobs[i].After) == 0 {
		return int64(p.plan.Jobs[i].Start)
	}
	begin, _ := p.window(i)
	return max(min(begin, last)-p.from, 0)
}

// jobEnd is when a job was over: with the phase, or when its own time was up, or with its last
// completion or turn if it ended before by itself, or when another job ended it.
func (p *phase) jobEnd(i int, last int64) int64 {
	_, end := p.window(i)
	if !p.closed.Load() {
		return last
	}
	alone := p.endedAlone(i)
	if !alone && end >= p.end {
		return last
	}
	var at int64
	for _, w := range p.workers {
		at = max(at, w.jobEnd[i])
	}
	if !alone {
		at = max(at, min(end, last))
	}
	return at
}

// endedAlone says whether all of the job was done before the phase ended, or another one ended it.
func (p *phase) endedAlone(i int) bool {
	if p.cut[i].Load() {
		return true
	}
	for _, w := range p.workers {
		for _, s := range w.streams {
			if s.job == i && !s.exhausted {
				return false
			}
		}
		for _, y := range w.players {
			if y.job == i && (y.closed || !y.over()) {
				return false
			}
		}
		for _, c := range w.clients {
			if c.job == i && !c.done {
				return false
			}
		}
	}
	return true
}

func (c *cell) report(ns int64) (*report.Op, error) {
	op := &report.Op{Count: c.count, Bytes: c.bytes, Errors: c.errors, Short: c.short, BlockMin: c.least, BlockMax: c.most}
	for e, n := range c.errnos {
		if op.ErrorsBy == nil {
			op.ErrorsBy = map[string]int64{}
		}
		op.ErrorsBy[errnoName(e)] += n
	}
	op.SetRates(ns)
	return op, op.SetLatency(c.service, c.response)
}

// keyNames gives a function that names a job's keys.
func (p *phase) keyNames(job int) func(key) string {
	spans := map[key]string{}
	for name, k := range p.col.spans[job] {
		spans[k] = name
	}
	return func(k key) string {
		switch {
		case k < keyIteration:
			return engine.OpCode(k).String()
		case k == keyIteration:
			return "iteration"
		}
		return spans[k]
	}
}

// fillSeries puts what was recorded of a job into its series. Rows and totals agree: all
// that is in the totals completed while the job was measured.
func (p *phase) fillSeries(job int, r *report.Job, names func(key) string) {
	step := int64(p.plan.Interval)
	r.Intervals = r.EmptyIntervals(step)
	if len(r.Intervals) == 0 {
		return
	}
	first := r.Intervals[0].TNS / step
	for _, row := range p.col.jobs[job].series {
		i := row.index - first
		if i < 0 || i >= int64(len(r.Intervals)) {
			continue
		}
		iv := &r.Intervals[i]
		for _, k := range row.keys {
			iv.Ops[names(k.key)] = report.IntervalOp{
				IOPS: report.PerSecond(k.count, iv.DurationNS), Bandwidth: report.PerSecond(k.bytes, iv.DurationNS),
				P50NS: k.p50, P99NS: k.p99, MaxNS: k.max,
			}
		}
	}
}

// describeStream notes the conditions that a stream's figures hold for.
func (p *phase) describeStream(i int, s *Stream, r *report.Job) {
	r.Kind, r.Depth = "stream", p.depthOf(i)
	c := &r.Conditions
	if s.only() {
		c.Pattern = "what was written"
	} else if s.does(false) {
		c.Pattern = s.Read.At.String()
	}
	if w := s.Write.At.String(); s.does(true) && w != c.Pattern && !s.only() {
		c.Pattern = strings.TrimPrefix(c.Pattern+" / "+w, " / ")
	}
	p.describeFiles(s.Files, s.region, c)
	if s.DSync {
		c.Sync = "dsync"
	}
	c.Held = s.heldText()
	if !s.paced() {
		return
	}
	c.Rate, c.Arrival = s.RateText(), s.Arrival.String()
	r.Lag = p.lag(i)
}

// depthOf is how many of a stream's operations the workers have in flight together.
func (p *phase) depthOf(job int) int {
	n := 0
	for _, w := range p.workers {
		for _, s := range w.streams {
			if s.job == job {
				n += s.depth
			}
		}
	}
	return n
}

// shallower warns of a stream whose depth is more than its engine does at once.
func (p *phase) shallower(i int, r *report.Job) []report.Warning {
	s := p.plan.Jobs[i].Stream
	if s == nil || r.Depth >= s.Depth {
		return nil
	}
	info := p.groupOf(i).info
	return []report.Warning{{Code: "depth", Text: fmt.Sprintf(
		"%s: depth = %d was asked for, but engine %s does %d at a time on each thread: these are the figures of depth %d. Choose io_uring, libaio or pool for more, or ask for depth = %d.",
		r.Name, s.Depth, info.Name, info.Depth, r.Depth, r.Depth)}}
}

// describeFiles notes which files a job works on, and how many bytes of them.
func (p *phase) describeFiles(files []*engine.File, region func(*engine.File) int64, c *report.Conditions) {
	direct := 0
	for n, f := range files {
		if n < maxNames {
			c.Files = append(c.Files, f.Name)
		}
		c.SizeBytes += region(f)
		if f.Direct {
			direct++
		}
	}
	c.FileCount = len(files)
	switch {
	case p.s.FS.Memory():
	case direct == 0:
		c.IO = "buffered"
	case direct == len(files):
		c.IO = "direct"
	default:
		c.IO = "mixed"
	}
}

// lag sums how far the workers were behind a job's schedule.
func (p *phase) lag(job int) *report.Lag {
	var l lag
	if !p.closed.Load() {
		return nil
	}
	for _, w := range p.workers {
		for _, s := range w.streams {
			if s.job == job {
				l.join(&s.lag)
			}
		}
		for _, c := range w.clients {
			if c.job == job && c.arrivals != nil {
				l.join(&c.arrivals.lag)
			}
		}
	}
	r := &report.Lag{Scheduled: l.count + l.missed, Missed: l.missed, MaxNS: l.max}
	if l.count > 0 {
		r.MeanNS = l.sum.Float() / float64(l.count)
	}
	return r
}
