// Package pool is an engine of threads that make synchronous calls: pread64,
// pwrite64, fsync and their kin, one call for one operation.
//
// Every operation in flight has a thread of its own, so that a depth of n is n
// calls in the kernel at once. Threads are started when they are needed, up to
// the option "threads"; operations beyond that wait for a thread, and Info says
// so. Linked operations are made one after the other by the same thread. An
// engine of one slot needs no thread: Wait makes the call itself, and is back
// when the call is, whatever the deadline.
package pool

import (
	"fmt"
	"sync"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/helper"
	"moonio/engine/internal/block"
)

// Limits on threads: of one engine by default, and of all engines together,
// which keeps below the 10,000 at which Go ends a program.
const (
	defaultThreads = 1024
	maxThreads     = 8192
)

// Engine hands operations to threads.
type Engine struct {
	fs      engine.FS
	slots   int
	threads int // the most there may be
	bell    block.Bell

	// The owner's alone.
	pending []uint32 // first slots of the chains that the next Wait hands over
	flying  int
	vec     unix.Iovec

	mu      sync.Mutex
	jobs    []job               // by slot; one in flight is its thread's, but for canceled
	queue   ring                // first slots of the chains that wait for a thread
	done    []engine.Completion // not handed out yet
	want    int                 // nudge the owner when done holds so many; 0: it does not sleep
	idle    int                 // threads that wait and have not been called
	started int
	closing bool
	work    sync.Cond
	ended   sync.WaitGroup
}

var _ engine.Engine = (*Engine)(nil)

// job is a copy of an operation, and its place in a chain.
type job struct {
	op       engine.Op
	next     uint32
	linked   bool // next follows in the chain
	canceled bool
}

// Open opens an engine on any namespace with descriptors of the kernel. The
// option "threads" is the most threads that it starts, 1024 unless given.
func Open(cfg engine.Config) (engine.Engine, error) {
	most, err := threads(cfg.Options)
	if err != nil {
		return nil, err
	}
	if err := helper.CheckFiles("pool", cfg.FS); err != nil {
		return nil, err
	}
	e := &Engine{
		fs:      cfg.FS,
		slots:   cfg.Slots,
		threads: min(most, cfg.Slots),
		jobs:    make([]job, cfg.Slots),
		pending: make([]uint32, 0, cfg.Slots),
		queue:   newRing(cfg.Slots),
		done:    make([]engine.Completion, 0, cfg.Slots),
	}
	e.work.L = &e.mu
	return e, nil
}

// Options are the engine's.
func Options() []engine.Option {
	return []engine.Option{{Name: "threads", Value: "N", About: fmt.Sprintf("the most threads, 1 to %d; %d unless given", maxThreads, defaultThreads)}}
}

// CheckOptions says what is wrong with options.
func CheckOptions(options map[string]string) error {
	_, err := threads(options)
	return err
}

// threads is the most threads that options ask for.
func threads(options map[string]string) (int, error) {
	s := helper.NewSettings("pool", options)
	n := s.Int("threads", defaultThreads, 1, maxThreads)
	return n, s.Err()
}

// Info describes the engine.
func (e *Engine) Info() engine.Info {
	if e.slots == 1 {
		return engine.Info{Name: "pool", Detail: "synchronous calls by the worker itself"}
	}
	info := engine.Info{Name: "pool", Detail: "a thread with a synchronous call for each operation in flight", Helpers: true}
	if e.threads < e.slots {
		info.Detail += fmt.Sprintf(", at most %d at once: operations beyond wait for one", e.threads)
		info.Depth = e.threads
	}
	return info
}

// Now is the monotonic clock.
func (e *Engine) Now() int64 { return engine.Monotonic() }

// Submit copies the operations for their threads.
func (e *Engine) Submit(ops []engine.Op, slots []uint32) error {
	if e.flying+len(slots) > e.slots {
		return fmt.Errorf("pool: more than %d operations in flight", e.slots)
	}
	e.flying += len(slots)
	linked := false
	for i, slot := range slots {
		if !linked {
			e.pending = append(e.pending, slot)
		}
		j := &e.jobs[slot]
		j.op = ops[slot]
		j.canceled = false
		linked = j.op.Flags&engine.Link != 0 && i+1 < len(slots)
		if j.linked = linked; linked {
			j.next = slots[i+1]
		}
	}
	return nil
}

// Wait hands the operations over and collects completions.
func (e *Engine) Wait(out []engine.Completion, least int, deadline int64) (n int, err error) {
	least = min(least, len(out))
	e.handOver()
	for {
		n += e.take(out[n:], least-n)
		if n >= least || e.bell.Asked() || engine.Monotonic() >= deadline {
			return n, nil
		}
		e.bell.Sleep(deadline)
	}
}

// handOver gives what is pending to threads.
func (e *Engine) handOver() {
	if len(e.pending) == 0 {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.slots == 1 {
		e.chain(e.pending[0], &e.vec)
		e.pending = e.pending[:0]
		return
	}
	for _, slot := range e.pending {
		e.queue.push(slot)
		switch {
		case e.idle > 0:
			e.idle--
			e.work.Signal()
		case e.started < e.threads && mayStart(e.started == 0):
			e.started++
			e.ended.Go(e.thread)
		}
	}
	e.pending = e.pending[:0]
}

// take moves completions to out, and asks for a nudge if they are fewer than least.
func (e *Engine) take(out []engine.Completion, least int) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := copy(out, e.done)
	e.done = e.done[:copy(e.done, e.done[n:])]
	e.flying -= n
	e.want = max(0, least-n)
	return n
}

// Wake ends a wait.
func (e *Engine) Wake() { e.bell.Wake() }

// Cancel is in time for an operation that no thread has begun.
func (e *Engine) Cancel(slot uint32) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.jobs[slot].canceled = true
}

// Close waits for the operations in flight and ends the threads.
func (e *Engine) Close() error {
	e.handOver()
	e.mu.Lock()
	e.closing = true
	e.work.Broadcast()
	e.mu.Unlock()
	e.ended.Wait()
	return nil
}
