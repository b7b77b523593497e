package lua51

import (
	lua "github.com/yuin/gopher-lua"
)

// openRequire sets require: a module is run once, and what it returns is kept.
func (s *State) openRequire(o Options) {
	r := &modules{Options: o, loaded: map[string]lua.LValue{}, loading: map[string]bool{}}
	for _, name := range []string{"_G", "coroutine", "math", "string", "table"} {
		r.loaded[name] = s.L.GetGlobal(name)
	}
	fn := s.L.NewFunction(r.require)
	s.natives[fn] = "the loading of a module"
	s.L.SetGlobal("require", fn)
}

type modules struct {
	Options
	loaded  map[string]lua.LValue
	loading map[string]bool
}

func (m *modules) require(L *lua.LState) int {
	name, ok := L.Get(1).(lua.LString)
	if !ok {
		typeError(L, 1, "require", "string")
	}
	v, ok := m.loaded[string(name)]
	if !ok {
		v = m.load(L, string(name))
		m.loaded[string(name)] = v
	}
	L.Push(v)
	return 1
}

func (m *modules) load(L *lua.LState, name string) lua.LValue {
	if m.loading[name] {
		L.RaiseError("module '%s' requires itself, directly or through others", name)
	}
	if why, ok := absent[name]; ok {
		L.RaiseError("%s", notThere(name, why))
	}
	if m.Require == nil {
		L.RaiseError("module '%s' not found: there are no modules here", name)
	}
	source, chunk, err := m.Require(name)
	if err != nil {
		L.RaiseError("module '%s' not found: %v", name, err)
	}
	proto, err := m.Compile(source, chunk)
	if err != nil {
		L.RaiseError("module '%s': %v", name, err)
	}
	m.loading[name] = true
	defer delete(m.loading, name)
	L.Push(L.NewFunctionFromProto(proto))
	L.Push(lua.LString(name))
	L.Call(1, 1)
	v := L.Get(-1)
	L.Pop(1)
	if v == lua.LNil {
		v = lua.LTrue
	}
	return v
}
