package vm

import (
	"math"

	lua "github.com/yuin/gopher-lua"

	"moonio/engine/dist"
	"moonio/engine/units"
)

// draws are the functions that choose by chance.
func (m *machine) draws() map[string]lua.LGFunction {
	return map[string]lua.LGFunction{"rand": m.randInt, "chance": m.chanceOf, "choose": m.choose}
}

func (m *machine) randInt(L *lua.LState) int {
	lo, hi := int64(1), whole(L, 1, "rand")
	if L.GetTop() > 1 {
		lo, hi = hi, whole(L, 2, "rand")
	}
	if hi < lo {
		L.RaiseError("rand: from %d to %d there is nothing to draw", lo, hi)
	}
	return pushInt(L, lo+int64(m.rand().Uint64n(uint64(hi-lo)+1)))
}

func (m *machine) chanceOf(L *lua.LState) int {
	p := number(L, 1, "chance", "the probability")
	if !(p >= 0 && p <= 1) {
		L.RaiseError("chance: %v is not a probability from 0 to 1", p)
	}
	L.Push(lua.LBool(m.rand().Float64() < p))
	return 1
}

func (m *machine) choose(L *lua.LState) int {
	t, ok := L.Get(1).(*lua.LTable)
	if !ok {
		L.RaiseError("choose: give it a list of values, or a table of weights, and not %s", show(L.Get(1)))
	}
	if t.RawGetInt(1) != lua.LNil {
		k := 1 + int(m.rand().Uint64n(uint64(t.Len())))
		v := t.RawGetInt(k)
		if v == lua.LNil {
			L.RaiseError("choose: value %d of the list is nil: a list has no holes, and a table of weights no key 1", k)
		}
		L.Push(v)
		return 1
	}
	entries := sorted(t)
	weights := make([]float64, len(entries))
	for i, e := range entries {
		w, ok := e.value.(lua.LNumber)
		if !ok {
			L.RaiseError("choose: the weight of %q is %s, and not a number", e.name, show(e.value))
		}
		weights[i] = float64(w)
	}
	c, err := dist.NewChoice(weights...)
	if err != nil {
		L.RaiseError("choose: %v", err)
	}
	L.Push(entries[c.Next(m.rand())].key)
	return 1
}

// unitFunctions convert between numbers and what people write.
func (m *machine) unitFunctions() map[string]lua.LGFunction {
	times := func(name string, factor float64, whole bool) lua.LGFunction {
		return func(L *lua.LState) int {
			v := number(L, 1, name, "the number") * factor
			if whole {
				v = math.Round(v)
			}
			L.Push(lua.LNumber(v))
			return 1
		}
	}
	text := func(name string, format func(float64) string) lua.LGFunction {
		return func(L *lua.LState) int {
			L.Push(lua.LString(format(number(L, 1, name, "the number"))))
			return 1
		}
	}
	return map[string]lua.LGFunction{
		"ms": times("ms", 1e-3, false), "us": times("us", 1e-6, false), "sec": times("sec", 1, false),
		"KiB": times("KiB", float64(units.KiB), true), "MiB": times("MiB", float64(units.MiB), true), "GiB": times("GiB", float64(units.GiB), true),
		"bytes":            func(L *lua.LState) int { return pushInt(L, args{L, "bytes"}.size(1, "the size")) },
		"seconds":          func(L *lua.LState) int { L.Push(inSeconds(args{L, "seconds"}.duration(1, "the duration"))); return 1 },
		"format_size":      text("format_size", units.ApproxSize),
		"format_duration":  text("format_duration", func(s float64) string { return units.ApproxDuration(s * 1e9) }),
		"format_rate":      text("format_rate", formatRate),
		"format_bandwidth": text("format_bandwidth", units.ApproxBandwidth),
	}
}

func formatRate(perSecond float64) string {
	n := units.ApproxCount(perSecond)
	if n == "-" {
		return n
	}
	return n + "/s"
}
