package lua51

import (
	"math"

	lua "github.com/yuin/gopher-lua"
)

// openArithmetic makes operators take texts for the numbers that tonumber takes them
// for. gopher-lua would take "010" for eight.
func (s *State) openArithmetic() {
	mt, ok := s.L.GetMetatable(lua.LString("")).(*lua.LTable)
	if !ok {
		return
	}
	for event, op := range map[string]func(a, b float64) float64{
		"__add": func(a, b float64) float64 { return a + b },
		"__sub": func(a, b float64) float64 { return a - b },
		"__mul": func(a, b float64) float64 { return a * b },
		"__div": func(a, b float64) float64 { return a / b },
		"__mod": modulo,
		"__pow": math.Pow,
		"__unm": func(a, _ float64) float64 { return -a },
	} {
		mt.RawSetString(event, s.L.NewFunction(func(L *lua.LState) int { return arithmetic(L, event, op) }))
	}
}

func arithmetic(L *lua.LState, event string, op func(a, b float64) float64) int {
	if event == "__unm" {
		L.SetTop(1)
		L.Push(lua.LNumber(0))
	}
	a, aok := number(L.Get(1))
	b, bok := number(L.Get(2))
	if aok && bok {
		L.Push(lua.LNumber(op(float64(a), float64(b))))
		return 1
	}
	// The right operand may know what to do.
	if fn := L.GetMetaField(L.Get(2), event); fn != lua.LNil && L.Get(2).Type() != lua.LTString {
		L.Insert(fn, 1)
		L.Call(2, 1)
		return 1
	}
	culprit := L.Get(1)
	if aok {
		culprit = L.Get(2)
	}
	L.RaiseError("attempt to perform arithmetic on a %s value", culprit.Type())
	return 0
}

func modulo(a, b float64) float64 {
	m := math.Mod(a, b)
	if m*b < 0 {
		m += b
	}
	return m
}
