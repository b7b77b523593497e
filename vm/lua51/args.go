package lua51

import (
	"fmt"
	"math"

	lua "github.com/yuin/gopher-lua"

	"moonio/vm/luastr"
)

func argError(L *lua.LState, n int, name, what string) {
	L.RaiseError("bad argument #%d to '%s' (%s)", n, name, what)
}

func typeError(L *lua.LState, n int, name, want string) {
	got := "no value"
	if n <= L.GetTop() {
		got = L.Get(n).Type().String()
	}
	argError(L, n, name, fmt.Sprintf("%s expected, got %s", want, got))
}

func checkAny(L *lua.LState, n int, name string) lua.LValue {
	if n > L.GetTop() {
		argError(L, n, name, "value expected")
	}
	return L.Get(n)
}

func checkTable(L *lua.LState, n int, name string) *lua.LTable {
	t, ok := L.Get(n).(*lua.LTable)
	if !ok {
		typeError(L, n, name, "table")
	}
	return t
}

func checkFunction(L *lua.LState, n int, name string) *lua.LFunction {
	fn, ok := L.Get(n).(*lua.LFunction)
	if !ok {
		typeError(L, n, name, "function")
	}
	return fn
}

// number is v as an operator takes it.
func number(v lua.LValue) (lua.LNumber, bool) {
	if n, ok := v.(lua.LNumber); ok {
		return n, true
	}
	return luastr.ToNumber(v, 10)
}

func checkNumber(L *lua.LState, n int, name string) float64 {
	v, ok := number(L.Get(n))
	if !ok {
		typeError(L, n, name, "number")
	}
	return float64(v)
}

// checkInt is an argument without its fraction, within an int32.
func checkInt(L *lua.LState, n int, name string) int {
	v := checkNumber(L, n, name)
	switch {
	case v != v, v <= math.MinInt32:
		return math.MinInt32
	case v >= math.MaxInt32:
		return math.MaxInt32
	}
	return int(v)
}

func optInt(L *lua.LState, n int, name string, otherwise int) int {
	if L.Get(n) == lua.LNil {
		return otherwise
	}
	return checkInt(L, n, name)
}

func optText(L *lua.LState, n int, name, otherwise string) string {
	switch v := L.Get(n).(type) {
	case *lua.LNilType:
		return otherwise
	case lua.LString:
		return string(v)
	case lua.LNumber:
		return luastr.NumberText(v)
	}
	typeError(L, n, name, "string")
	return ""
}
