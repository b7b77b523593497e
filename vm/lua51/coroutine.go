package lua51

import (
	"errors"

	lua "github.com/yuin/gopher-lua"

	"moonio/vm/luafix"
)

// Protected calls and the script's own coroutines are made of one primitive, step: it
// resumes a coroutine and says what came of it. The loops around it are Lua, since
// only Lua can be yielded across. A wait that comes out of step is passed on by yielding
// once more; what that yield returns goes back in.
const coroutines = `
local step, release, yield, make, fail, counted = ...

-- Outcomes of step.
local WAIT, YIELD, DONE, FAILED = 1, 2, 3, 4

local pcall, finish
function finish(co, outcome, ...)
  if outcome <= YIELD then
    return finish(co, step(co, yield(co, outcome, ...)))
  end
  release(co)
  return outcome == DONE, ...
end

function pcall(f, ...)
  local co = make(f)
  return finish(co, step(co, ...))
end

local function handled(handler, ok, ...)
  if ok then
    return true, ...
  end
  return false, handler((...))
end

local function xpcall(f, handler, ...)
  return handled(handler, pcall(f, ...))
end

local function resumed(co, outcome, ...)
  if outcome == WAIT then
    return resumed(co, step(co, yield(co, outcome, ...)))
  end
  return outcome ~= FAILED, ...
end

local function resume(co, ...)
  return resumed(co, step(co, ...))
end

local function wrapped(co, outcome, ...)
  if outcome == WAIT then
    return wrapped(co, step(co, yield(co, outcome, ...)))
  elseif outcome == FAILED then
    return fail((...))
  end
  return ...
end

local function wrap(co)
  return function(...)
    return wrapped(co, step(co, ...))
  end
end

-- What a coroutine runs: the function, and how many values it returned.
local function body(f, ...)
  return counted(f(...))
end

return pcall, xpcall, resume, wrap, body
`

// Outcomes of step, as the Lua above knows them.
const (
	outcomeWait = iota + 1
	outcomeYield
	outcomeDone
	outcomeFailed
)

// openCoroutines sets pcall, xpcall and coroutine.
func (s *State) openCoroutines() error {
	proto, err := luafix.Compile(coroutines, "coroutine")
	if err != nil {
		return err
	}
	L := s.L
	L.Push(L.NewFunctionFromProto(proto))
	for _, fn := range []lua.LGFunction{s.step, s.release, s.passOn, s.protected, rethrow, counted} {
		L.Push(L.NewFunction(fn))
	}
	L.Call(6, 5)
	pcall, xpcall, resume, wrap := L.Get(-5), L.Get(-4), L.Get(-3), L.Get(-2)
	s.body = L.Get(-1).(*lua.LFunction)
	L.Pop(5)
	L.SetGlobal("pcall", pcall)
	L.SetGlobal("xpcall", xpcall)
	t := L.NewTable()
	t.RawSetString("resume", resume)
	for name, fn := range map[string]lua.LGFunction{
		"create": s.create, "yield": s.yield, "running": s.running, "status": s.status,
		"wrap": func(L *lua.LState) int {
			s.create(L)
			co := L.Get(-1)
			L.Push(wrap)
			L.Push(co)
			L.Call(1, 1)
			return 1
		},
	} {
		t.RawSetString(name, L.NewFunction(fn))
	}
	L.SetGlobal("coroutine", t)
	return nil
}

// step(co, …) resumes a coroutine and returns the outcome and its values.
func (s *State) step(L *lua.LState) int {
	co, ok := L.Get(1).(*lua.LState)
	if !ok {
		L.RaiseError("bad argument #1 to 'resume' (coroutine expected, got %s)", L.Get(1).Type())
	}
	var values []lua.LValue
	for i := 2; i <= L.GetTop(); i++ {
		values = append(values, L.Get(i))
	}
	if is := s.statusOf(L, co); is != "suspended" {
		return results(L, outcomeFailed, lua.LString("cannot resume "+is+" coroutine"))
	}
	fn := (*lua.LFunction)(nil)
	if f, ok := s.fresh[co]; ok {
		delete(s.fresh, co)
		fn, values = s.body, append([]lua.LValue{f}, values...)
	}
	s.waiting = false
	nested, base := s.nested, s.base
	s.base = nested
	state, err, out := L.Resume(co, fn, values...)
	s.nested, s.base = nested, base
	switch {
	case err != nil:
		if why := s.stop.Err(); why != nil {
			L.Error(lua.LString(why.Error()), 0)
		}
		delete(s.inner, co)
		return results(L, outcomeFailed, thrown(err))
	case state == lua.ResumeOK:
		return results(L, outcomeDone, uncounted(out)...)
	case s.waiting:
		return results(L, outcomeWait)
	}
	return results(L, outcomeYield, uncounted(out)...)
}

func results(L *lua.LState, outcome int, values ...lua.LValue) int {
	L.Push(lua.LNumber(outcome))
	for _, v := range values {
		L.Push(v)
	}
	return 1 + len(values)
}

// counted puts the number of its arguments before them: gopher-lua cannot tell no
// value from nil where a coroutine hands values over.
func counted(L *lua.LState) int {
	n := L.GetTop()
	L.Insert(lua.LNumber(n), 1)
	return n + 1
}

func uncounted(values []lua.LValue) []lua.LValue {
	if n, ok := values[0].(lua.LNumber); ok && int(n) == len(values)-1 {
		return values[1:]
	}
	return nil
}

// thrown is the value that an error was raised with.
func thrown(err error) lua.LValue {
	var api *lua.ApiError
	if errors.As(err, &api) && api.Object != nil {
		return api.Object
	}
	return lua.LString(err.Error())
}

func rethrow(L *lua.LState) int {
	L.Error(L.Get(1), 0)
	return 0
}

// protected makes, or takes again, a coroutine for a protected call of a function.
func (s *State) protected(L *lua.LState) int {
	var co *lua.LState
	if n := len(s.spare); n > 0 {
		co, s.spare = s.spare[n-1], s.spare[:n-1]
	} else {
		co = s.thread(L)
	}
	s.inner[co] = true
	s.fresh[co] = L.Get(1)
	L.Push(co)
	return 1
}

// maxSpare bounds how many finished coroutines are kept.
const maxSpare = 256

// release keeps a coroutine that has finished for another call. One that failed has
// frames left that cannot be taken off.
func (s *State) release(L *lua.LState) int {
	co := L.Get(1).(*lua.LState)
	if s.inner[co] && len(s.spare) < maxSpare {
		co.Dead = false
		co.SetTop(0)
		s.spare = append(s.spare, co)
	}
	return 0
}

// passOn(co, outcome, …) hands a wait or a yield of a coroutine on to whoever runs
// this one.
func (s *State) passOn(L *lua.LState) int {
	wait := L.Get(2) == lua.LNumber(outcomeWait)
	if wait {
		return s.Wait(L)
	}
	return yieldFrom(L, 3)
}

// yieldFrom yields the arguments from the n-th on, with their number before them.
func yieldFrom(L *lua.LState, n int) int {
	values := []lua.LValue{lua.LNumber(max(0, L.GetTop()-n+1))}
	for ; n <= L.GetTop(); n++ {
		values = append(values, L.Get(n))
	}
	return L.Yield(values...)
}

// user is the coroutine of the script's own that is running, nil if there is none:
// coroutines of protected calls stand for what made the call.
func (s *State) user(L *lua.LState) *lua.LState {
	for s.inner[L] && L.Parent != nil {
		L = L.Parent
	}
	if L == s.L || L == s.root {
		return nil
	}
	return L
}

func (s *State) create(L *lua.LState) int {
	fn, ok := L.Get(1).(*lua.LFunction)
	if !ok {
		L.RaiseError("bad argument #1 to 'create' (Lua function expected)")
	}
	co := s.thread(L)
	s.fresh[co] = fn
	L.Push(co)
	return 1
}

func (s *State) yield(L *lua.LState) int {
	if s.user(L) == nil {
		L.RaiseError("attempt to yield from outside a coroutine")
	}
	if s.nested > s.base {
		L.RaiseError("attempt to yield across %s, which Lua cannot interrupt", s.cause)
	}
	s.waiting = false
	return yieldFrom(L, 1)
}

func (s *State) running(L *lua.LState) int {
	if co := s.user(L); co != nil {
		L.Push(co)
		return 1
	}
	L.Push(lua.LNil)
	return 1
}

func (s *State) status(L *lua.LState) int {
	co, ok := L.Get(1).(*lua.LState)
	if !ok {
		L.RaiseError("bad argument #1 to 'status' (coroutine expected)")
	}
	L.Push(lua.LString(s.statusOf(L, co)))
	return 1
}

func (s *State) statusOf(L, co *lua.LState) string {
	if co.Dead {
		return "dead"
	}
	if co == s.user(L) {
		return "running"
	}
	for t := L; t != nil; t = t.Parent {
		if t == co {
			return "normal"
		}
	}
	return "suspended"
}
