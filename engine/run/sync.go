package run

import (
	"sync"
	"sync/atomic"
)

// Semaphore couples clients, on one worker or several: first come, first served.
type Semaphore struct {
	mu      sync.Mutex
	n       int64
	waiting fifo[semWaiter]
}

type semWaiter struct {
	task *Task
	n    int64
}

// NewSemaphore makes one with n units.
func NewSemaphore(n int64) *Semaphore { return &Semaphore{n: n} }

// Acquire takes n units; it waits until they are there.
func (s *Semaphore) Acquire(t *Task, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.take(n) {
		return
	}
	s.waiting.push(semWaiter{t, n})
	t.park()
}

// TryAcquire takes n units if they are there.
func (s *Semaphore) TryAcquire(n int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.take(n)
}

// take takes n units if they are there and nobody waits for his.
func (s *Semaphore) take(n int64) bool {
	if s.next() != nil || s.n < n {
		return false
	}
	s.n -= n
	return true
}

// Release gives n units back. by is the client that does; nil outside a phase.
func (s *Semaphore) Release(by *Task, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n += n
	for w := s.next(); w != nil && w.n <= s.n; w = s.next() {
		s.n -= w.n
		s.waiting.pop().task.unpark(by)
	}
}

// next is who has waited longest; nil if nobody waits. Those whose job is over are
// dropped.
func (s *Semaphore) next() *semWaiter {
	for s.waiting.len() > 0 {
		if w := s.waiting.first(); !w.task.crew.over.Load() {
			return w
		}
		s.waiting.pop()
	}
	return nil
}

// Value is how many units are free.
func (s *Semaphore) Value() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}

// Event is a flag that clients can wait for.
type Event struct {
	mu      sync.Mutex
	set     bool
	waiting []*Task
}

// Wait waits until the event is set.
func (e *Event) Wait(t *Task) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.set {
		e.waiting = append(e.waiting, t)
		t.park()
	}
}

// Set lets everyone go who waits or will wait.
func (e *Event) Set(by *Task) { e.release(by, true) }

// Pulse lets those go who wait now.
func (e *Event) Pulse(by *Task) { e.release(by, false) }

func (e *Event) release(by *Task, stay bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.set = e.set || stay
	for _, t := range e.waiting {
		t.unpark(by)
	}
	e.waiting = nil
}

// Reset makes later clients wait again.
func (e *Event) Reset() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.set = false
}

// IsSet says whether the event is set.
func (e *Event) IsSet() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.set
}

// Counter is a number that all workers share. The zero value is ready.
type Counter struct{ n atomic.Int64 }

// Add adds d and returns the sum.
func (c *Counter) Add(d int64) int64 { return c.n.Add(d) }

// Get is the present value.
func (c *Counter) Get() int64 { return c.n.Load() }

// Set replaces the value.
func (c *Counter) Set(v int64) { c.n.Store(v) }
