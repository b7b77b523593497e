package lua51

import (
	lua "github.com/yuin/gopher-lua"
)

// openRequire sets require: a module is run once, and what it returns is kept.
func (s *State) openRequire(o Options) {
	loaded := map[string]lua.LValue{}
	loading := map[string]bool{}
	s.L.SetGlobal("require", s.L.NewFunction(func(L *lua.LState) int {
		name := L.CheckString(1)
		if v, ok := loaded[name]; ok {
			L.Push(v)
			return 1
		}
		if loading[name] {
			L.RaiseError("module '%s' requires itself, directly or through others", name)
		}
		if o.Require == nil {
			L.RaiseError("module '%s' not found: there are no modules here", name)
		}
		source, chunk, err := o.Require(name)
		if err != nil {
			L.RaiseError("module '%s' not found: %v", name, err)
		}
		proto, err := o.Compile(source, chunk)
		if err != nil {
			L.RaiseError("module '%s': %v", name, err)
		}
		loading[name] = true
		defer delete(loading, name)
		L.Push(L.NewFunctionFromProto(proto))
		L.Push(lua.LString(name))
		s.Call(L, 1, 1, "the loading of a module")
		v := L.Get(-1)
		if v == lua.LNil {
			v = lua.LTrue
		}
		loaded[name] = v
		L.SetTop(1)
		L.Push(v)
		return 1
	}))
}
