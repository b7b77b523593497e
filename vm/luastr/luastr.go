// Package luastr is Lua 5.1's string library for gopher-lua's states, and the conversions
// between numbers and text that go with it, as Lua's manual has them.
//
// gopher-lua's own library formats as Go's fmt does, knows no frontier, repeats and
// backtracks without bound, and prints numbers as Go does. Here numbers print as "%.14g"
// does in C, patterns that take too long end with an error, and no result is larger than
// [MaxResult].
//
// Where Lua 5.1 leaves open what happens, or differs from its manual, the choices are:
//
//   - A malformed pattern is an error even where the text matches no further than the fault.
//   - "%s" in string.format takes every value, as tostring does, and "%c" of 0 is kept.
//   - Numbers out of an integer's range are taken to its nearest end; those that are no number
//     to its least, as C does.
//   - Zero bytes are bytes like others, in patterns too.
//   - "inf", "nan" and hexadecimal fractions are no numerals.
//
// A library belongs to one state and its coroutines, and is as little safe for concurrent
// use as they are. Functions that are called back by gsub or by a metamethod run under a
// Go function: they cannot yield.
package luastr

import (
	"maps"
	"slices"

	lua "github.com/yuin/gopher-lua"
)

// MaxResult is the length in bytes of the longest text that a function makes.
const MaxResult = 256 << 20

// library is what one state's functions share.
type library struct {
	look     func(*lua.LState)
	patterns map[string]*pattern
	limit    int    // of a result, in bytes
	scratch  []byte // for building results: taken while in use, since functions call each other
}

// Open sets L's global table "string", and gives texts the methods in it. What takes long
// calls look every few milliseconds, which raises an error in a state that is to stop.
func Open(L *lua.LState, look func(*lua.LState)) {
	install(L, look, MaxResult)
}

func install(L *lua.LState, look func(*lua.LState), limit int) {
	lib := &library{look: look, patterns: make(map[string]*pattern), limit: limit}
	table := L.NewTable()
	functions := lib.functions()
	for _, name := range slices.Sorted(maps.Keys(functions)) { // pairs goes over them in this order
		table.RawSetString(name, L.NewFunction(functions[name]))
	}
	methods := L.NewTable()
	methods.RawSetString("__index", table)
	L.SetMetatable(lua.LString(""), methods)
	L.SetGlobal("string", table)
}

func (lib *library) functions() map[string]lua.LGFunction {
	return map[string]lua.LGFunction{
		"byte":    byteValues,
		"char":    char,
		"dump":    dump,
		"find":    lib.find,
		"format":  lib.format,
		"gmatch":  lib.gmatch,
		"gsub":    lib.gsub,
		"len":     length,
		"lower":   lower,
		"match":   lib.match,
		"rep":     lib.rep,
		"reverse": reverse,
		"sub":     sub,
		"upper":   upper,
	}
}

// take gives the scratch buffer away, empty.
func (lib *library) take() []byte {
	b := lib.scratch
	lib.scratch = nil
	return b[:0]
}

// bound raises a Lua error if a result in the making is too large.
func (lib *library) bound(L *lua.LState, b []byte) {
	if len(b) > lib.limit {
		L.RaiseError("resulting string too large (the limit is %d bytes)", lib.limit)
	}
}

// text returns what was built in a taken buffer, and keeps the buffer unless it is large.
func (lib *library) text(b []byte) lua.LValue {
	s := text(string(b))
	if cap(b) <= 64<<10 {
		lib.scratch = b
	}
	return s
}
