package vm

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"moonio/engine/pace"
	"moonio/engine/run"
)

// rateCurve is a rate over time as a script holds it.
type rateCurve struct{ pace.Rate }

// rateMakers are the functions that make rates that change.
func (m *machine) rateMakers() map[string]lua.LGFunction {
	push := func(L *lua.LState, call string, r pace.Rate, err error) int {
		if err != nil {
			L.RaiseError("%s: %v", call, err)
		}
		L.Push(m.wrap(&rateCurve{r}))
		return 1
	}
	return map[string]lua.LGFunction{
		"ramp": func(L *lua.LState) int {
			a := args{L, "ramp"}
			from, to := a.rate(1, "from"), a.rate(2, "to")
			r, err := pace.Ramp(from, to, a.duration(3, "over"))
			return push(L, "ramp", r, err)
		},
		"burst": func(L *lua.LState) int {
			o := optionsAt(L, 1, "burst")
			base, peak := o.rate("base"), o.rate("peak")
			every, length := o.duration("every"), o.duration("length")
			o.done()
			r, err := pace.Burst(base, peak, every, length)
			return push(L, "burst", r, err)
		},
		"steps": func(L *lua.LState) int {
			list, err := stepList(L.Get(1))
			if err != nil {
				L.RaiseError("steps: %v", err)
			}
			r, err := pace.Steps(list...)
			return push(L, "steps", r, err)
		},
	}
}

func stepList(v lua.LValue) ([]pace.Step, error) {
	t, ok := v.(*lua.LTable)
	if !ok || t.Len() == 0 {
		return nil, fmt.Errorf("a list of rates and for how long: steps{ {\"1k/s\", \"10s\"}, {\"20k/s\", \"5s\"} }")
	}
	values, err := list(t)
	if err != nil {
		return nil, err
	}
	var steps []pace.Step
	for i, v := range values {
		pair, ok := v.(*lua.LTable)
		if !ok || pair.Len() != 2 {
			return nil, fmt.Errorf("step %d is not a pair such as {\"1k/s\", \"10s\"}", i+1)
		}
		r, err := toRate(pair.RawGetInt(1))
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
		d, err := toDuration(pair.RawGetInt(2))
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
		steps = append(steps, pace.Step{Rate: r, For: d})
	}
	return steps, nil
}

// rates reads which rates a stream keeps to, and how its operations arrive.
func (m *machine) rates(o *options, s *run.Stream) {
	s.Rate, s.ReadRate, s.WriteRate = o.paceOf("rate"), o.paceOf("read_rate"), o.paceOf("write_rate")
	s.Arrival = o.arrival(s.RateText() != "")
}

// arrival is how what has a rate is spaced.
func (o *options) arrival(rated bool) pace.Arrival {
	name := o.choice("arrival", "", "uniform", "poisson")
	switch {
	case !rated && name != "":
		o.fail("arrival", "%q needs a rate: without one, each begins when the one before it is over", name)
	case !rated:
		return pace.Closed
	case name == "poisson":
		return pace.Poisson
	}
	return pace.Uniform
}

// paceOf is a rate; nil if it was not given.
func (o *options) paceOf(name string) *pace.Rate {
	switch v := o.get(name).(type) {
	case *lua.LNilType:
		return nil
	case *lua.LUserData:
		if c, ok := v.Value.(*rateCurve); ok {
			return &c.Rate
		}
		o.fail(name, "%s is not a rate", show(v))
	default:
		one, err := toRate(v)
		if err != nil {
			o.fail(name, "%v", err)
		}
		r, err := pace.Constant(one)
		if err != nil {
			o.fail(name, "%v", err)
		}
		return &r
	}
	return nil
}
