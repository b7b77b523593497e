package lua51

import (
	lua "github.com/yuin/gopher-lua"

	"moonio/vm/luafix"
)

// Operators call metamethods from Go, and such a call cannot be yielded across. So
// metamethods that are Lua functions are put behind one that takes note. It is Lua
// itself, so that it can be carried into another state.
const guards = `
local enter, leave = ...
return function(event, fn)
  return function(...)
    enter(event)
    return leave(fn(...))
  end
end
`

var events = []string{
	"__index", "__newindex", "__call", "__add", "__sub", "__mul", "__div", "__mod", "__pow", "__unm", "__concat", "__len",
	"__eq", "__lt", "__le", "__tostring",
}

// openMeta sets setmetatable.
func (s *State) openMeta() error {
	proto, err := luafix.Compile(guards, "metamethod")
	if err != nil {
		return err
	}
	L := s.L
	L.Push(L.NewFunctionFromProto(proto))
	L.Push(L.NewFunction(func(L *lua.LState) int {
		s.nested++
		s.cause = "a metamethod (" + L.Get(1).String() + ")"
		return 0
	}))
	L.Push(L.NewFunction(func(L *lua.LState) int {
		s.nested--
		return L.GetTop()
	}))
	L.Call(2, 1)
	s.guard = L.Get(-1).(*lua.LFunction)
	L.Pop(1)
	L.SetGlobal("setmetatable", L.NewFunction(s.setMetatable))
	return nil
}

func (s *State) setMetatable(L *lua.LState) int {
	t, ok := L.Get(1).(*lua.LTable)
	if !ok {
		L.RaiseError("bad argument #1 to 'setmetatable' (table expected, got %s)", typeName(L, 1))
	}
	mt := L.Get(2)
	switch mt := mt.(type) {
	case *lua.LNilType:
		if L.GetTop() < 2 {
			L.RaiseError("bad argument #2 to 'setmetatable' (nil or table expected)")
		}
	case *lua.LTable:
		s.guardEvents(L, mt)
	default:
		L.RaiseError("bad argument #2 to 'setmetatable' (nil or table expected)")
	}
	if old, ok := t.Metatable.(*lua.LTable); ok && old.RawGetString("__metatable") != lua.LNil {
		L.RaiseError("cannot change a protected metatable")
	}
	t.Metatable = mt
	L.SetTop(1)
	return 1
}

func (s *State) guardEvents(L *lua.LState, mt *lua.LTable) {
	for _, event := range events {
		fn, ok := mt.RawGetString(event).(*lua.LFunction)
		// A call of a table is an ordinary one: it can be yielded across.
		if !ok || fn.IsG || event == "__call" || fn.Proto == s.guard.Proto.FunctionPrototypes[0] {
			continue
		}
		mt.RawSetString(event, s.guardOf(L, event, fn))
	}
}

// guardOf is the function behind which fn is put. A comparison asks whether two
// values have the same metamethod, so there it is always the same for the same fn.
func (s *State) guardOf(L *lua.LState, event string, fn *lua.LFunction) *lua.LFunction {
	compares := event == "__eq" || event == "__lt" || event == "__le"
	if g := s.pairs[fn]; compares && g != nil {
		return g
	}
	L.Push(s.guard)
	L.Push(lua.LString(event))
	L.Push(fn)
	L.Call(2, 1)
	g := L.Get(-1).(*lua.LFunction)
	L.Pop(1)
	if compares {
		s.pairs[fn] = g
	}
	return g
}

func typeName(L *lua.LState, n int) string {
	if n > L.GetTop() {
		return "no value"
	}
	return L.Get(n).Type().String()
}
