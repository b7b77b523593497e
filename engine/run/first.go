package run

import (
	"slices"
	"sync/atomic"
)

// A departure is a worker's part of a job whose end is the phase's, or that others wait for.
type departure struct {
	job  int
	over func() bool // nothing is left to do or to wait for
}

// countParts says on how many workers each job has a part.
func (p *phase) countParts() {
	p.parts = make([]atomic.Int32, len(p.plan.Jobs))
	for i := range p.parts {
		p.parts[i].Store(int32(p.groupOf(i).threads.Count))
	}
}

// expectDepartures lists the parts of jobs of which something follows when they are done.
func (w *Worker) expectDepartures() {
	expect := func(job int, over func() bool) {
		if w.p.plan.Jobs[job].EndsPhase || w.p.awaited(job) {
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
		if w.p.plan.Jobs[d.job].EndsPhase {
			w.p.finish(endFirst)
		}
		return true
	})
}
