package vm

import (
	"errors"
	"fmt"
	"math"

	lua "github.com/yuin/gopher-lua"

	"moonio/engine/hist"
	"moonio/engine/report"
)

// Place is what scripts are told of where they run. What is not known, or not there as
// on an engine without storage, is left at its zero value.
type Place struct {
	Engine string
	FSType string // "ext4"
	Source string // what is mounted, "/dev/nvme0n1p2", or the device that was named
	Size   int64  // of the file system or the device, in bytes
	Memory int64  // of the machine, in bytes
}

// measured is where the figures of an operation's or a job's result came from.
type measured struct {
	op   *report.Op  // nil of a job
	job  *report.Job // nil if several were put together
	name string
	fn   *lua.LFunction // what the job's clients do, of a job that has them
}

// figures are the functions on what was measured. Only the top level has results.
func (m *machine) figures() map[string]lua.LGFunction {
	return map[string]lua.LGFunction{
		"combine":    m.topLevel("combine", m.combine),
		"percentile": m.topLevel("percentile", m.percentile),
		"series":     m.topLevel("series", m.series),
		"storage":    m.topLevel("storage", m.storage),
	}
}

// remember keeps what the figures in t came from.
func (m *machine) remember(t *lua.LTable, from measured) {
	if m.measured == nil {
		m.measured = map[*lua.LTable]measured{}
	}
	m.measured[t] = from
}

// opArg takes an operation's result.
func (m *machine) opArg(L *lua.LState, n int, call string) measured {
	t, _ := L.Get(n).(*lua.LTable)
	from, ok := m.measured[t]
	if !ok || from.op == nil {
		L.RaiseError("%s: argument %d is %s, and not what a phase measured of an operation, as r.reads.read is", call, n, show(L.Get(n)))
	}
	return from
}

// combine makes one result of several.
func (m *machine) combine(L *lua.LState) int {
	if L.GetTop() == 0 {
		L.RaiseError("combine: which results? combine(r.ops.read, r.ops.write)")
	}
	sum := &report.Op{}
	service, response := hist.New(), hist.New()
	for n := 1; n <= L.GetTop(); n++ {
		op := m.opArg(L, n, "combine").op
		sum.Count += op.Count
		sum.Bytes += op.Bytes
		sum.Errors += op.Errors
		sum.Short += op.Short
		sum.IOPS += op.IOPS
		sum.Bandwidth += op.Bandwidth
		if err := errors.Join(merge(service, op.Service), merge(response, op.Response)); err != nil {
			m.raise(L, fmt.Errorf("combine: %w", err))
		}
	}
	if err := sum.SetLatency(service, response); err != nil {
		m.raise(L, fmt.Errorf("combine: %w", err))
	}
	t := m.opResult(sum)
	m.remember(t, measured{op: sum})
	L.Push(t)
	return 1
}

// merge adds a distribution, which may be nil.
func merge(to *hist.Histogram, l *report.Latency) error {
	if l == nil {
		return nil
	}
	h, err := l.Histogram()
	if err != nil {
		return err
	}
	to.Merge(h)
	return nil
}

// percentile is any percentile of an operation's service times.
func (m *machine) percentile(L *lua.LState) int {
	from := m.opArg(L, 1, "percentile")
	p, ok := L.Get(2).(lua.LNumber)
	if !ok || !(p >= 0 && p <= 100) {
		L.RaiseError("percentile: %s is not a number from 0 to 100", show(L.Get(2)))
	}
	if from.op.Service == nil {
		nan := lua.LNumber(math.NaN())
		if m.run.Plan != nil {
			nan = 0
		}
		L.Push(nan)
		return 1
	}
	h, err := from.op.Service.Histogram()
	if err != nil {
		m.raise(L, fmt.Errorf("percentile: %w", err))
	}
	ns := h.Percentile(float64(p))
	if p == 0 {
		ns = h.Min()
	}
	L.Push(nsToSeconds(float64(ns)))
	return 1
}

// series is an operation's figures interval by interval.
func (m *machine) series(L *lua.LState) int {
	from := m.opArg(L, 1, "series")
	if from.job == nil {
		L.RaiseError("series: results that were put together by combine have none: ask for each one's")
	}
	list := L.NewTable()
	for _, i := range from.job.Intervals {
		op, t := i.Ops[from.name], L.NewTable()
		set := func(name string, v lua.LNumber) { t.RawSetString(name, v) }
		set("start", nsToSeconds(float64(i.TNS)))
		set("duration", nsToSeconds(float64(i.DurationNS)))
		set("iops", lua.LNumber(op.IOPS))
		set("bandwidth", lua.LNumber(op.Bandwidth))
		set("p50", nsToSeconds(float64(op.P50NS)))
		set("p99", nsToSeconds(float64(op.P99NS)))
		set("max", nsToSeconds(float64(op.MaxNS)))
		L.SetMetatable(t, m.noSuchFigure)
		list.Append(t)
	}
	L.Push(list)
	return 1
}

// storage is what is known of where the run takes place.
func (m *machine) storage(L *lua.LState) int {
	m.beyondRehearsal(L)
	p, t := m.run.Place, L.NewTable()
	t.RawSetString("engine", lua.LString(p.Engine))
	t.RawSetString("type", lua.LString(p.FSType))
	t.RawSetString("source", lua.LString(p.Source))
	t.RawSetString("size", lua.LNumber(p.Size))
	t.RawSetString("memory", lua.LNumber(p.Memory))
	L.SetMetatable(t, m.noSuchFigure)
	L.Push(t)
	return 1
}
