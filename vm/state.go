package vm

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"moonio/vm/lua51"
	"moonio/vm/luafix"
)

// newState makes the machine's Lua state with the standard library in it.
func (m *machine) newState() error {
	m.state = lua51.NewState()
	m.L = m.state.L
	return m.state.Open(lua51.Options{
		Print:  printer{m.run.director},
		Random: func() uint64 { return m.rand().Uint64() },
		Require: func(name string) (source, chunk string, err error) {
			return m.run.module(name)
		},
		Compile: luafix.Compile,
	})
}

func (m *machine) newThread() *lua.LState { return m.state.NewThread() }

// resume lets a client go on until it waits or has ended.
func (m *machine) resume(co *lua.LState, fn *lua.LFunction, values ...lua.LValue) (done bool, err error) {
	done, err = m.state.Resume(co, fn, values...)
	if err != nil {
		err = m.explain(err)
	}
	return done, err
}

// yield makes the client that runs now wait for what it has asked for.
func (m *machine) yield(L *lua.LState) int { return m.state.Wait(L) }

// yieldable says why the client cannot wait where it is.
func (m *machine) yieldable(L *lua.LState, call string) error { return m.state.CheckWait(L, call) }

// interrupt stops the Lua that runs now. Any goroutine may call it.
func (m *machine) interrupt(err error) { m.state.Interrupt(err) }

func (m *machine) close() {
	m.run.mu.Lock()
	delete(m.run.machines, m)
	m.run.mu.Unlock()
	m.state.Close()
}

// call runs a function at the top level.
func (m *machine) call(fn *lua.LFunction) error { return m.state.Run(fn) }

// stopHere is the error value that ends a script which is only asked for its parameters.
func stopHere(L *lua.LState) lua.LValue {
	u := L.NewUserData()
	u.Value = &goError{err: errStopHere}
	return u
}

// module finds a module, and remembers its source for messages.
func (r *Run) module(name string) (source, chunk string, err error) {
	if r.Require == nil {
		return "", "", errNoModules
	}
	source, chunk, err = r.Require(name)
	if err == nil {
		r.addSource(chunk, strings.Clone(source))
	}
	return source, chunk, err
}
