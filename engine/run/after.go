package run

import (
	"fmt"
	"slices"
	"sync/atomic"

	"moonio/engine"
)

// turn is when a job begins that others have to be over for.
type turn struct {
	left  atomic.Int32 // of the jobs that it waits for
	begun atomic.Int64 // on the engines' clock; 0: not yet
}

// countTurns says how many jobs each waits for.
func (p *phase) countTurns() {
	p.waits = make([]turn, len(p.plan.Jobs))
	for i := range p.plan.Jobs {
		for k := range p.plan.Jobs {
			if slices.Contains(p.plan.Jobs[i].After, p.plan.Jobs[k].Name) {
				p.waits[i].left.Add(1)
			}
		}
	}
}

// awaited says whether others wait for a job.
func (p *phase) awaited(job int) bool {
	return slices.ContainsFunc(p.plan.Jobs, func(j Job) bool { return slices.Contains(j.After, p.plan.Jobs[job].Name) })
}

// jobOver lets those begin that have waited for a job, and for nothing else any more.
func (p *phase) jobOver(job int, now int64) {
	begun := false
	for i := range p.plan.Jobs {
		if t := &p.waits[i]; slices.Contains(p.plan.Jobs[i].After, p.plan.Jobs[job].Name) && t.left.Add(-1) == 0 {
			t.begun.Store(now)
			begun = true
		}
	}
	if begun {
		for _, w := range p.workers {
			w.wake()
		}
	}
}

// turnOf is when a job that waits for others begins; engine.NoDeadline while that is not known.
func (p *phase) turnOf(job int) int64 {
	if at := p.waits[job].begun.Load(); at > 0 {
		return max(at, p.from)
	}
	return engine.NoDeadline
}

// join begins the jobs whose turn has come.
func (w *Worker) join() {
	w.waiting = slices.DeleteFunc(w.waiting, func(job int) bool {
		if w.p.turnOf(job) == engine.NoDeadline {
			return false
		}
		for _, s := range w.streams {
			if s.job == job {
				s.schedule(w)
			}
		}
		for _, y := range w.players {
			if y.job == job {
				y.schedule(w)
			}
		}
		for _, c := range w.clients {
			if c.job == job {
				c.schedule(w)
			}
		}
		return true
	})
}

// validateTurns refuses jobs that wait for what there is not, or for what is never over.
func (p *Phase) validateTurns() error {
	over := map[string]bool{}
	for more := true; more; { // each time those that only wait for others that come to an end
		more = false
		for i := range p.Jobs {
			j := &p.Jobs[i]
			if over[j.Name] || j.endless() && p.Duration == 0 && !p.endedBy(j.Name) || slices.ContainsFunc(j.After, func(name string) bool { return !over[name] }) {
				continue
			}
			over[j.Name], more = true, true
		}
	}
	for i := range p.Jobs {
		j := &p.Jobs[i]
		for _, name := range j.After {
			switch {
			case !slices.ContainsFunc(p.Jobs, func(o Job) bool { return o.Name == name }):
				return fmt.Errorf("job %q: after: the phase has no job %q", j.Name, name)
			case !over[name]:
				return fmt.Errorf("job %q: after: job %q would never be over", j.Name, name)
			}
		}
	}
	return nil
}
