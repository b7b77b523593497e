package lua51

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"
)

// State is a Lua state whose coroutines can wait for a scheduler. It belongs to one
// goroutine at a time; only Interrupt may be called from elsewhere.
//
// A coroutine that waits (see Wait) yields to whoever called Resume, however
// many of the script's own coroutines and protected calls lie between: those pass the wait
// outwards, and what it is resumed with inwards.
type State struct {
	L    *lua.LState
	stop *stop

	waiting bool                              // the yield that is under way is a wait
	nested  int                               // calls of Lua, from Go or by an operator, that cannot be yielded across
	base    int                               // of them, those from before the running coroutine was resumed
	cause   string                            // what the innermost is
	root    *lua.LState                       // what Resume runs; nil at the top level
	body    *lua.LFunction                    // what the script's coroutines run
	fresh   map[*lua.LState]lua.LValue        // coroutines that have not begun, and the function of each
	inner   map[*lua.LState]bool              // coroutines of protected calls
	spare   []*lua.LState                     // of them, those that have finished
	guard   *lua.LFunction                    // makes a guard of a metamethod
	pairs   map[*lua.LFunction]*lua.LFunction // guards of comparisons, by what is behind them
}

// The director's state may need a deep stack; a client's coroutine is one of many.
var (
	stateOptions = lua.Options{
		SkipOpenLibs:        true,
		RegistrySize:        1024,
		RegistryMaxSize:     1 << 20,
		CallStackSize:       20_000,
		MinimizeStackMemory: true,
	}
	threadOptions = lua.Options{
		SkipOpenLibs:        true,
		RegistrySize:        128,
		RegistryMaxSize:     1 << 20,
		CallStackSize:       20_000,
		MinimizeStackMemory: true,
	}
)

// NewState makes a state without any library.
func NewState() *State {
	s := &State{L: lua.NewState(stateOptions), stop: newStop(), fresh: map[*lua.LState]lua.LValue{}, inner: map[*lua.LState]bool{}, pairs: map[*lua.LFunction]*lua.LFunction{}}
	// Threads take their options from their state.
	s.L.Options = threadOptions
	s.L.SetContext(s.stop)
	return s
}

// Close frees the state.
func (s *State) Close() { s.L.Close() }

// NewThread makes a coroutine that Resume can run.
func (s *State) NewThread() *lua.LState { return s.thread(s.L) }

func (s *State) thread(from *lua.LState) *lua.LState {
	// A thread of a state with a context would get one of its own derived from
	// it, which costs more than the thread.
	from.RemoveContext()
	th, _ := from.NewThread()
	from.SetContext(s.stop)
	th.SetContext(s.stop)
	return th
}

// Resume starts a coroutine with fn and its arguments, or lets it go on with what it waited
// for, until it waits or has finished. An error that the coroutine did not catch ends
// it. Between starting and finishing, fn is nil.
func (s *State) Resume(th *lua.LState, fn *lua.LFunction, values ...lua.LValue) (done bool, err error) {
	s.waiting, s.root = false, th
	s.nested, s.base = 0, 0
	st, err, _ := s.L.Resume(th, fn, values...)
	s.root = nil
	switch {
	case err != nil:
		return true, s.stopped(err)
	case st == lua.ResumeYield && !s.waiting:
		return true, fmt.Errorf("a coroutine yielded to nobody")
	}
	return st == lua.ResumeOK, nil
}

// Wait makes the running coroutine wait. A Go function ends with it: return s.Wait(L).
// The values that Resume is given next become that function's results.
func (s *State) Wait(L *lua.LState) int {
	s.waiting = true
	return L.Yield()
}

// CheckWait says why the running coroutine cannot wait where it is; what is what it
// wants to do.
func (s *State) CheckWait(L *lua.LState, what string) error {
	if s.nested > 0 {
		return fmt.Errorf("%s: cannot wait inside %s, which Lua cannot interrupt: do it before or after", what, s.cause)
	}
	return nil
}

// Call calls a Lua function from Go, with n arguments on the stack and for results. It
// cannot be yielded across; cause says where the script is then, as in "a
// comparison of table.sort".
func (s *State) Call(L *lua.LState, n, results int, cause string) {
	nested, before := s.nested, s.cause
	s.nested, s.cause = nested+1, cause
	defer func() { s.nested, s.cause = nested, before }()
	L.Call(n, results)
}

// Run calls a function at the top level, outside any coroutine.
func (s *State) Run(fn *lua.LFunction, args ...lua.LValue) error {
	err := s.L.CallByParam(lua.P{Fn: fn, NRet: 0, Protect: true}, args...)
	return s.stopped(err)
}
