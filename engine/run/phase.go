package run

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"moonio/engine"
)

// phase is a phase while it runs.
type phase struct {
	plan    *Phase
	s       *Session
	seed    uint64
	col     *collector
	courses []*course // by job; nil for clients
	workers []*Worker
	stuck   *stuck

	// On the engines' clock; set before any worker's loop begins.
	start int64 // of the warm-up
	from  int64 // of what is measured
	end   int64 // when nothing new begins

	scheduled bool // every worker is ready and the times are set

	stop   atomic.Bool // nothing new begins
	closed atomic.Bool // every worker has finished

	ops, bytes, iterations budget
	clients                atomic.Int64 // that have not ended

	mu     sync.Mutex
	reason string // what ended the phase
	err    error  // the first failure

	runaways atomic.Int64
	cpu      struct{ user, system time.Duration } // the process's, when measuring began; worker 0 writes it
}

// budget is how much of something may still begin. The zero value has no limit.
type budget struct {
	limited bool
	left    atomic.Int64
}

func (b *budget) limit(n int64) {
	if n > 0 {
		b.limited = true
		b.left.Store(n)
	}
}

// take says whether n more may begin; what is not measured is free. The last one
// may go past the limit.
func (b *budget) take(n int64, measured bool) bool {
	if !b.limited || !measured {
		return true
	}
	return b.left.Add(-n) > -n
}

func (b *budget) spent() bool { return b.limited && b.left.Load() <= 0 }

// What can end a phase.
const (
	endDuration    = "duration"
	endOps         = "ops"
	endBytes       = "bytes"
	endIterations  = "iterations"
	endDone        = "done"
	endError       = "error"
	endInterrupted = "interrupted"
)

// finish makes every worker stop beginning anything. The first reason counts.
func (p *phase) finish(reason string) {
	p.mu.Lock()
	if p.reason == "" {
		p.reason = reason
	}
	p.mu.Unlock()
	if p.stop.Swap(true) {
		return
	}
	for _, w := range p.workers {
		w.wake()
	}
}

// fail ends the phase; the first error is the one that is reported.
func (p *phase) fail(err error) {
	p.mu.Lock()
	if p.err == nil {
		p.err = err
		p.reason = endError
	}
	p.mu.Unlock()
	p.finish(endError)
}

// afford says whether an operation may begin at now within the phase's limits.
func (p *phase) afford(code engine.OpCode, n, now int64) bool {
	measured := now >= p.from
	if !p.ops.take(1, measured) {
		p.finish(endOps)
		return false
	}
	if code.Transfers() && !p.bytes.take(n, measured) {
		p.finish(endBytes)
		return false
	}
	return true
}

// clientEnded ends the phase when the turns are used up and made.
func (p *phase) clientEnded() {
	if p.clients.Add(-1) == 0 && p.iterations.spent() {
		p.finish(endIterations)
	}
}

// run plays the phase to its end. When ctx is cancelled it stops and waits for what
// is in flight; when abandon is closed it leaves at once.
func (p *phase) run(ctx context.Context, abandon <-chan struct{}) error {
	loops := make(chan struct{})
	var wg sync.WaitGroup
	if err := p.begin(&wg, loops); err != nil {
		close(loops)
		wg.Wait()
		return err
	}
	p.schedule()
	close(loops)
	finished := make(chan struct{})
	go func() {
		wg.Wait()
		p.closed.Store(true)
		p.col.close()
		close(finished)
	}()
	p.guard(ctx, abandon, finished)
	return nil
}

// begin makes the workers, one after another so that their order is always
// the same, each on a thread of its own. They play when loops is closed.
func (p *phase) begin(wg *sync.WaitGroup, loops <-chan struct{}) error {
	for i := range p.plan.Threads {
		w := newWorker(p, i)
		p.workers = append(p.workers, w)
		ready := make(chan error)
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer lockThread()()
			err := w.setup()
			ready <- err
			<-loops
			if err == nil && p.scheduled {
				w.loop()
				w.watch.finish()
			}
			w.close()
			p.stuck.leave(i)
		}()
		if err := <-ready; err != nil {
			return err
		}
	}
	return nil
}

// schedule sets the phase's times, from one origin.
func (p *phase) schedule() {
	p.start = p.workers[0].now
	if !p.s.Virtual {
		p.start = engine.Monotonic()
	}
	p.from = p.start + int64(p.plan.Warmup)
	p.end = engine.NoDeadline
	if p.plan.Duration > 0 {
		p.end = p.from + int64(p.plan.Duration)
	}
	p.ops.limit(p.plan.Ops)
	p.bytes.limit(p.plan.Bytes)
	p.iterations.limit(p.plan.Iterations)
	p.scheduled = true
}

// window is when a job begins and stops beginning anything new. One that starts with
// the phase runs in the warm-up too.
func (p *phase) window(job int) (begin, end int64) {
	j := &p.plan.Jobs[job]
	begin, end = p.start, p.end
	if j.Start > 0 {
		begin = p.from + int64(j.Start)
	}
	if j.Duration > 0 {
		end = min(end, p.from+int64(j.Start+j.Duration))
	}
	return begin, end
}

// A worker that has been in its clients' code for so many looks is running away.
const (
	look          = 50 * time.Millisecond
	runawayLooks  = 6  // once the phase should be over
	runawayStalls = 40 // while virtual time stands still
)

// guard waits for the workers, passes interruptions on, and stops clients that
// don't come back.
func (p *phase) guard(ctx context.Context, abandon, finished <-chan struct{}) {
	tick := time.NewTicker(look)
	defer tick.Stop()
	interrupted := ctx.Done()
	for {
		select {
		case <-finished:
			return
		case <-abandon:
			p.mu.Lock()
			p.reason = endInterrupted
			p.mu.Unlock()
			return
		case <-interrupted:
			interrupted = nil
			p.finish(endInterrupted)
		case <-tick.C:
			p.catchRunaways()
			if p.s.Progress != nil {
				p.s.Progress(p.progress())
			}
		}
	}
}

func (p *phase) catchRunaways() {
	over := p.stop.Load() || !p.s.Virtual && engine.Monotonic() > p.end
	for _, w := range p.workers {
		switch stalled := w.watch.stalled(); {
		case over && stalled >= runawayLooks:
			w.interrupt(ErrRunaway)
		case p.s.Virtual && stalled >= runawayStalls:
			w.interrupt(fmt.Errorf("a client has computed for %v without waiting for I/O or for time, while simulated time stands still: %w", look*runawayStalls, ErrRunaway))
		}
	}
}

// runaway takes note of a client that had to be stopped. Where the phase was over
// anyway it is only a warning.
func (p *phase) runaway(err error) {
	over := p.stop.Load() || !p.s.Virtual && engine.Monotonic() > p.end
	if !over {
		p.fail(err)
		return
	}
	p.runaways.Add(1)
}

// Progress is how far a phase has got.
type Progress struct {
	Phase     string
	Layout    bool // a file is being laid out; there are no rates
	Warmup    bool
	Share     float64       // of the phase, 0 to 1; negative if its end is not known
	Left      time.Duration // until its end, if that is known
	IOPS      float64
	Bandwidth float64
	P99       time.Duration // of the slowest kind of operation, over the latest interval
}

func (p *phase) progress() Progress {
	g := Progress{Phase: p.plan.Name, Share: -1}
	live := p.col.live.Load()
	now := p.s.now(p, live)
	g.Warmup = now < p.from
	if live != nil {
		seconds := p.plan.Interval.Seconds()
		g.IOPS, g.Bandwidth = float64(live.count)/seconds, float64(live.bytes)/seconds
		g.P99 = time.Duration(live.p99)
	}
	if d := p.plan.Duration; d > 0 {
		g.Share = min(1, float64(now-p.start)/float64(p.end-p.start))
		g.Left = time.Duration(max(0, p.end-now))
		return g
	}
	for _, b := range []struct {
		b *budget
		n int64
	}{{&p.ops, p.plan.Ops}, {&p.bytes, p.plan.Bytes}, {&p.iterations, p.plan.Iterations}} {
		if b.n > 0 {
			g.Share = max(g.Share, 1-float64(max(b.b.left.Load(), 0))/float64(b.n))
		}
	}
	if passed := now - p.from; g.Share > 0 && passed > 0 {
		g.Left = time.Duration(float64(passed) * (1 - g.Share) / g.Share)
	}
	return g
}

// markCPU notes what the whole process has used, helper threads and the kernel's
// workers for it included.
func (p *phase) markCPU() { p.cpu.user, p.cpu.system = cpuTimes(unix.RUSAGE_SELF) }
