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
