package lua51

import (
	"math"

	lua "github.com/yuin/gopher-lua"
)

func (s *State) openMath(o Options) {
	t := s.L.NewTable()
	t.RawSetString("pi", lua.LNumber(math.Pi))
	t.RawSetString("huge", lua.LNumber(math.Inf(1)))
	s.random = o.Random
	functions := map[string]lua.LGFunction{
		"frexp": frexp, "modf": modf, "max": extreme("max", math.Max), "min": extreme("min", math.Min),
		"random": s.mathRandom, "randomseed": s.seedRandom,
	}
	for name, fn := range map[string]func(float64) float64{
		"abs": math.Abs, "acos": math.Acos, "asin": math.Asin, "atan": math.Atan, "ceil": math.Ceil, "cos": math.Cos,
		"cosh": math.Cosh, "exp": math.Exp, "floor": math.Floor, "log": math.Log, "log10": math.Log10, "sin": math.Sin,
		"sinh": math.Sinh, "sqrt": math.Sqrt, "tan": math.Tan, "tanh": math.Tanh,
		"deg": func(x float64) float64 { return x / (math.Pi / 180) },
		"rad": func(x float64) float64 { return x * (math.Pi / 180) },
	} {
		functions[name] = func(L *lua.LState) int {
			L.Push(lua.LNumber(fn(checkNumber(L, 1, name))))
			return 1
		}
	}
	for name, fn := range map[string]func(a, b float64) float64{
		"atan2": math.Atan2, "fmod": math.Mod, "mod": math.Mod, "pow": math.Pow,
		"ldexp": func(a, b float64) float64 { return math.Ldexp(a, int(max(-1e4, min(1e4, b)))) },
	} {
		functions[name] = func(L *lua.LState) int {
			L.Push(lua.LNumber(fn(checkNumber(L, 1, name), checkNumber(L, 2, name))))
			return 1
		}
	}
	fill(s.L, t, functions)
	s.L.SetGlobal("math", t)
}

func frexp(L *lua.LState) int {
	m, e := math.Frexp(checkNumber(L, 1, "frexp"))
	L.Push(lua.LNumber(m))
	L.Push(lua.LNumber(e))
	return 2
}

func modf(L *lua.LState) int {
	x := checkNumber(L, 1, "modf")
	whole, part := math.Trunc(x), 0.0
	if !math.IsInf(x, 0) {
		part = x - whole
	}
	L.Push(lua.LNumber(whole))
	L.Push(lua.LNumber(math.Copysign(part, x)))
	return 2
}

func extreme(name string, better func(a, b float64) float64) lua.LGFunction {
	return func(L *lua.LState) int {
		x := checkNumber(L, 1, name)
		for i := 2; i <= L.GetTop(); i++ {
			x = better(x, checkNumber(L, i, name))
		}
		L.Push(lua.LNumber(x))
		return 1
	}
}

func (s *State) mathRandom(L *lua.LState) int {
	x := float64(s.random()>>11) * 0x1p-53
	lo, hi := 1.0, 1.0
	switch L.GetTop() {
	case 0:
		L.Push(lua.LNumber(x))
		return 1
	case 1:
		hi = math.Floor(checkNumber(L, 1, "random"))
	case 2:
		lo, hi = math.Floor(checkNumber(L, 1, "random")), math.Floor(checkNumber(L, 2, "random"))
	default:
		L.RaiseError("wrong number of arguments to 'random'")
	}
	if !(lo <= hi) {
		argError(L, L.GetTop(), "random", "interval is empty")
	}
	L.Push(lua.LNumber(min(hi, lo+math.Floor(x*(hi-lo+1)))))
	return 1
}

// seedRandom gives the state a generator of its own, SplitMix64.
func (s *State) seedRandom(L *lua.LState) int {
	state := math.Float64bits(checkNumber(L, 1, "randomseed"))
	s.random = func() uint64 {
		state += 0x9e3779b97f4a7c15
		z := state
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return z ^ z>>31
	}
	return 0
}
