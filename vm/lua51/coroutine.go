package lua51

import (
	"context"

	lua "github.com/yuin/gopher-lua"

	"moonio/vm/luafix"
)

// ownSource is what errors would call this package's own Lua. It never shows.
const ownSource = "=lua51"

// What threads run is Lua: a Go function could not be yielded across. They never end, but
// for coroutines that are given up: the loop's tail call hands each function's
// results to finish, which yields them and returns the next function to call.
const threads = `
local wait, finish, resume, check = ...

local function loop(f, ...)
  return loop(finish(f(...)))
end

local function hold(f)
  return loop(f, wait())
end

local function wrap(co)
  return function(...)
    return check(resume(co, ...))
  end
end

return loop, hold, wrap
`

// openCoroutines sets pcall, xpcall and coroutine.
func (s *State) openCoroutines() error {
	proto, err := luafix.Compile(threads, ownSource)
	if err != nil {
		return err
	}
	L := s.L
	resume := L.NewFunction(s.resume)
	L.Push(L.NewFunctionFromProto(proto))
	L.Push(L.NewFunction(func(L *lua.LState) int { return ask(L, ready) }))
	L.Push(L.NewFunction(func(L *lua.LState) int { return ask(L, done) }))
	L.Push(resume)
	L.Push(L.NewFunction(check))
	L.Call(4, 3)
	s.loop, s.hold, s.wrapper = L.Get(-3).(*lua.LFunction), L.Get(-2).(*lua.LFunction), L.Get(-1).(*lua.LFunction)
	L.Pop(3)
	s.idle = L.NewFunction(func(*lua.LState) int { return 0 })
	L.SetGlobal("pcall", L.NewFunction(s.pcall))
	L.SetGlobal("xpcall", L.NewFunction(s.xpcall))
	t := L.NewTable()
	t.RawSetString("resume", resume)
	fill(L, t, map[string]lua.LGFunction{
		"create": s.create, "wrap": s.wrap, "yield": s.yield, "running": s.running, "status": s.status,
	})
	L.SetGlobal("coroutine", t)
	return nil
}

// How many threads can have called one another, and how often the State can drive
// beneath itself, which takes from Go's stack. Lua allows 200 of either.
const (
	maxStack   = 1000
	maxBeneath = 180
)

// want makes the running thread yield a control with the arguments of the running Go
// function, or has it done beneath if the thread cannot yield.
func (s *State) want(L *lua.LState, c control) int {
	if len(s.stack) >= maxStack || len(s.causes) >= maxBeneath {
		L.Error(lua.LString(firstPlace(s.trace(L))+stackOverflow), 0) // what called may be this package's Lua
	}
	if cause := s.blocked(L); cause != "" {
		return s.beneath(L, cause, c)
	}
	return ask(L, c)
}

func (s *State) pcall(L *lua.LState) int {
	checkAny(L, 1, "pcall")
	return s.want(L, call)
}

// xpcall(f, handler, …) calls the handler with the error and, beyond Lua 5.1, the calls
// that led to it; the arguments for f are from Lua 5.2.
func (s *State) xpcall(L *lua.LState) int {
	checkAny(L, 2, "xpcall")
	return s.want(L, xcall)
}

func (s *State) create(L *lua.LState) int {
	L.Push(s.newCoroutine(L, checkFunction(L, 1, "create")))
	return 1
}

func (s *State) newCoroutine(L *lua.LState, fn *lua.LFunction) *lua.LState {
	co, _ := L.NewThread()
	s.prime(L, co, s.hold, fn)
	return co
}

func (s *State) wrap(L *lua.LState) int {
	co := s.newCoroutine(L, checkFunction(L, 1, "wrap"))
	L.Push(s.wrapper)
	L.Push(co)
	L.Call(1, 1)
	return 1
}

func checkCoroutine(L *lua.LState, name string) *lua.LState {
	co, ok := L.Get(1).(*lua.LState)
	if !ok {
		typeError(L, 1, name, "coroutine")
	}
	return co
}

func (s *State) resume(L *lua.LState) int {
	co := checkCoroutine(L, "resume")
	if status := s.statusOf(co); status != "suspended" {
		if status != "dead" {
			status = "non-suspended"
		}
		L.Push(lua.LFalse)
		L.Push(lua.LString("cannot resume " + status + " coroutine"))
		return 2
	}
	return s.want(L, resume)
}

// check(ok, …) returns what a coroutine yielded or returned, or throws its error.
func check(L *lua.LState) int {
	if L.Get(1) == lua.LTrue {
		return L.GetTop() - 1
	}
	L.Error(L.Get(2), 0)
	return 0
}

// suspended is the stack of a coroutine that has yielded from within what it called. The
// coroutine keeps it, in the place of a context, which it has no use for while it does not
// run: whoever drops the coroutine drops that too.
type suspended struct {
	context.Context
	stack []entry
}

// enter puts a coroutine, and what it has called, on the stack.
func (s *State) enter(co *lua.LState) {
	if rest, ok := co.Context().(*suspended); ok {
		co.RemoveContext()
		s.stack = append(s.stack, rest.stack...)
		return
	}
	s.push(entry{th: co, kind: coroutine})
}

// innermost is where in the stack the running coroutine of the script's own is, -1 if there
// is none.
func (s *State) innermost() int {
	for i := len(s.stack) - 1; i >= 0; i-- {
		if s.stack[i].kind == coroutine {
			return i
		}
	}
	return -1
}

func (s *State) yield(L *lua.LState) int {
	at := s.innermost()
	if at < 0 {
		L.RaiseError("attempt to yield from outside a coroutine")
	}
	cause := s.blocked(L)
	if cause == "" && at < s.base {
		cause = s.causes[len(s.causes)-1]
	}
	if cause != "" {
		L.RaiseError("attempt to yield across %s, which Lua cannot interrupt", cause)
	}
	return ask(L, yield)
}

// leave takes the running coroutine, and what it has called, off the stack.
func (s *State) leave() {
	at := s.innermost()
	if rest := s.stack[at:]; len(rest) > 1 {
		rest[0].th.SetContext(&suspended{stack: append([]entry(nil), rest...)})
	}
	s.stack = s.stack[:at]
}

func (s *State) running(L *lua.LState) int {
	if at := s.innermost(); at >= 0 {
		L.Push(s.stack[at].th)
	} else {
		L.Push(lua.LNil)
	}
	return 1
}

func (s *State) status(L *lua.LState) int {
	L.Push(lua.LString(s.statusOf(checkCoroutine(L, "status"))))
	return 1
}

func (s *State) statusOf(co *lua.LState) string {
	if co.Dead {
		return "dead"
	}
	for i, e := range s.stack {
		if e.th == co {
			if i == s.innermost() {
				return "running"
			}
			return "normal"
		}
	}
	if s.away[co] {
		return "normal"
	}
	return "suspended"
}
