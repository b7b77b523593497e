package vm

import (
	"fmt"
	"math"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"moonio/engine"
	"moonio/engine/report"
	"moonio/engine/units"
	"moonio/vm/lua51"
)

// result makes a phase's result into a value for the script. Names that are
// not there raise an error and are not nil, so that a slip in one cannot pass
// for a measurement.
func (m *machine) result(r *report.Phase) *lua.LTable {
	t := m.L.NewTable()
	t.RawSetString("name", lua.LString(r.Name))
	t.RawSetString("duration", nsToSeconds(float64(r.DurationNS)))
	t.RawSetString("cpu", m.cpuResult(r.CPU))
	if r.Steady != nil {
		t.RawSetString("steady", m.steadyResult(r.Steady))
	}
	for _, j := range r.Jobs {
		t.RawSetString(j.Name, m.jobResult(j))
	}
	m.L.SetMetatable(t, m.noSuchJob)
	return t
}

// cpuResult is the processor time that a phase used.
func (m *machine) cpuResult(c report.CPU) *lua.LTable {
	t := m.L.NewTable()
	t.RawSetString("user", nsToSeconds(float64(c.UserNS)))
	t.RawSetString("system", nsToSeconds(float64(c.SystemNS)))
	m.L.SetMetatable(t, m.noSuchFigure)
	return t
}

// steadyResult is whether the phase became steady.
func (m *machine) steadyResult(s *report.Steady) *lua.LTable {
	t := m.L.NewTable()
	value := lua.LNumber(math.NaN())
	if s.Value != nil {
		value = lua.LNumber(*s.Value)
	}
	t.RawSetString("metric", lua.LString(s.Metric))
	t.RawSetString("reached", lua.LBool(s.Reached))
	t.RawSetString("value", value)
	t.RawSetString("limit", lua.LNumber(s.Limit))
	t.RawSetString("window", nsToSeconds(float64(s.WindowNS)))
	m.L.SetMetatable(t, m.noSuchFigure)
	return t
}

func (m *machine) jobResult(j *report.Job) *lua.LTable {
	t := m.L.NewTable()
	for _, name := range j.OpNames() { // in one order, so that a script that goes through them does the same each time
		op := j.Ops[name]
		r := m.opResult(op)
		m.remember(r, measured{op: op, job: j, name: name})
		t.RawSetString(name, r)
	}
	t.RawSetString("duration", nsToSeconds(float64(j.DurationNS)))
	if j.Verify != nil {
		t.RawSetString("verify", m.verifyResult(j.Verify))
	}
	m.remember(t, measured{job: j, fn: m.bodies[j.Name]})
	m.L.SetMetatable(t, m.noSuchOp)
	return t
}

func (m *machine) opResult(op *report.Op) *lua.LTable {
	t := m.L.NewTable()
	set := func(name string, v float64) { t.RawSetString(name, lua.LNumber(v)) }
	set("count", float64(op.Count))
	set("bytes", float64(op.Bytes))
	set("errors", float64(op.Errors))
	set("short", float64(op.Short))
	set("iops", op.IOPS)
	set("bandwidth", op.Bandwidth)
	m.setLatency(t, op.Service)
	response := m.L.NewTable()
	m.setLatency(response, op.Response)
	m.L.SetMetatable(response, m.noSuchFigure)
	t.RawSetString("response", response)
	m.L.SetMetatable(t, m.noSuchFigure)
	return t
}

// setLatency puts a distribution's figures into a table, in seconds. Without a
// sample they are not a number, with which no comparison holds; in a plan, where
// nothing is measured, they are 0.
func (m *machine) setLatency(t *lua.LTable, l *report.Latency) {
	nan := math.NaN()
	if m.run.Plan != nil {
		nan = 0
	}
	f := [10]float64{nan, nan, nan, nan, nan, nan, nan, nan, nan, nan}
	if l != nil {
		f = [10]float64{float64(l.MinNS), l.MeanNS, float64(l.MaxNS), l.StdDevNS, float64(l.P50NS), float64(l.P90NS),
			float64(l.P95NS), float64(l.P99NS), float64(l.P999NS), float64(l.P9999NS)}
	}
	for i, name := range figureNames {
		t.RawSetString(name, nsToSeconds(f[i]))
	}
}

var figureNames = [10]string{"min", "mean", "max", "stddev", "p50", "p90", "p95", "p99", "p999", "p9999"}

func nsToSeconds(ns float64) lua.LNumber { return lua.LNumber(ns / 1e9) }

// resultText is what a result says of itself where it is printed.
func (m *machine) resultText(L *lua.LState) int {
	t := L.CheckTable(1)
	from := m.measured[t]
	text := "a result with " + strings.Join(keys(t), ", ")
	if op := from.op; op != nil {
		text = fmt.Sprintf("%s operations, %s/s", units.ApproxCount(float64(op.Count)), units.ApproxCount(op.IOPS))
		if op.Bytes > 0 {
			text += ", " + units.ApproxBandwidth(op.Bandwidth)
		}
		if s := op.Service; s != nil {
			text += fmt.Sprintf(", mean %s, p99 %s", units.ApproxDuration(s.MeanNS), units.ApproxDuration(float64(s.P99NS)))
		}
	}
	L.Push(lua.LString(text))
	return 1
}

// missing are the __index functions of results.
func (m *machine) missing() map[string]lua.LGFunction {
	return map[string]lua.LGFunction{
		"job": func(L *lua.LState) int {
			t, name := L.CheckTable(1), L.Get(2).String()
			L.RaiseError("this phase has no job %q%s; it has %s", name, meant(name, keys(t)), strings.Join(keys(t), ", "))
			return 0
		},
		"op": func(L *lua.LState) int {
			t, name := L.CheckTable(1), L.Get(2).String()
			if m.run.Plan != nil && name == "verify" {
				L.Push(m.verifyResult(&report.Verification{}))
				return 1
			}
			from := m.measured[t]
			if m.run.Plan != nil || isOp(name) || from.fn != nil && lua51.Mentions(from.fn, name) { // a span that was never reached
				op := &report.Op{}
				r := m.opResult(op)
				m.remember(r, measured{op: op, job: from.job, name: name})
				L.Push(r)
				return 1
			}
			L.RaiseError("this job measured nothing named %q%s; it has %s", name, meant(name, keys(t)), strings.Join(keys(t), ", "))
			return 0
		},
		"param": func(L *lua.LState) int {
			t, name := L.CheckTable(1), L.Get(2).String()
			L.RaiseError("params declares no %q%s; it has %s", name, meant(name, keys(t)), strings.Join(keys(t), ", "))
			return 0
		},
		"figure": func(L *lua.LState) int {
			t, name := L.CheckTable(1), L.Get(2).String()
			L.RaiseError("there is no figure %q%s; there are %s", name, meant(name, keys(t)), strings.Join(keys(t), ", "))
			return 0
		},
	}
}

// isOp says whether an operation of that name could have been measured: if it
// was not, its count is 0.
func isOp(name string) bool {
	for c := engine.Read; c < engine.NumOpCodes; c++ {
		if c.String() == name {
			return true
		}
	}
	return name == "iteration"
}

func keys(t *lua.LTable) []string {
	var list []string
	t.ForEach(func(k, _ lua.LValue) { list = append(list, k.String()) })
	slices.Sort(list)
	return list
}
