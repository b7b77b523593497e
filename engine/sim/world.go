package sim

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"moonio/engine"
	"moonio/engine/memfs"
)

// World is a simulated device, its files and its clock, shared by all workers
// of a run. What is not guarded by mu belongs to the worker that runs, or to
// the goroutine that holds mu while none does.
type World struct {
	cfg    Config
	fs     *memfs.FS
	gc     pauses
	device device
	space  space
	now    int64 // ns
	byID   []*worker

	clock    atomic.Int64 // now, for all to read
	attached atomic.Int32 // len(workers)

	mu      sync.Mutex
	workers []*worker // that are open, in the order in which they were opened
	running int       // of them, those that are not inside Wait
}

// NewWorld makes a device as cfg describes it, with its clock at 0. The
// seed drives everything that it draws. Files live in fs, which must not be changed
// from outside while workers run.
func NewWorld(cfg Config, seed uint64, fs *memfs.FS) *World {
	return &World{
		cfg: cfg, fs: fs,
		gc:     pauses{period: int64(cfg.GCPeriod), length: int64(cfg.GCLength), slow: int64(cfg.GCSlow)},
		device: newDevice(&cfg, seed),
		space:  space{fs: fs, capacity: cfg.Capacity},
	}
}

// Now is the clock in nanoseconds. Any goroutine may call it.
func (w *World) Now() int64 { return w.clock.Load() }

// Open gives a worker an engine. Its goroutine may be another than the caller's.
// The device is the world's, so the engine takes no options.
func (w *World) Open(cfg engine.Config) (engine.Engine, error) {
	if err := w.cfg.Validate(); err != nil {
		return nil, fmt.Errorf("simulated device: %w", err)
	}
	for name := range cfg.Options {
		return nil, fmt.Errorf("sim takes no option %q here: write it behind the profile, as in sim:nvme,%s=…", name, name)
	}
	if cfg.FS != nil && cfg.FS != engine.FS(w.fs) {
		return nil, fmt.Errorf("sim works on its own files in memory, not on %T", cfg.FS)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.workers) == 0 {
		w.space.recount()
	}
	k := newWorker(w, cfg)
	w.byID = append(w.byID, k)
	w.workers = append(w.workers, k)
	w.attached.Add(1)
	w.running++
	return k, nil
}

// arrive puts a worker among those that wait, and returns when it is its turn again.
func (w *World) arrive(k *worker) {
	// Alone it has nobody to hand over to. If nothing will end the Wait but a Wake
	// from outside, that must find it asleep.
	if w.attached.Load() == 1 && w.elect(k.alone[:]) != nil {
		return
	}
	w.mu.Lock()
	w.running--
	next := w.pass()
	w.mu.Unlock()
	if next == k {
		return
	}
	if next != nil {
		next.turn <- struct{}{}
	}
	<-k.turn
}

// leave takes a worker out, and lets the others go on.
func (w *World) leave(k *worker) {
	w.mu.Lock()
	w.workers = slices.DeleteFunc(w.workers, func(o *worker) bool { return o == k })
	w.byID[k.id] = nil
	w.attached.Add(-1)
	w.running--
	next := w.pass()
	w.mu.Unlock()
	if next != nil {
		next.turn <- struct{}{}
	}
}

// nudge lets a worker go that was woken while all were asleep.
func (w *World) nudge() {
	w.mu.Lock()
	next := w.pass()
	w.mu.Unlock()
	if next != nil {
		next.turn <- struct{}{}
	}
}

// pass chooses the worker whose turn it is, if it is anyone's. The caller
// holds mu and lets it go.
func (w *World) pass() *worker {
	if w.running > 0 || len(w.workers) == 0 {
		return nil
	}
	k := w.elect(w.workers)
	if k != nil {
		w.running = 1
	}
	return k
}

// elect moves time on until the Wait of one of the workers ends, all of which
// are in one. It is nil if none ever will without a Wake.
func (w *World) elect(workers []*worker) *worker {
	for _, k := range workers {
		k.begin()
	}
	for {
		w.settle()
		deadline := int64(math.MaxInt64)
		for _, k := range workers {
			if k.satisfied() {
				return k
			}
			deadline = min(deadline, k.deadline)
		}
		next := w.next()
		if deadline = min(deadline, next); deadline == math.MaxInt64 {
			return nil
		}
		w.now = deadline
		w.clock.Store(deadline)
	}
}

// next is when the device has something to do, in the world's time.
func (w *World) next() int64 {
	at, ok := w.device.next()
	if !ok {
		return math.MaxInt64
	}
	return w.gc.world(at)
}

// settle lets everything happen that is due.
func (w *World) settle() {
	now := w.gc.device(w.now)
	for {
		at, ok := w.device.next()
		if !ok || at > now {
			return
		}
		w.device.step()
		for _, t := range w.device.done {
			w.byID[t.worker()].completed(t.slot())
		}
		w.device.done = w.device.done[:0]
	}
}
