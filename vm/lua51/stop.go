package lua51

import (
	"sync/atomic"
	"time"
)

// stop is how running Lua is stopped from outside: gopher-lua looks at its channel before
// every instruction. It is a context.Context that costs as little as one can, and
// that coroutines share.
type stop struct {
	done chan struct{}
	err  atomic.Pointer[error]
}

func newStop() *stop { return &stop{done: make(chan struct{})} }

func (s *stop) Deadline() (deadline time.Time, ok bool) { return time.Time{}, false }
func (s *stop) Done() <-chan struct{}                   { return s.done }
func (s *stop) Value(any) any                           { return nil }

func (s *stop) Err() error {
	if p := s.err.Load(); p != nil {
		return *p
	}
	return nil
}

// Interrupt stops whatever Lua the state runs, now or later, with err, which no
// script can catch. A state that was interrupted cannot be used again. Any
// goroutine may call it; the first call counts.
func (s *State) Interrupt(err error) {
	if s.stop.err.CompareAndSwap(nil, &err) {
		close(s.stop.done)
	}
}

// Stopped is what the state was interrupted with, or nil.
func (s *State) Stopped() error { return s.stop.Err() }

// stopped is err, or what the state was interrupted with if that is behind it.
func (s *State) stopped(err error) error {
	if err == nil {
		return nil
	}
	if why := s.stop.Err(); why != nil {
		return why
	}
	return err
}
