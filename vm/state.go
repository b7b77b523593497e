package vm

import (
	lua "github.com/yuin/gopher-lua"
)

func (m *machine) newState() error {
	m.L = lua.NewState(lua.Options{SkipOpenLibs: true, RegistrySize: 1024, RegistryMaxSize: 1 << 20, MinimizeStackMemory: true})
	for name, fn := range map[string]lua.LGFunction{"_G": lua.OpenBase, "table": lua.OpenTable, "string": lua.OpenString, "math": lua.OpenMath, "coroutine": lua.OpenCoroutine} {
		m.L.Push(m.L.NewFunction(fn))
		m.L.Push(lua.LString(name))
		m.L.Call(1, 0)
	}
	return nil
}

func (m *machine) newThread() (*lua.LState, error) {
	co, _ := m.L.NewThread()
	return co, nil
}

func (m *machine) resume(co *lua.LState, fn *lua.LFunction, values ...lua.LValue) (bool, error) {
	st, err, _ := m.L.Resume(co, fn, values...)
	if err != nil {
		return true, m.explain(err)
	}
	return st == lua.ResumeOK, nil
}

func (m *machine) yield(L *lua.LState) int { return L.Yield() }

func (m *machine) yieldable(L *lua.LState, call string) error { return nil }

func (m *machine) interrupt(err error) {}

func (m *machine) close() { m.L.Close() }

func (m *machine) call(fn *lua.LFunction) error {
	m.L.Push(fn)
	return m.L.PCall(0, 0, nil)
}

func stopHere(L *lua.LState) lua.LValue {
	u := L.NewUserData()
	u.Value = &goError{err: errStopHere}
	return u
}
