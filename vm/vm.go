// Package vm runs moonio's Lua scripts.
//
// A script's top level is the director: it runs once, in a state of its own, opens
// files and plays phases through engine/run. What its clients do is run by
// the workers: each has its own state, into which the clients' functions are carried
// with copies of what they captured, and each client is a coroutine there. An
// operation looks blocking to the script; the coroutine yields until its completion.
//
// Scripts get the DSL that stdlib/library/moonio.lua describes and a standard library without
// any way out. Every error names the file and the line.
package vm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	lua "github.com/yuin/gopher-lua"

	"moonio/engine/report"
	"moonio/engine/run"
	"moonio/vm/luaerr"
	"moonio/vm/luafix"
)

// Script is a compiled script. It can be run several times.
type Script struct {
	Name   string
	Source string
	proto  *lua.FunctionProto
}

// Load compiles a script. name is what errors call it, usually its file.
func Load(name, source string) (*Script, error) {
	proto, err := luafix.Compile(source, name)
	if err != nil {
		return nil, luaerr.New(err, func(string) (string, bool) { return source, true }, nil)
	}
	return &Script{Name: name, Source: source, proto: proto}, nil
}

// Params runs the script up to its params, or the first phase, and returns what it declares there.
func (s *Script) Params(ctx context.Context, require Resolver) ([]*Param, error) {
	short, cancel := shortly(ctx)
	defer cancel()
	d, err := newDirector(short, nowhere(require), s)
	if err != nil {
		return nil, err
	}
	defer d.m.close()
	d.describeOnly = true
	switch err := d.play(); {
	case err == nil, errors.Is(err, errStopHere), d.declared != nil:
	case short.Err() != nil && ctx.Err() == nil:
		return nil, fmt.Errorf("%s: the parameters are not known: it computes for more than %v before it declares them", s.Name, rehearsalTime)
	default:
		return nil, err
	}
	return d.declared, nil
}

// Do runs the script. When ctx is cancelled, the phase that is running ends and so
// does the script.
func (r *Run) Do(ctx context.Context, s *Script) *Outcome {
	d, err := newDirector(ctx, r, s)
	if err != nil {
		return &Outcome{Err: err}
	}
	defer d.m.close()
	defer r.closeAll()
	defer r.watchMemory(memoryLimit(), s.Name)()
	d.out.Err = d.play()
	if err := r.endVerification(); err != nil && d.out.Err == nil {
		d.out.Err = err
	}
	d.m.closeFiles()
	return d.out
}

// director is a script's top level while it runs.
type director struct {
	run      *Run
	m        *machine
	script   *Script
	out      *Outcome
	declared []*Param // nil until params was called

	describeOnly bool

	mu sync.Mutex // what clients on several threads print and log
}

func newDirector(ctx context.Context, r *Run, s *Script) (*director, error) {
	r.ctx = ctx
	r.machines = map[*machine]bool{}
	r.sources = map[string]string{s.Name: s.Source}
	r.kept = map[string]error{}
	r.Session.State, r.Session.Keep = r.openState, r.openKept
	d := &director{run: r, script: s, out: &Outcome{Params: map[string]any{}}}
	r.director = d
	var err error
	d.m, err = newMachine(r)
	return d, err
}

// play runs the script's top level to its end.
func (d *director) play() error {
	stop := context.AfterFunc(d.run.ctx, func() { d.m.interrupt(context.Canceled) })
	defer stop()
	fn := d.m.L.NewFunctionFromProto(d.script.proto)
	if err := d.m.call(fn); err != nil {
		return d.explain(err)
	}
	if d.declared == nil && !d.describeOnly {
		return unknownParam(d.run.Params, nil)
	}
	return nil
}

// explain makes of what ended the script what the user is to be told.
func (d *director) explain(err error) error {
	if d.run.ctx.Err() != nil {
		return context.Canceled
	}
	return d.m.explain(err)
}

// errStopHere ends a script that is only asked for its parameters.
var errStopHere = errors.New("parameters read")

// phase runs a phase and gives its result to the script.
func (d *director) phase(L *lua.LState) int {
	m := d.m
	if d.declared == nil {
		if err := unknownParam(d.run.Params, nil); err != nil {
			m.raise(L, err)
		}
	}
	if d.describeOnly {
		L.Error(stopHere(L), 0)
	}
	m.notes, m.bodies = nil, map[string]*lua.LFunction{}
	p, check := m.phasePlan(L)
	if d.run.Plan != nil {
		L.Push(d.plan(L, p))
		return 1
	}
	r, err := d.run.Session.Run(d.run.ctx, p)
	if r != nil {
		r.Warnings = append(r.Warnings, m.notes...)
		if err != nil {
			r.Error, _, _ = strings.Cut(err.Error(), "\n")
		}
		d.out.Phases = append(d.out.Phases, r)
	}
	var carry *carryError
	switch {
	case errors.As(err, &carry), errors.Is(err, run.ErrPlan), errors.Is(err, run.ErrStuck), errors.Is(err, run.ErrRunaway):
		L.RaiseError("%v", err)
	case err != nil:
		m.raise(L, err)
	case d.run.ctx.Err() != nil:
		m.raise(L, context.Canceled)
	}
	result := m.result(r)
	if check != lua.LNil {
		d.checkPhase(L, check, result, p.Name)
	}
	L.Push(result)
	return 1
}

// plan notes a phase that is not run, and returns what takes its result's place.
func (d *director) plan(L *lua.LState, p *run.Phase) lua.LValue {
	try := d.run.rehearsal
	if err := cmp.Or(p.Check(), d.run.Session.CheckEngines(p)); err != nil {
		if try != nil {
			try.fault = err
		}
		L.RaiseError("%v", err)
	}
	d.run.Plan.Phases = append(d.run.Plan.Phases, p)
	if try == nil {
		return d.m.result(planned(p))
	}
	try.played = true
	return d.m.unmeasured()
}

// checkPhase calls a phase's expect function. What it returns, if anything, is an
// expectation of its own.
func (d *director) checkPhase(L *lua.LState, fn lua.LValue, result *lua.LTable, phase string) {
	L.Push(fn)
	L.Push(result)
	L.Call(1, 1)
	v := L.Get(-1)
	L.Pop(1)
	if v != lua.LNil {
		file, line := d.m.state.Where(L)
		if f := fn.(*lua.LFunction); written(f) {
			file, line = f.Proto.SourceName, f.Proto.LineDefined
		}
		d.note(lua.LVAsBool(v), fmt.Sprintf("what phase %q expects", phase), file, line)
	}
}

func (d *director) note(passed bool, text, file string, line int) {
	d.out.Expectations = append(d.out.Expectations, report.Expectation{Text: text, Passed: passed, File: file, Line: line})
}

// expect states what must hold.
func (d *director) expect(L *lua.LState) int {
	passed := lua.LVAsBool(L.Get(1))
	if L.GetTop() == 0 {
		L.RaiseError("expect: what must hold? expect(r.reads.read.p99 < ms(5), \"…\")")
	}
	file, line := d.m.state.Where(L)
	text := d.sourceLine(file, line)
	if s, ok := L.Get(2).(lua.LString); ok {
		text = string(s)
	}
	if d.run.Plan == nil {
		d.note(passed, text, file, line)
	}
	L.Push(lua.LBool(passed))
	return 1
}

// log writes a line to standard error and into the result.
func (d *director) log(L *lua.LState) int {
	text := join(L, " ")
	if d.run.Plan != nil {
		return 0
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	line := report.LogLine{Text: text}
	if n := len(d.out.Phases); n > 0 {
		line.TNS = int64(run.Elapsed(d.out.Phases[n-1]))
	}
	d.out.Log = append(d.out.Log, line)
	fmt.Fprintf(d.run.Err, "%s\n", text)
	return 0
}

// printer is where print writes, for any worker.
type printer struct{ *director }

func (p printer) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.run.Out.Write(b)
}

// planned is the result that a phase of a plan gives the script: its jobs, and nothing
// measured.
func planned(p *run.Phase) *report.Phase {
	r := &report.Phase{Name: p.Name, DurationNS: int64(p.Duration)}
	for _, j := range p.Jobs {
		r.Jobs = append(r.Jobs, &report.Job{Name: j.Name, Ops: map[string]*report.Op{}})
	}
	return r
}

// sleep lets time pass.
func (m *machine) sleep(L *lua.LState) int {
	m.notThinking(L, "sleep")
	delay, err := toDelay(L.Get(1))
	if err != nil {
		L.RaiseError("sleep: how long: %v", err)
	}
	d := delay.Next(m.rand())
	if m.task == nil {
		if m.run.Plan == nil {
			if err := m.run.Session.Sleep(m.run.ctx, d); err != nil {
				m.raise(L, err)
			}
		}
		return 0
	}
	m.waitable(L, "sleep")
	m.client.wait = waitNothing
	m.task.Sleep(d)
	return m.yield(L)
}

// now is the engine's clock in seconds.
func (m *machine) now(L *lua.LState) int {
	m.notThinking(L, "now")
	m.beyondRehearsal(L)
	switch {
	case m.task != nil:
		L.Push(inSeconds(time.Duration(m.task.Now())))
	case m.run.Plan != nil:
		L.Push(lua.LNumber(0))
	default:
		ns, err := m.run.Session.Now()
		if err != nil {
			m.raise(L, err)
		}
		L.Push(inSeconds(time.Duration(ns)))
	}
	return 1
}
