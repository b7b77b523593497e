package run

import (
	"fmt"
	"runtime"

	"moonio/engine"
	"moonio/engine/place"
	"moonio/engine/report"
)

// group is workers that do the same: those that a phase's jobs share, or those of one
// job alone.
type group struct {
	threads Threads
	jobs    []int // what they do
	first   int   // the first worker's index in the phase
	open    func(engine.Config) (engine.Engine, error)
	info    engine.Info // of the first worker's engine
}

// divide makes the phase's groups.
func (p *phase) divide() {
	shared := &group{threads: Threads{Count: p.plan.Threads, Engine: p.plan.Engine, Place: p.plan.Place}}
	var own []*group
	for i := range p.plan.Jobs {
		if t := p.plan.Jobs[i].Own; t != nil {
			own = append(own, &group{threads: *t, jobs: []int{i}})
		} else {
			shared.jobs = append(shared.jobs, i)
		}
	}
	if len(shared.jobs) > 0 {
		p.groups = []*group{shared}
	}
	p.groups = append(p.groups, own...)
	n := 0
	for _, g := range p.groups {
		g.first = n
		n += g.threads.Count
	}
}

// threads is how many workers the phase has.
func (p *phase) threads() int {
	n := 0
	for _, g := range p.groups {
		n += g.threads.Count
	}
	return n
}

// groupOf is the one that does a job.
func (p *phase) groupOf(job int) *group {
	for _, g := range p.groups {
		for _, i := range g.jobs {
			if i == job {
				return g
			}
		}
	}
	return nil
}

// equip finds the groups' engines, and checks that their threads can be where they are to be.
func (p *phase) equip() error {
	for _, g := range p.groups {
		if err := p.equipGroup(g); err != nil {
			return p.blame(g, err)
		}
	}
	return nil
}

func (p *phase) equipGroup(g *group) error {
	g.open = p.s.Engine
	if !p.s.Virtual {
		if err := g.threads.Place.Check(); err != nil {
			return err
		}
	}
	spec := g.threads.Engine
	switch {
	case spec == "":
		return nil
	case p.s.Fixed != "":
		return p.s.checkEngine(spec)
	case p.s.Named == nil:
		return fmt.Errorf("engine = %q: there is only the run's engine here", spec)
	}
	open, err := p.s.Named(spec)
	if err != nil {
		return fmt.Errorf("engine = %q: %w", spec, err)
	}
	g.open = open
	return nil
}

// CheckEngines says what is wrong with the names of engines in a phase, without opening any.
func (s *Session) CheckEngines(p *Phase) error {
	if err := s.checkEngine(p.Engine); err != nil {
		return fmt.Errorf("%w %q: %w", ErrPlan, p.Name, err)
	}
	for i := range p.Jobs {
		if j := &p.Jobs[i]; j.Own != nil {
			if err := s.checkEngine(j.Own.Engine); err != nil {
				return fmt.Errorf("%w %q: job %q: %w", ErrPlan, p.Name, j.Name, err)
			}
		}
	}
	return nil
}

func (s *Session) checkEngine(spec string) error {
	if spec == "" || s.Check == nil {
		return nil
	}
	if err := s.Check(spec); err != nil {
		return fmt.Errorf("engine = %q: %w", spec, err)
	}
	return nil
}

// blame names the job whose threads an error is about, if they are its own.
func (p *phase) blame(g *group, err error) error {
	if p.plan.Jobs[g.jobs[0]].Own == nil {
		return err
	}
	return fmt.Errorf("job %q: %w", p.plan.Jobs[g.jobs[0]].Name, err)
}

// onThread calls f on a thread of its own, except where simulated time makes workers take
// turns: threads would only make that slow.
func (w *Worker) onThread(f func()) {
	switch {
	case w.p.s.Virtual:
		f()
	case w.group.threads.Place.IsZero():
		defer lockThread()()
		f()
	default:
		place.OnThread(f)
	}
}

// lockThread ties the goroutine to its thread until the returned function is called.
func lockThread() func() {
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}

// place puts the worker's thread where it is to be.
func (w *Worker) place() error {
	if w.p.s.Virtual {
		return nil
	}
	if err := w.group.threads.Place.Apply(w.member); err != nil {
		return w.p.blame(w.group, err)
	}
	return nil
}

// describeThreads notes what a job ran on.
func (p *phase) describeThreads(job int, r *report.Job) {
	g := p.groupOf(job)
	r.Threads, r.Alone = g.threads.Count, p.plan.Jobs[job].Own != nil
	r.Engine = g.info.Name
	if !p.s.Virtual {
		r.Place = g.threads.Place.String()
	}
}

// unused is what the phase says of its threads and this run does not heed.
func (p *phase) unused() []report.Warning {
	var list []report.Warning
	note := func(g *group, code, text string) {
		list = append(list, report.Warning{Code: code, Text: p.blame(g, fmt.Errorf("%s", text)).Error()})
	}
	for _, g := range p.groups {
		if t := &g.threads; t.Engine != "" && p.s.Fixed != "" {
			note(g, "engine", fmt.Sprintf("engine = %q is not used: %s decides", t.Engine, p.s.Fixed))
		}
		if g.info.Memory && !g.info.Prio {
			for _, i := range g.jobs {
				if s := p.plan.Jobs[i].Stream; s != nil && len(s.Prios) > 0 {
					list = append(list, report.Warning{Code: "ioprio", Text: fmt.Sprintf("job %q: ioprio_share has no effect: engine %s knows no priorities", p.plan.Jobs[i].Name, g.info.Name)})
				}
			}
		}
		if where := g.threads.Place.String(); where != "" && p.s.Virtual {
			note(g, "place", where+" has no effect: simulated operations take place on no CPU")
		}
	}
	return list
}
