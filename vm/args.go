package vm

import (
	"time"

	lua "github.com/yuin/gopher-lua"

	"moonio/engine/units"
)

// args reads a call's positional arguments. What is wrong with one raises an error that
// names the call, the argument and the value.
type args struct {
	L    *lua.LState
	call string
}

func (a args) fail(what string, err error) { a.L.RaiseError("%s: %s: %v", a.call, what, err) }

func (a args) rate(n int, what string) units.Rate {
	r, err := toRate(a.L.Get(n))
	if err != nil {
		a.fail(what, err)
	}
	return r
}

func (a args) duration(n int, what string) time.Duration {
	d, err := toDuration(a.L.Get(n))
	if err != nil {
		a.fail(what, err)
	}
	return d
}

func (a args) size(n int, what string) int64 {
	s, err := toSize(a.L.Get(n))
	if err != nil {
		a.fail(what, err)
	}
	return s
}

func (a args) text(n int, what string) string {
	s, ok := a.L.Get(n).(lua.LString)
	if !ok || s == "" {
		a.L.RaiseError("%s: %s is a text, and this is %s", a.call, what, show(a.L.Get(n)))
	}
	return string(s)
}

func (a args) function(n int, what string) *lua.LFunction {
	f, ok := a.L.Get(n).(*lua.LFunction)
	if !ok {
		a.L.RaiseError("%s: %s is a function, and this is %s", a.call, what, show(a.L.Get(n)))
	}
	return f
}
