package vm

import (
	"fmt"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"

	"moonio/engine/dist"
	"moonio/engine/run"
	"moonio/engine/units"
	"moonio/vm/luaerr"
)

// delay is a length of time that is drawn, as a script holds it.
type delay struct{ dist.Delay }

// delays are the functions that make them.
func (m *machine) delays() map[string]lua.LGFunction {
	return map[string]lua.LGFunction{"exponential": func(L *lua.LState) int {
		mean := args{L, "exponential"}.duration(1, "mean")
		if mean <= 0 {
			L.RaiseError("exponential: the mean must be above 0")
		}
		L.Push(m.wrap(&delay{dist.Delay{Mean: mean}}))
		return 1
	}}
}

// think reads when and how long the stream pauses. The function that may say how long
// is returned.
func (o *options) think(s *run.Stream) *lua.LFunction {
	v := o.get("think")
	t := &run.Think{
		Issued:  o.choice("think_after", "complete", "complete", "issue") == "issue",
		Spin:    o.duration("think_spin"),
		CatchUp: o.boolean("think_catch_up", false),
	}
	o.thinkEvery(t)
	if v == lua.LNil {
		for _, name := range []string{"think_after", "think_every", "think_spin", "think_catch_up"} {
			if o.has(name) {
				o.fail(name, "the stream has no pauses: give it think too")
			}
		}
		return nil
	}
	s.Think = t
	if fn, ok := v.(*lua.LFunction); ok {
		return fn
	}
	var err error
	if t.Time, err = toDelay(v); err != nil {
		o.fail("think", "%v", err)
	}
	return nil
}

// thinkEvery reads a number of operations, or a length of time.
func (o *options) thinkEvery(t *run.Think) {
	v := o.get("think_every")
	if s, ok := v.(lua.LString); ok {
		if d, err := units.Duration(string(s)); err == nil {
			if d <= 0 {
				o.fail("think_every", "it must be above 0")
			}
			t.After = d
			return
		}
	}
	t.Every = o.integer("think_every", 1, 1)
}

// toDelay reads a duration, a range "1ms-5ms" or {"1ms", "5ms"}, or what exponential makes.
func toDelay(v lua.LValue) (dist.Delay, error) {
	from, to := v, v
	switch v := v.(type) {
	case *lua.LUserData:
		if d, ok := v.Value.(*delay); ok {
			return d.Delay, nil
		}
		return dist.Delay{}, fmt.Errorf("%s is not a length of time", show(v))
	case lua.LString:
		if a, b, ok := strings.Cut(string(v), "-"); ok && a != "" {
			from, to = lua.LString(a), lua.LString(b)
		}
	case *lua.LTable:
		if v.Len() != 2 {
			return dist.Delay{}, fmt.Errorf("a range has two ends, as in {\"1ms\", \"5ms\"}, and this has %d", v.Len())
		}
		from, to = v.RawGetInt(1), v.RawGetInt(2)
	}
	var d dist.Delay
	var err error
	if d.From, err = toDuration(from); err != nil {
		return d, err
	}
	if d.To = d.From; from != to {
		if d.To, err = toDuration(to); err != nil {
			return d, err
		}
	}
	return d, d.Check()
}

// thoughts asks a script's function how long a stream thinks, on one worker.
type thoughts struct {
	*function
	at luaerr.Error // where it begins, if the script has it
}

// newThoughts carries the function of a stream to a worker.
func newThoughts(director *machine, w *run.Worker, name string, fn *lua.LFunction) (run.Pauses, error) {
	m, err := director.onWorker(w)
	if err != nil {
		return nil, err
	}
	t := &thoughts{}
	if t.function, err = m.function(fn, fmt.Sprintf("the think function of stream %q", name)); err != nil {
		return nil, err
	}
	if written(fn) {
		t.at = luaerr.Error{File: fn.Proto.SourceName, Line: fn.Proto.LineDefined}
	}
	return t, nil
}

// Next calls the function, which can compute and draw, but not wait.
func (t *thoughts) Next(r *dist.Rand) (time.Duration, error) {
	m := t.m
	task, chance := m.task, m.chance
	m.task, m.chance = nil, r
	defer func() { m.task, m.chance = task, chance }()
	v, err := t.call()
	if err != nil {
		return 0, err
	}
	d, err := toDuration(v)
	if err != nil {
		fault := t.at
		fault.Message = fmt.Sprintf("what the function returned: %v", err)
		return 0, &fault
	}
	return d, nil
}

func (t *thoughts) Interrupt(err error) { t.m.interrupt(err) }

func (t *thoughts) Close() { t.m.release() }

// notThinking refuses what only the script's top level and clients can do, in a function
// that says how long to think or what becomes of a record.
func (m *machine) notThinking(L *lua.LState, call string) {
	if m.mapping {
		L.RaiseError("%s: a map function only says what becomes of a record: it can compute and draw, and not do I/O or wait", call)
	}
	if m.worker > 0 && m.task == nil {
		L.RaiseError("%s: a think function only says how long to think: it can compute and draw, and not do I/O or wait", call)
	}
}
