package run

import (
	"fmt"
	"time"

	"moonio/engine/report"
)

// report turns what was recorded into the phase's result.
func (p *phase) report() (*report.Phase, error) {
	p.col.mu.Lock()
	defer p.col.mu.Unlock()
	if !p.closed.Load() {
		p.col.flush()
	}
	return p.reportAt(p.lastSeen())
}

// glimpse reports the intervals that are over while the phase goes on.
func (p *phase) glimpse() (*report.Phase, error) {
	p.col.mu.Lock()
	defer p.col.mu.Unlock()
	if p.closed.Load() {
		return p.reportAt(p.lastSeen())
	}
	r, err := p.reportAt(p.from + p.col.next*int64(p.plan.Interval))
	if err == nil {
		r.End = "" // it has none yet
	}
	return r, err
}

// reportAt reports the phase as of a time. The caller holds the collector.
func (p *phase) reportAt(last int64) (*report.Phase, error) {
	from := p.measuredFrom()
	r := &report.Phase{
		Name:       p.plan.Name,
		StartNS:    from - p.s.origin,
		WarmupNS:   from - p.start,
		DurationNS: last - p.from,
		IntervalNS: int64(p.plan.Interval),
		Threads:    p.threads(),
		End:        p.ended(),
		Steady:     p.settling.report(),
	}
	if !p.s.Virtual {
		p.reportLoad(r)
	}
	for i := range p.plan.Jobs {
		j, err := p.reportJob(i, last)
		if err != nil {
			return nil, fmt.Errorf("job %q: %w", p.plan.Jobs[i].Name, err)
		}
		r.Jobs = append(r.Jobs, j)
		r.Warnings = append(r.Warnings, p.shallower(i, j)...)
		r.Warnings = append(r.Warnings, p.unverified(i, j)...)
	}
	r.Warnings = report.Merge(append(r.Warnings, p.unused()...))
	if n := p.runaways.Load(); n > 0 {
		r.Warnings = append(r.Warnings, report.Warning{Code: "runaway", Text: fmt.Sprintf(
			"%d clients were still computing when the phase was over and had to be stopped; look for a loop without I/O or sleep", n)})
	}
	r.Warnings = append(r.Warnings, p.stops.warnings()...)
	return r, nil
}

// measuredFrom is when measuring began. A phase that ended in its warm-up ended there.
func (p *phase) measuredFrom() int64 { return max(p.start, min(p.from, p.lastAtWork())) }

// lastSeen is when the phase was over: at the last completion of all, or when its
// time was up and nothing was in flight.
func (p *phase) lastSeen() int64 { return max(p.from, p.lastAtWork()) }

// lastAtWork is when something was last done, be it in the warm-up.
func (p *phase) lastAtWork() int64 {
	if !p.closed.Load() {
		return p.s.now(p, p.col.live.Load())
	}
	last := p.start
	for _, w := range p.workers {
		last = max(last, w.last)
	}
	return last
}

func (p *phase) ended() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.reason != "":
		return p.reason
	case p.lastSeen() >= p.end:
		return endDuration
	}
	return endDone
}

func (p *phase) reportLoad(r *report.Phase) {
	r.CPU = p.processUsed().CPU
	r.Device = p.deviceTraffic()
	if !p.closed.Load() {
		return // left in the middle: the workers' own figures are still theirs
	}
	var busy, loops int64
	for _, w := range p.workers {
		v := &w.watch
		if !v.measuring || v.loops == 0 {
			continue
		}
		if span := v.left - v.began; span > 0 {
			r.Load.BusyShare = max(r.Load.BusyShare, float64(v.busy)/float64(span))
		}
		if w.inline { // what completes within a submission is timed there, and waits for nobody
			continue
		}
		r.Load.ReapMaxNS = max(r.Load.ReapMaxNS, v.longest)
		busy += v.busy
		loops += v.loops
	}
	if loops > 0 {
		// A completion that comes at any moment of a stretch waits half of it.
		r.Load.ReapMeanNS = float64(busy) / float64(loops) / 2
	}
}

func (p *phase) deviceTraffic() *report.Traffic {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.traffic.end()
}

// Elapsed is how much of the session's time has passed by the end of a phase.
func Elapsed(r *report.Phase) time.Duration { return time.Duration(r.StartNS + r.DurationNS) }

// maxNames is how many of a job's files are named in its result.
const maxNames = 4
