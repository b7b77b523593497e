package vm

import (
	"fmt"
	"strings"
	"unicode"

	lua "github.com/yuin/gopher-lua"

	"moonio/engine/run"
)

// job is a stream or clients as a script holds it: it can go into several phases.
type job struct {
	run.Job
	fn    *lua.LFunction // the clients' function, in the director's state
	think *lua.LFunction // that says how long a stream thinks, likewise
}

func (m *machine) jobName(L *lua.LState, call string) string {
	name, ok := L.Get(1).(lua.LString)
	if !ok || name == "" {
		L.RaiseError("%s: the first argument is the job's name, and is %s", call, show(L.Get(1)))
	}
	printable(L, call, string(name))
	if name == "name" || name == "duration" {
		L.RaiseError("%s: a job cannot be named %q: the phase's result has a field of that name", call, string(name))
	}
	return string(name)
}

// printable refuses a name that would upset the report it stands in.
func printable(L *lua.LState, call, name string) {
	if strings.ContainsFunc(name, unicode.IsControl) {
		L.RaiseError("%s: the name %q holds a control character", call, name)
	}
}

// clients makes a job from clients(name, n, [options,] fn).
func (m *machine) clients(L *lua.LState) int {
	m.directorOnly(L, "clients")
	name := m.jobName(L, "clients")
	call := fmt.Sprintf("clients %q", name)
	n, err := toInteger(L.Get(2))
	if err != nil {
		L.RaiseError("%s: the number of clients: %v", call, err)
	}
	if n < 1 {
		L.RaiseError("%s: the number of clients is %d: at least 1 is needed", call, n)
	}
	j := &job{Job: run.Job{Name: name, Clients: &run.Clients{Count: int(n)}}}
	at := 3
	if L.GetTop() > 3 {
		o := optionsAt(L, 3, call)
		j.Start, j.Duration, j.Own = o.duration("start"), o.duration("duration"), o.ownThreads()
		j.EndsPhase, j.After, j.Ends = o.boolean("ends_phase", false), o.jobNames("after"), o.jobNames("ends")
		j.Clients.Turns = o.integer("iterations", 0, 1)
		j.Clients.Rate = o.paceOf("rate")
		j.Clients.Arrival = o.arrival(j.Clients.Rate != nil)
		o.done()
		at = 4
	}
	fn, ok := L.Get(at).(*lua.LFunction)
	if !ok {
		L.RaiseError("%s: what a client does is a function, and this is %s", call, show(L.Get(at)))
	}
	j.fn = fn
	L.Push(m.wrap(j))
	return 1
}

// bind gives a clients' job the program that its function is.
func (m *machine) bind(j *job) run.Job {
	r := j.Job
	if j.fn != nil {
		m.noteAssigned(j.Name, j.fn)
		m.bodies[j.Name] = j.fn
		c := *r.Clients
		c.Program = func(w *run.Worker) (run.Program, error) { return newProgram(m, w, j) }
		r.Clients = &c
	}
	if j.think != nil {
		m.noteAssigned(j.Name, j.think)
		s, t := *r.Stream, *r.Stream.Think
		t.Program = func(w *run.Worker) (run.Pauses, error) { return newThoughts(m, w, j.Name, j.think) }
		s.Think = &t
		r.Stream = &s
	}
	return r
}
