package lua51

import (
	"fmt"
	"io"
	"maps"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"moonio/vm/luastr"
)

// Options are what the library needs of its surroundings.
type Options struct {
	Print   io.Writer                                              // where print writes
	Random  func() uint64                                          // draws for math.random until a script seeds its own
	Require func(name string) (source, chunk string, err error)    // finds modules; nil: there are none
	Compile func(source, chunk string) (*lua.FunctionProto, error) // compiles them
}

// Open puts the library into the state's globals.
func (s *State) Open(o Options) error {
	if err := s.openCoroutines(); err != nil {
		return err
	}
	luastr.Open(s.L, checkStop)
	if gsub, ok := s.L.GetField(s.L.GetGlobal("string"), "gsub").(*lua.LFunction); ok {
		s.natives[gsub] = "a function that string.gsub calls"
	}
	s.openArithmetic()
	s.openBase(o)
	s.openTable()
	s.openMath(o)
	s.openRequire(o)
	return nil
}

func (s *State) openBase(o Options) {
	L := s.L
	L.SetGlobal("_G", L.G.Global)
	L.SetGlobal("_VERSION", lua.LString("Lua 5.1"))
	next, ipairs := L.NewFunction(next), L.NewFunction(ipairsNext)
	L.SetGlobal("next", next)
	fill(L, L.G.Global, map[string]lua.LGFunction{
		"assert":       assert,
		"error":        throw,
		"getmetatable": getMetatable,
		"ipairs":       func(L *lua.LState) int { return iterate(L, ipairs, "ipairs", lua.LNumber(0)) },
		"pairs":        func(L *lua.LState) int { return iterate(L, next, "pairs", lua.LNil) },
		"print":        func(L *lua.LState) int { return printTo(L, o.Print) },
		"rawequal":     rawEqual,
		"rawget":       rawGet,
		"rawset":       rawSet,
		"select":       selectFrom,
		"setmetatable": setMetatable,
		"tonumber":     toNumber,
		"tostring":     toString,
		"type":         typeOf,
		"unpack":       unpack,
	})
}

// fill puts functions into a table in the order of their names: pairs goes over a table in the order in which it was
// filled, which is to be the same in every run.
func fill(L *lua.LState, t *lua.LTable, functions map[string]lua.LGFunction) {
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		t.RawSetString(name, L.NewFunction(functions[name]))
	}
}

func assert(L *lua.LState) int {
	if lua.LVAsBool(checkAny(L, 1, "assert")) {
		return L.GetTop()
	}
	if L.GetTop() < 2 {
		L.RaiseError("assertion failed!")
	}
	L.Error(L.Get(2), 0)
	return 0
}

// throw is error(value, level). Level 1 is who called it, 2 who called that.
func throw(L *lua.LState) int {
	v := L.Get(1)
	level := optInt(L, 2, "error", 1)
	if text, ok := v.(lua.LString); ok && level > 0 {
		v = lua.LString(where(frameOf(L), level)) + text
	}
	raise(L, v)
	return 0
}

// raise throws a value as it is.
func raise(L *lua.LState, v lua.LValue) { L.Error(v, 0) }

// where is the place of the function that is level calls out from a frame; empty if it
// is not the script's Lua, or gone since it made a tail call.
func where(f *callFrame, level int) string {
	for ; level > 0 && f.Parent != nil; level-- {
		if !f.Fn.IsG {
			level -= f.TailCall
		}
		if level <= 0 {
			return ""
		}
		f = f.Parent
	}
	if f.Fn.IsG || f.Fn.Proto.SourceName == ownSource {
		return ""
	}
	return fmt.Sprintf("%s:%d: ", f.Fn.Proto.SourceName, f.line())
}

func getMetatable(L *lua.LState) int {
	L.Push(L.GetMetatable(checkAny(L, 1, "getmetatable")))
	return 1
}

func setMetatable(L *lua.LState) int {
	t := checkTable(L, 1, "setmetatable")
	mt := L.Get(2)
	if _, ok := mt.(*lua.LTable); !ok && (mt != lua.LNil || L.GetTop() < 2) {
		argError(L, 2, "setmetatable", "nil or table expected")
	}
	if old, ok := t.Metatable.(*lua.LTable); ok && old.RawGetString("__metatable") != lua.LNil {
		L.RaiseError("cannot change a protected metatable")
	}
	t.Metatable = mt
	L.SetTop(1)
	return 1
}

func next(L *lua.LState) int {
	k, v := checkTable(L, 1, "next").Next(L.Get(2))
	L.Push(k)
	if k == lua.LNil {
		return 1
	}
	L.Push(v)
	return 2
}

func ipairsNext(L *lua.LState) int {
	i := checkInt(L, 2, "ipairs") + 1
	v := checkTable(L, 1, "ipairs").RawGetInt(i)
	if v == lua.LNil {
		return 0
	}
	L.Push(lua.LNumber(i))
	L.Push(v)
	return 2
}

// iterate returns what a for loop goes over a table with.
func iterate(L *lua.LState, iterator *lua.LFunction, name string, from lua.LValue) int {
	t := checkTable(L, 1, name)
	L.Push(iterator)
	L.Push(t)
	L.Push(from)
	return 3
}

func printTo(L *lua.LState, to io.Writer) int {
	var b []byte
	for i := range L.GetTop() {
		if i > 0 {
			b = append(b, '\t')
		}
		b = append(b, luastr.ToString(L, L.Get(i+1))...)
	}
	if _, err := to.Write(append(b, '\n')); err != nil {
		L.RaiseError("print: %v", err)
	}
	return 0
}

func rawEqual(L *lua.LState) int {
	L.Push(lua.LBool(L.RawEqual(checkAny(L, 1, "rawequal"), checkAny(L, 2, "rawequal"))))
	return 1
}

func rawGet(L *lua.LState) int {
	L.Push(checkTable(L, 1, "rawget").RawGet(checkAny(L, 2, "rawget")))
	return 1
}

func rawSet(L *lua.LState) int {
	t := checkTable(L, 1, "rawset")
	k, v := checkAny(L, 2, "rawset"), checkAny(L, 3, "rawset")
	if n, ok := k.(lua.LNumber); ok {
		checkKey(L, t, n)
	}
	L.RawSet(t, k, v)
	L.SetTop(1)
	return 1
}

func selectFrom(L *lua.LState) int {
	top := L.GetTop()
	if L.Get(1) == lua.LString("#") {
		L.Push(lua.LNumber(top - 1))
		return 1
	}
	n := checkInt(L, 1, "select")
	if n < 0 {
		n += top
	}
	if n < 1 {
		argError(L, 1, "select", "index out of range")
	}
	return max(0, top-n)
}

func toNumber(L *lua.LState) int {
	v := checkAny(L, 1, "tonumber")
	base := optInt(L, 2, "tonumber", 10)
	if base < 2 || base > 36 {
		argError(L, 2, "tonumber", "base out of range")
	}
	if n, ok := luastr.ToNumber(v, base); ok {
		L.Push(n)
	} else {
		L.Push(lua.LNil)
	}
	return 1
}

func toString(L *lua.LState) int {
	v := checkAny(L, 1, "tostring")
	if fn := L.GetMetaField(v, "__tostring"); fn != lua.LNil {
		L.Push(fn)
		L.Push(v)
		L.Call(1, 1)
		return 1
	}
	L.Push(lua.LString(luastr.ToString(L, v)))
	return 1
}

func typeOf(L *lua.LState) int {
	L.Push(lua.LString(checkAny(L, 1, "type").Type().String()))
	return 1
}

// maxUnpack is how many values one call can return.
const maxUnpack = 1 << 16

func unpack(L *lua.LState) int {
	t := checkTable(L, 1, "unpack")
	first := optInt(L, 2, "unpack", 1)
	last := optInt(L, 3, "unpack", t.Len())
	if last-first >= maxUnpack {
		L.RaiseError("too many results to unpack")
	}
	for i := first; i <= last; i++ {
		L.Push(t.RawGet(lua.LNumber(i)))
	}
	return max(0, last-first+1)
}
