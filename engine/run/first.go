package run

import (
	"fmt"
	"slices"
	"sync/atomic"
)

// A departure is a worker's part of a job whose end is the phase's or other jobs', or that others wait for.
type departure struct {
	job  int
	over func() bool // nothing is left to do or to wait for
}

// countParts says on how many workers each job has a part.
func (p *phase) countParts() {
	p.parts = make([]atomic.Int32, len(p.plan.Jobs))
	p.cut = make([]atomic.Bool, len(p.plan.Jobs))
	for i := range p.parts {
		p.parts[i].Store(int32(p.groupOf(i).threads.Count))
	}
}

// expectDepartures lists the parts of jobs of which something follows when they are done.
func (w *Worker) expectDepartures() {
	expect := func(job int, over func() bool) {
		if j := &w.p.plan.Jobs[job]; j.EndsPhase || len(j.Ends) > 0 || w.p.awaited(job) {
			w.departures = append(w.departures, departure{job, over})
		}
	}
	for _, s := range w.streams {
		expect(s.job, func() bool { return s.over() && !s.ending && len(s.free) == s.depth })
	}
	for _, y := range w.players {
		expect(y.job, func() bool { return y.over() && len(y.free) == len(y.flights) })
	}
	for _, c := range w.clients {
		expect(c.job, func() bool { return c.live == 0 })
	}
}

// depart ends the phase, or lets others begin, when the last part of such a job is over.
func (w *Worker) depart() {
	w.departures = slices.DeleteFunc(w.departures, func(d departure) bool {
		if !d.over() {
			return false
		}
		if w.p.parts[d.job].Add(-1) > 0 {
			return true
		}
		w.p.jobOver(d.job, w.now)
		w.p.endOthers(&w.p.plan.Jobs[d.job])
		if w.p.plan.Jobs[d.job].EndsPhase {
			w.p.finish(endFirst)
		}
		return true
	})
}

// endOthers ends the jobs that end with this one.
func (p *phase) endOthers(j *Job) {
	if len(j.Ends) == 0 {
		return
	}
	for i := range p.plan.Jobs {
		if slices.Contains(j.Ends, p.plan.Jobs[i].Name) {
			p.cut[i].Store(true)
		}
	}
	p.endings.Add(1)
	for _, w := range p.workers {
		w.wake()
	}
}

// closeEnded takes note of jobs that others have ended. One that has not begun has nothing to make durable.
func (w *Worker) closeEnded() {
	n := w.p.endings.Load()
	if n == w.endings {
		return
	}
	w.endings = n
	for _, s := range w.streams {
		if w.p.cut[s.job].Load() {
			if !s.over() {
				w.jobEnd[s.job] = w.now
			}
			s.closed = true
			s.ending = s.ending && w.now >= s.begin
		}
	}
	for _, y := range w.players {
		if w.p.cut[y.job].Load() {
			if !y.over() {
				w.jobEnd[y.job] = w.now
			}
			y.closed = true
		}
	}
}

// mayBeEnded says whether another job may end the one of that name before it is done.
func (p *Phase) mayBeEnded(name string) bool {
	return slices.ContainsFunc(p.Jobs, func(j Job) bool { return slices.Contains(j.Ends, name) })
}

// endedBy says whether a job that comes to an end ends the one of that name.
func (p *Phase) endedBy(name string) bool {
	return slices.ContainsFunc(p.Jobs, func(j Job) bool { return !j.endless() && slices.Contains(j.Ends, name) })
}

// validateEnds refuses jobs that are to end what there is not, or what has to come to its end by itself.
func (p *Phase) validateEnds() error {
	for i := range p.Jobs {
		for _, name := range p.Jobs[i].Ends {
			at := slices.IndexFunc(p.Jobs, func(o Job) bool { return o.Name == name })
			switch {
			case at < 0:
				return fmt.Errorf("job %q: ends: the phase has no job %q", p.Jobs[i].Name, name)
			case p.Jobs[at].Clients != nil:
				return fmt.Errorf("job %q: ends: %q are clients: they can look at an event", p.Jobs[i].Name, name)
			}
		}
	}
	return nil
}
