// Package helper is what engines have in common. Loop drives a kernel interface
// that takes operations and gives completions back, and does what such an
// interface cannot: blocking calls on goroutines of their own (Pool), waking the
// engine from another goroutine (Waker), and holding linked operations back until
// their turn when they cannot be handed over as one (Chains). Inline is for engines
// that perform each operation at once. Settings reads options, and Transfers those
// that go with every read and write.
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

// Pool performs operations on goroutines, which it starts as they are needed,
// and queues all completions of an engine that do not come from the kernel.
type Pool struct {
	fs      engine.FS
	wake    *Waker
	jobs    chan job
	workers int
	running int // started and not yet in ready
	done    sync.WaitGroup

	ready []engine.Completion // to be taken, from first on
	first int

	mu       sync.Mutex
	finished []engine.Completion // guarded by mu
}

type job struct {
	slot uint32
	op   engine.Op
}

// newPool makes a pool without any goroutine yet. At most slots operations may
// run. wake is nudged when there is something to take.
func newPool(fs engine.FS, slots int, wake *Waker) *Pool {
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

// Complete queues the completion of an operation that was never started.
func (p *Pool) Complete(slot uint32, res int64) {
	p.ready = append(p.ready, engine.Completion{Slot: slot, Res: res})
}

// Running is how many operations were started and have not come to be taken.
func (p *Pool) Running() int { return p.running }

// Ready is how many completions can be taken, beside those of what has run since
// the last Take.
func (p *Pool) Ready() int { return len(p.ready) - p.first }

// Take moves one completion to out. It returns false when there is none.
func (p *Pool) Take(out *engine.Completion) bool {
	if p.running > 0 {
		p.gather()
	}
	if p.first == len(p.ready) {
		return false
	}
	*out = p.ready[p.first]
	if p.first++; p.first == len(p.ready) {
		p.ready, p.first = p.ready[:0], 0
	}
	return true
}

func (p *Pool) gather() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running -= len(p.finished)
	p.ready = append(p.ready, p.finished...)
	p.finished = p.finished[:0]
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
