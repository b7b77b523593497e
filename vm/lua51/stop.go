package lua51

import (
	"sync/atomic"

	lua "github.com/yuin/gopher-lua"
)

// stops counts the states that are interrupted. While it is 0, which is nearly always,
// looking at it is all that stopping costs: a loop's round, a return or a tail call
// takes a nanosecond or two longer. A context, gopher-lua's own way, is looked at before
// every instruction.
var stops atomic.Int32

// stop is what a state was interrupted with.
type stop struct{ err atomic.Pointer[error] }

func (s *stop) Err() error {
	if p := s.err.Load(); p != nil {
		return *p
	}
	return nil
}

func (s *stop) clear() {
	if s.err.Swap(nil) != nil {
		stops.Add(-1)
	}
}

// Interrupt stops whatever Lua the state runs, now or later, with err, which no script
// can catch. Any goroutine may call it; the first call counts, until the state is
// closed.
func (s *State) Interrupt(err error) {
	if s.stop.err.CompareAndSwap(nil, &err) {
		stops.Add(1)
	}
}

// Stopped is what the state was interrupted with, or nil.
func (s *State) Stopped() error { return s.stop.Err() }

// checkStop raises an error in a thread whose state is interrupted.
func checkStop(L *lua.LState) {
	s := stateOf(L)
	if s == nil {
		return
	}
	if err := s.stop.Err(); err != nil {
		L.RaiseError("%v", err)
	}
}
