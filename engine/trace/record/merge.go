package record

import (
	"math"
	"slices"
	"sync/atomic"

	"moonio/engine/trace"
)

// chunk is a stretch of what one worker did. The worker adds entries and then counts them in
// n; from then on it touches nothing but their latencies.
type chunk struct {
	n       atomic.Int32
	next    atomic.Pointer[chunk]
	torn    bool // the writer could not wait for all of its latencies: the worker may still write some
	entries [chunkSize]entry
}

type entry struct {
	rec     trace.Record // but for the latency
	latency atomic.Int64
}

// inFlight is the latency of what has not completed.
const inFlight = -2

const (
	chunkSize = 4096
	// More chunks than that, 100 MB, are not kept: first latencies are given up, then
	// workers wait.
	maxChunks  = 448
	manyChunks = maxChunks / 2
)

// chunk is an empty chunk. While there is no room for one it waits, and says so.
func (r *Recorder) chunk(waiting func(bool)) *chunk {
	r.freeMu.Lock()
	defer r.freeMu.Unlock()
	for r.chunks.Load() >= maxChunks {
		r.wake()
		waiting(true)
		r.room.Wait()
		waiting(false)
	}
	r.chunks.Add(1)
	n := len(r.free)
	if n == 0 {
		return &chunk{}
	}
	c := r.free[n-1]
	r.free = r.free[:n-1]
	return c
}

// release takes a chunk back whose entries have all been written.
func (r *Recorder) release(c *chunk) {
	r.freeMu.Lock()
	defer r.freeMu.Unlock()
	r.chunks.Add(-1)
	r.room.Broadcast()
	if c.torn {
		return
	}
	c.n.Store(0)
	c.next.Store(nil)
	r.free = append(r.free, c)
}

// merge writes what is surely next, by time, until it is not known what is.
func (r *Recorder) merge() {
	for r.step() {
	}
}

// step writes a few operations of the engine whose turn it is. It says false if it is none's.
func (r *Recorder) step() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	// A time that some clock has shown: who is still waiting afterwards submits later.
	seen := int64(math.MinInt64)
	for _, s := range r.sources {
		seen = max(seen, s.low.Load())
	}
	var turn *Engine
	first, second := int64(math.MaxInt64), int64(math.MaxInt64)
	for _, s := range r.sources {
		t, ready := s.next(seen, r.hurried())
		if t > first || t == first && turn != nil {
			second = min(second, t)
			continue
		}
		first, second, turn = t, first, nil
		if ready {
			turn = s
		}
	}
	if turn != nil {
		r.take(turn, second)
	}
	r.sources = slices.DeleteFunc(r.sources, func(s *Engine) bool {
		gone := s.over()
		if gone {
			r.release(s.head)
		}
		return gone
	})
	return turn != nil
}

// hurried says that there is no room to wait for latencies.
func (r *Recorder) hurried() bool { return r.chunks.Load() > manyChunks }

// next is the time of the engine's next operation, and whether it can be written; if not, no
// operation will come before that time.
func (e *Engine) next(seen int64, hurried bool) (t int64, ready bool) {
	// In this order: what is closed, or is waiting, notes nothing after it was looked at.
	closed, waiting, low := e.closed.Load(), e.waiting.Load(), e.low.Load()
	c := e.head
	if e.at == chunkSize && c.next.Load() != nil {
		e.r.advance(e)
		c = e.head
	}
	if e.at < c.n.Load() {
		x := &c.entries[e.at]
		return x.rec.Time, closed || hurried || x.latency.Load() != inFlight
	}
	switch {
	case closed:
		return math.MaxInt64, false
	case waiting:
		return max(low, seen), false
	}
	return low, false
}

// advance goes to the next chunk.
func (r *Recorder) advance(e *Engine) {
	old := e.head
	e.head, e.at = old.next.Load(), 0
	r.release(old)
}

// atOnce is how many operations are written at once: a worker that meets a new file waits for so many.
const atOnce = 256

// take writes some of an engine's operations, up to a time.
func (r *Recorder) take(e *Engine, until int64) {
	c := e.head
	for n := min(c.n.Load(), e.at+atOnce); e.at < n; e.at++ {
		x := &c.entries[e.at]
		latency := x.latency.Load()
		if latency == inFlight {
			if !e.closed.Load() && !r.hurried() {
				return
			}
			latency, c.torn = trace.Unknown, true
		}
		if x.rec.Time > until {
			return
		}
		r.put(&x.rec, latency)
	}
}

// over says that all that the engine will ever note has been written.
func (e *Engine) over() bool {
	return e.closed.Load() && e.at == e.head.n.Load() && e.head.next.Load() == nil
}
