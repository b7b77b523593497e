package run

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/report"
)

// phase is a phase while it runs.
type phase struct {
	plan    *Phase
	s       *Session
	seed    uint64
	col     *collector
	courses []*course // by job; nil for clients
	groups  []*group

	settling *settling // nil unless the phase is to become steady
	workers  []*Worker
	checks   map[*engine.Node]*check // verified files that clients may use; nil: there are none
	stuck    *stuck

	// On the engines' clock; set before any worker's loop begins.
	start int64 // of the warm-up
	from  int64 // of what is measured
	end   int64 // when nothing new begins

	clientsEnd int64 // when no client is at work any more
	scheduled  bool  // every worker is ready and the times are set

	stop   atomic.Bool // nothing new begins
	closed atomic.Bool // every worker has finished

	users func() map[*engine.File]string // as of plan

	ops, bytes, iterations budget
	turnsMade              atomic.Bool    // some client has made all of its turns
	turns                  atomic.Int64   // measured ones that were made
	parts                  []atomic.Int32 // by job: workers whose part is not over, if something follows of that
	waits                  []turn         // by job
	cut                    []atomic.Bool  // by job: another one has ended it
	endings                atomic.Int64   // jobs that have ended others

	mu      sync.Mutex
	reason  string       // what ended the phase
	err     error        // the first failure
	traffic traffic      // the device's since measuring began
	usage   report.Usage // the process's when measuring began
	used    report.Usage // and when the workers had finished: what results are made of afterwards costs too

	runaways atomic.Int64
	stops    stops
}

// What can end a phase.
const (
	endDuration    = "duration"
	endOps         = "ops"
	endBytes       = "bytes"
	endIterations  = "iterations"
	endDone        = "done"
	endSteady      = "steady"
	endFirst       = "first job done"
	endError       = "error"
	endInterrupted = "interrupted"
)

// users are the streams and replays that work on files, by file.
func (p *Phase) users() map[*engine.File]string {
	users := map[*engine.File]string{}
	for i := range p.Jobs {
		j := &p.Jobs[i]
		var files []*engine.File
		switch {
		case j.Stream != nil:
			files = j.Stream.Files
		case j.Replay != nil:
			files = j.Replay.Files
		}
		for _, f := range files {
			users[f] = j.Name
		}
	}
	return users
}

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

// failed says that the phase has ended in an error.
func (p *phase) failed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err != nil
}

// afford says whether an operation that was due at now may begin within the phase's
// limits. The last one that may ends the phase.
func (p *phase) afford(code engine.OpCode, n, now int64) bool {
	measured := now >= p.from
	if !p.ops.take(1, measured) || code.Transfers() && !p.bytes.take(n, measured) {
		return false
	}
	switch {
	case p.ops.spent():
		p.finish(endOps)
	case p.bytes.spent():
		p.finish(endBytes)
	}
	return true
}

// turned counts a measured turn that was made. The last one ends the phase.
func (p *phase) turned() {
	if p.iterations.limited && p.turns.Add(1) == p.plan.Iterations {
		p.finish(endIterations)
	}
}

// turnsSpent says whether there are clients that may begin no further turn.
func (p *phase) turnsSpent() bool {
	return p.turnsMade.Load() || p.iterations.spent()
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
		p.stopUsing()
		p.closed.Store(true)
		p.col.close()
		close(finished)
	}()
	p.guard(ctx, abandon, finished)
	return nil
}

// spareProcessor makes sure that a goroutine can run while every worker waits in the kernel
// without the Go scheduler knowing: the collector of results, an engine's helpers.
func spareProcessor(workers int) {
	if runtime.GOMAXPROCS(0) < workers+1 {
		runtime.GOMAXPROCS(workers + 1)
	}
}

// begin makes the workers, one after another so that their order is always
// the same, each on a thread of its own. They play when loops is closed.
func (p *phase) begin(wg *sync.WaitGroup, loops <-chan struct{}) error {
	spareProcessor(p.threads())
	for _, g := range p.groups {
		for i := range g.threads.Count {
			w := newWorker(p, g, i)
			p.workers = append(p.workers, w)
			ready := make(chan error)
			wg.Add(1)
			go func() {
				defer wg.Done()
				w.onThread(func() { w.live(ready, loops) })
			}()
			if err := <-ready; err != nil {
				return err
			}
		}
	}
	return nil
}

// live is all that a worker does. It says in ready whether it is.
func (w *Worker) live(ready chan<- error, loops <-chan struct{}) {
	if !w.p.s.Virtual {
		w.watch.thread.Store(int64(unix.Gettid()))
	}
	err := w.setup()
	ready <- err
	<-loops
	if err == nil && w.p.scheduled {
		w.loop()
	}
	w.close()
}

// schedule sets the phase's times, from one origin.
func (p *phase) schedule() {
	p.start = p.workers[0].now
	if !p.s.Virtual {
		p.start = engine.Monotonic()
	}
	p.s.start(p.start)
	p.from = p.start + int64(p.plan.Warmup)
	p.end = engine.NoDeadline
	if p.plan.Duration > 0 {
		p.end = p.from + int64(p.plan.Duration)
	}
	p.ops.limit(p.plan.Ops)
	p.bytes.limit(p.plan.Bytes)
	p.iterations.limit(p.plan.Iterations)
	for i := range p.plan.Jobs {
		if _, end := p.window(i); p.plan.Jobs[i].Clients != nil {
			p.clientsEnd = max(p.clientsEnd, end)
		}
	}
	p.scheduled = true
}

// window is when a job begins and stops beginning anything new. One that starts with
// the phase runs in the warm-up too.
func (p *phase) window(job int) (begin, end int64) {
	j := &p.plan.Jobs[job]
	begin, end = p.start, p.end
	if len(j.After) > 0 {
		at := p.turnOf(job)
		if at == engine.NoDeadline {
			return at, end
		}
		if begin = at + int64(j.Start); j.Duration > 0 {
			end = min(end, begin+int64(j.Duration))
		}
		return begin, end
	}
	if j.Start > 0 {
		begin = p.from + int64(j.Start)
	}
	if j.Duration > 0 {
		end = min(end, p.from+int64(j.Start)+int64(j.Duration))
	}
	return begin, end
}

// mark notes, when measuring begins, what the whole process has used, helper threads
// and the kernel's workers for it included, and what the device has carried.
func (p *phase) mark() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.usage = usage(unix.RUSAGE_SELF)
	p.traffic.begin(p.s.Disk)
}
