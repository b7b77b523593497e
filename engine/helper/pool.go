// Package helper does for an asynchronous engine what its kernel interface
// cannot: blocking calls on goroutines of their own (Pool), waking the engine
// from another goroutine (Waker), and holding linked operations back until
// their turn when they cannot be handed over as one (Chains).
//
// An engine's own goroutine calls everything here, but for Waker's Wake and Nudge.
package helper

import (
	"sync"

	"moonio/engine"
)

// maxWorkers bounds the threads that can be stuck in the kernel at once. More
// operations than that wait for a free one.
const maxWorkers = 64

// Pool performs operations on goroutines, which it starts as they are needed.
type Pool struct {
	fs      engine.FS
	wake    *Waker
	jobs    chan job
	workers int
	running int // started and not yet taken
	done    sync.WaitGroup

	mu       sync.Mutex
	finished []engine.Completion // guarded by mu
}

type job struct {
	slot uint32
	op   engine.Op
}

// NewPool makes a pool without any goroutine yet. At most slots operations may
// run. wake is nudged when there is something to take.
func NewPool(fs engine.FS, slots int, wake *Waker) *Pool {
	return &Pool{fs: fs, wake: wake, jobs: make(chan job, slots)}
}

// Start performs a copy of op for slot.
func (p *Pool) Start(slot uint32, op *engine.Op) {
	p.running++
	if p.workers < min(p.running, maxWorkers) {
		p.workers++
		p.done.Go(p.work)
	}
	p.jobs <- job{slot, *op}
}

// Running is how many operations were started and have not been taken.
func (p *Pool) Running() int { return p.running }

// Take appends the finished operations' completions to to.
func (p *Pool) Take(to []engine.Completion) []engine.Completion {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running -= len(p.finished)
	to = append(to, p.finished...)
	p.finished = p.finished[:0]
	return to
}

// Close waits for what runs and ends the goroutines.
func (p *Pool) Close() {
	close(p.jobs)
	p.done.Wait()
}

func (p *Pool) work() {
	for j := range p.jobs {
		res := Do(p.fs, &j.op)
		p.mu.Lock()
		p.finished = append(p.finished, engine.Completion{Slot: j.slot, Res: res})
		first := len(p.finished) == 1
		p.mu.Unlock()
		if first {
			p.wake.Nudge()
		}
	}
}
