package vm

import (
	"fmt"
	"syscall"
	"time"

	lua "github.com/yuin/gopher-lua"

	"moonio/engine/fault"
	"moonio/engine/run"
)

// faults reads one rule or a list of rules.
func (o *options) faults(name string) []*fault.Rule {
	var texts []lua.LValue
	switch v := o.get(name).(type) {
	case *lua.LNilType:
		return nil
	case *lua.LTable:
		texts = o.list(name, v)
	default:
		texts = append(texts, v)
	}
	var rules []*fault.Rule
	for _, t := range texts {
		s, ok := t.(lua.LString)
		if !ok {
			o.fail(name, "%s is not a rule such as \"read:errno=EIO,every=1000\"", show(t))
		}
		r, err := fault.Parse(string(s))
		if err != nil {
			o.fail(name, "%v", err)
		}
		rules = append(rules, r)
	}
	return rules
}

// phasePlan reads phase(name, options, jobs…).
func (m *machine) phasePlan(L *lua.LState) (*run.Phase, lua.LValue) {
	name, ok := L.Get(1).(lua.LString)
	if !ok || name == "" {
		L.RaiseError("phase: the first argument is the phase's name, and is %s", show(L.Get(1)))
	}
	printable(L, "phase", string(name))
	call := fmt.Sprintf("phase %q", string(name))
	o := optionsAt(L, 2, call)
	p := &run.Phase{
		Name:       string(name),
		Warmup:     o.duration("warmup"),
		Duration:   o.duration("duration"),
		Ops:        o.integer("ops", 0, 1),
		Bytes:      o.size("bytes", 0),
		Iterations: o.integer("iterations", 0, 1),
		Threads:    int(o.integer("threads", 1, 1)),
		Engine:     o.engine(),
		Place:      o.place(),
		Interval:   o.duration("interval"),
		Steady:     o.steady(),
	}
	p.Count, p.Counted = o.onError()
	if p.Interval == 0 {
		p.Interval = m.run.Interval
	}
	check := o.get("expect")
	if _, ok := check.(*lua.LFunction); !ok && check != lua.LNil {
		o.fail("expect", "%s is not a function of the phase's result", show(check))
	}
	faults := o.faults("fault")
	o.done()
	m.run.wrapEngine(p, faults)
	m.jobs(L, p, call)
	if p.Interval == 0 {
		p.Interval = intervalOf(p)
	}
	for _, j := range p.Jobs {
		if p.Steady != nil && j.Name == "steady" {
			L.RaiseError("%s: a job cannot be named \"steady\" where the phase is to become steady: its result has a field of that name", call)
		}
	}
	return p, check
}

// onError says whether failed operations are counted, and which: "count" is all, and a list of names those.
func (o *options) onError() (count bool, list []syscall.Errno) {
	t, ok := o.get("on_error").(*lua.LTable)
	if !ok {
		return o.choice("on_error", "stop", "stop", "count") == "count", nil
	}
	for _, v := range o.list("on_error", t) {
		e, err := fault.Errno(v.String())
		if err != nil {
			o.fail("on_error", "%v", err)
		}
		list = append(list, e)
	}
	if len(list) == 0 {
		o.fail("on_error", "the list is empty: write { \"EIO\", \"ENOSPC\" }, or \"count\" for all errors")
	}
	return true, list
}

// mostIntervals is how many a phase has whose intervals are not chosen: each is kept.
const mostIntervals = 50_000

// intervalOf is the step of a phase's series where nobody says one: longer than usual if the phase is known to
// last so long that they would be too many.
func intervalOf(p *run.Phase) time.Duration {
	last := p.Duration
	for _, j := range p.Jobs {
		if j.Replay != nil {
			last = max(last, j.Replay.Span)
		}
	}
	step := run.DefaultInterval
	if p.Steady != nil {
		return step
	}
	for _, longer := range []time.Duration{10 * time.Second, time.Minute, 10 * time.Minute, time.Hour, 24 * time.Hour} {
		if last/step <= mostIntervals {
			break
		}
		step = longer
	}
	return step
}

// jobs collects a phase's jobs: arguments from the third on, each a job or a list of jobs.
func (m *machine) jobs(L *lua.LState, p *run.Phase, call string) {
	for i := 3; i <= L.GetTop(); i++ {
		m.addJob(L, p, call, L.Get(i))
	}
	if len(p.Jobs) == 0 {
		L.RaiseError("%s: no jobs: give it streams or clients after the options", call)
	}
}

func (m *machine) addJob(L *lua.LState, p *run.Phase, call string, v lua.LValue) {
	switch v := v.(type) {
	case *lua.LUserData:
		if j, ok := v.Value.(*job); ok {
			p.Jobs = append(p.Jobs, m.bind(j))
			return
		}
	case *lua.LTable:
		jobs, err := list(v)
		if err != nil {
			L.RaiseError("%s: jobs: %v", call, err)
		}
		for _, j := range jobs {
			m.addJob(L, p, call, j)
		}
		return
	}
	L.RaiseError("%s: %s is not a job: jobs are made by stream and clients", call, show(v))
}
