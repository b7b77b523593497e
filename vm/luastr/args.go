package luastr

import (
	"fmt"
	"math"

	lua "github.com/yuin/gopher-lua"
)

// args reads the arguments of a Go function that Lua calls, with Lua's conversions and
// Lua's messages. gopher-lua's own readers take "010" for eight, refuse a text where a
// whole number is due, and name the function as the caller's variable is named.
//
// Every method raises a Lua error if the argument is not what it reads.
type args struct {
	L    *lua.LState
	Func string // the function's name in messages
}

// fail raises "bad argument #n to 'func' (problem)".
func (a args) fail(n int, problem string) {
	a.L.RaiseError("bad argument #%d to '%s' (%s)", n, a.Func, problem)
}

// failType raises fail's error for an argument that is not of the type wanted.
func (a args) failType(n int, want string) {
	got := "no value"
	if n <= a.L.GetTop() {
		got = a.L.Get(n).Type().String()
	}
	a.fail(n, fmt.Sprintf("%s expected, got %s", want, got))
}

// text is a text, or a number as text.
func (a args) text(n int) string {
	switch v := a.L.Get(n).(type) {
	case lua.LString:
		return string(v)
	case lua.LNumber:
		return NumberText(v)
	}
	a.failType(n, "string")
	return ""
}

// number is a number, or a numeral's value.
func (a args) number(n int) lua.LNumber {
	v, ok := ToNumber(a.L.Get(n), 10)
	if !ok {
		a.failType(n, "number")
	}
	return v
}

// integer is a number without its fraction; one that an int cannot hold is the nearest
// that it can.
func (a args) integer(n int) int {
	return int(truncate(float64(a.number(n))))
}

// optInteger is integer, or def where the argument is absent or nil.
func (a args) optInteger(n, def int) int {
	if a.L.Get(n) == lua.LNil {
		return def
	}
	return a.integer(n)
}

// truncate rounds towards zero, within an int64. What is no number is the least integer,
// as x86 has it: a visible nonsense.
func truncate(v float64) int64 {
	switch {
	case v >= 1<<63:
		return math.MaxInt64
	case v >= -1<<63:
		return int64(v)
	}
	return math.MinInt64
}
