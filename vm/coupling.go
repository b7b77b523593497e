package vm

import (
	lua "github.com/yuin/gopher-lua"

	"moonio/engine/run"
)

// coupling are the functions that make what clients share.
func (m *machine) coupling() map[string]lua.LGFunction {
	return map[string]lua.LGFunction{
		"semaphore": func(L *lua.LState) int {
			L.Push(m.wrap(run.NewSemaphore(count(L, 1, 0, "semaphore"))))
			return 1
		},
		"event": func(L *lua.LState) int {
			L.Push(m.wrap(&run.Event{}))
			return 1
		},
		"counter": func(L *lua.LState) int {
			c := &run.Counter{}
			c.Set(signed(L, 1, 0, "counter"))
			L.Push(m.wrap(c))
			return 1
		},
	}
}

// count takes an argument that is a whole number and not negative.
func count(L *lua.LState, n int, otherwise int64, call string) int64 {
	if L.Get(n) == lua.LNil {
		return otherwise
	}
	v, err := toInteger(L.Get(n))
	if err != nil {
		L.RaiseError("%s: %v", call, err)
	}
	return v
}

// signed takes an argument that is a whole number, or left out.
func signed(L *lua.LState, n int, otherwise int64, call string) int64 {
	if L.Get(n) == lua.LNil {
		return otherwise
	}
	return whole(L, n, call)
}

// whole takes an argument that is a whole number.
func whole(L *lua.LState, n int, call string) int64 {
	if v, ok := L.Get(n).(lua.LNumber); ok {
		if i := int64(v); lua.LNumber(i) == v {
			return i
		}
	}
	L.RaiseError("%s: %s is not a whole number", call, show(L.Get(n)))
	return 0
}

// self takes the value that a method was called on.
func self[T any](L *lua.LState, what string) T {
	if u, ok := L.Get(1).(*lua.LUserData); ok {
		if v, ok := u.Value.(T); ok {
			return v
		}
	}
	L.RaiseError("this method belongs to %s, and was called on %s: use a colon, as in x:method()", withArticle(what), show(L.Get(1)))
	panic("not reached")
}

func (m *machine) semaphoreMethods() map[string]lua.LGFunction {
	sem := func(L *lua.LState) *run.Semaphore { return self[*run.Semaphore](L, "semaphore") }
	return map[string]lua.LGFunction{
		"acquire": func(L *lua.LState) int {
			s, n := sem(L), count(L, 2, 1, "acquire")
			m.waitable(L, "acquire")
			s.Acquire(m.task, n)
			return m.yieldIfWaiting(L)
		},
		"try": func(L *lua.LState) int {
			L.Push(lua.LBool(sem(L).TryAcquire(count(L, 2, 1, "try"))))
			return 1
		},
		"release": func(L *lua.LState) int {
			sem(L).Release(m.task, count(L, 2, 1, "release"))
			return 0
		},
		"value": func(L *lua.LState) int { return pushInt(L, sem(L).Value()) },
	}
}

func (m *machine) eventMethods() map[string]lua.LGFunction {
	ev := func(L *lua.LState) *run.Event { return self[*run.Event](L, "event") }
	return map[string]lua.LGFunction{
		"wait": func(L *lua.LState) int {
			e := ev(L)
			m.waitable(L, "wait")
			e.Wait(m.task)
			return m.yieldIfWaiting(L)
		},
		"set":   func(L *lua.LState) int { ev(L).Set(m.task); return 0 },
		"pulse": func(L *lua.LState) int { ev(L).Pulse(m.task); return 0 },
		"reset": func(L *lua.LState) int { ev(L).Reset(); return 0 },
		"is_set": func(L *lua.LState) int {
			L.Push(lua.LBool(ev(L).IsSet()))
			return 1
		},
	}
}

func (m *machine) counterMethods() map[string]lua.LGFunction {
	c := func(L *lua.LState) *run.Counter { return self[*run.Counter](L, "counter") }
	return map[string]lua.LGFunction{
		"add": func(L *lua.LState) int { return pushInt(L, c(L).Add(signed(L, 2, 1, "add"))) },
		"get": func(L *lua.LState) int { return pushInt(L, c(L).Get()) },
		"set": func(L *lua.LState) int {
			c(L).Set(whole(L, 2, "set"))
			return 0
		},
	}
}
