package run

import (
	"errors"
	"fmt"
	"sync/atomic"
	"syscall"
	"time"

	"moonio/engine"
	"moonio/engine/dist"
)

// crew is one job's clients on one worker.
type crew struct {
	job     int
	name    string
	program Program
	tasks   []*Task
	live    int   // not ended
	begin   int64 // when they start
	end     int64 // when they stop
	started bool
	done    bool        // they have made all the turns that there are for them
	over    atomic.Bool // none of them goes on; other workers look

	arrivals *arrivals // of turns; nil: the next begins when the one before is over
}

// stop ends the clients when the job's time is up.
func (c *crew) stop() {
	c.over.Store(true)
	for _, t := range c.tasks {
		t.end()
	}
}

// until is when the crew has something to do, whatever completes.
func (c *crew) until() int64 {
	switch {
	case c.live == 0:
		return engine.NoDeadline
	case !c.started, c.dry(): // in which case the free clients end
		return c.begin
	case c.expects():
		return min(c.arrivals.next, c.end)
	}
	return c.end
}

// Task is one client: what a program has in hand while it runs. A method that
// says "waits" asks for something and marks the client as waiting; the program
// must return from Resume before it calls another. Only the worker's goroutine
// uses a task.
type Task struct {
	ID   int        // unique in its job, over all workers
	Rand *dist.Rand // the client's own
	Data any        // the program's own

	w       *Worker
	crew    *crew
	res     int64
	opened  bool // res is a descriptor that the client has not been told of
	waiting bool
	parked  bool // waits for another client
	ended   bool
	turnAt  int64 // when the present turn began
	due     int64 // when it should have
	called  bool  // to a turn that has fallen due
	inTurn  bool
	turns   int64 // that were measured, begun
	lastAt  int64 // when it was last resumed
	idle    int   // resumed so often without time passing
	cursors Cursors
	fresh   []*Queue // made in the present turn
}

func (w *Worker) addClients(i int, j *Job) error {
	c := &crew{job: i, name: j.Name, arrivals: newArrivals(j.Clients)}
	program, err := j.Clients.Program(w)
	if err != nil {
		return err
	}
	c.program = program
	w.clients = append(w.clients, c)
	for n := range w.share(j.Clients.Count) {
		id := n*w.group.threads.Count + w.member
		t := &Task{ID: id, w: w, crew: c, Rand: dist.NewRand(dist.Derive(w.p.seed, uint64(i), uint64(id)))}
		if err := program.Start(t); err != nil {
			return err
		}
		c.tasks = append(c.tasks, t)
	}
	c.live = len(c.tasks)
	c.done = c.live == 0
	return nil
}

// resumeClients runs every client that can run, once.
func (w *Worker) resumeClients() {
	for _, c := range w.clients {
		w.tend(c)
	}
	if w.stopping {
		w.runnable = w.runnable[:0]
		return
	}
	if len(w.runnable) == 0 {
		return
	}
	w.looks = false
	w.watch.enter()
	defer w.watch.exit()
	// A client that is runnable again at once waits for the next turn of the
	// loop, so that none keeps completions from being reaped.
	n := len(w.runnable)
	for i := 0; i < n && !w.p.stop.Load(); i++ {
		w.resume(w.runnable[i])
		if i%64 == 63 {
			w.watch.step()
		}
	}
	w.runnable = w.runnable[:copy(w.runnable, w.runnable[n:])]
}

// tend starts a crew or stops it when it is time.
func (w *Worker) tend(c *crew) {
	switch {
	case w.stopping:
	case !c.started && w.now >= c.begin:
		c.started = true
		w.runnable = append(w.runnable, c.tasks...)
	case w.now >= c.end && !c.over.Load():
		c.stop()
	case c.arrivals != nil && !c.over.Load():
		c.call(w)
	}
}

// maxIdle is how often a client may be resumed while the clock stands still. Only
// a virtual clock does, and only waiting moves it.
const maxIdle = 100_000

func (w *Worker) resume(t *Task) {
	if t.ended {
		return
	}
	if t.lastAt != w.now {
		t.lastAt, t.idle = w.now, 0
	} else if t.idle++; t.idle > maxIdle {
		w.p.fail(fmt.Errorf("client %d of job %q went on %d times without waiting for I/O or for time: simulated time stands still", t.ID, t.crew.name, maxIdle))
		return
	}
	t.waiting = false
	done, err := t.crew.program.Resume(t)
	if errors.Is(err, ErrRunaway) {
		w.p.runaway(err)
	} else if err != nil {
		w.p.fail(err)
	}
	if done || err != nil {
		t.end()
		return
	}
	if !t.waiting && !t.ended {
		w.runnable = append(w.runnable, t)
	}
}

// end lets the client do nothing more.
func (t *Task) end() {
	if t.ended {
		return
	}
	t.ended, t.waiting = true, true
	t.crew.live--
	if t.parked {
		t.parked = false
		t.w.parked--
	}
}

// retire ends a client that has no more turns to make.
func (t *Task) retire(now int64) {
	t.end()
	if t.crew.live == 0 {
		t.crew.done = true
		t.w.jobEnd[t.crew.job] = now
	}
}

// over says whether the client may start nothing more.
func (t *Task) over(now int64) bool {
	return now >= t.crew.end || t.w.stopping || t.w.p.stop.Load()
}

// Turn ends the client's present turn, if one has begun, and begins the next. If that is still to fall due, it waits.
// Otherwise a client that begins none has no more turns to make.
func (t *Task) Turn() (begun, waits bool) {
	now := t.w.eng.Now()
	if t.inTurn {
		t.inTurn = false
		if t.due >= t.w.p.from {
			t.w.rec.iteration(t.crew.job, now-t.turnAt, now-t.due, t.crew.arrivals != nil)
			t.w.p.turned()
		}
	}
	switch {
	case t.over(now):
		t.end()
		return false, false
	case t.spent():
		t.retire(now)
		return false, false
	}
	due, ok := t.arrive(now)
	if !ok {
		return false, true
	}
	t.begin(due, now)
	return t.inTurn, false
}

// begin begins a turn, unless the phase's have all been made.
func (t *Task) begin(due, now int64) {
	measured := due >= t.w.p.from
	if t.inTurn = t.w.p.iterations.take(1, measured); !t.inTurn {
		t.end()
		return
	}
	if measured {
		t.turns++
	}
	if t.crew.arrivals != nil {
		t.crew.arrivals.began(due, now, t.w.p.from)
	}
	t.turnAt, t.due = now, due
}

// spent says whether the client has made as many turns as it may.
func (t *Task) spent() bool {
	most := t.w.p.plan.Jobs[t.crew.job].Clients.Turns
	if most == 0 || t.turns < most {
		return false
	}
	t.w.p.turnsMade.Store(true)
	if a := t.crew.arrivals; a != nil && t.crew.live == 1 {
		a.made = true // this was the last
	}
	return true
}

// Waiting says whether the client has asked for something that it has to wait for.
func (t *Task) Waiting() bool { return t.waiting }

// Now is the engine's clock.
func (t *Task) Now() int64 { return t.w.eng.Now() }

// SpanKey names a span of this job; Span records one that began at from. More than MaxSpans
// names are an error: each has histograms of its own.
func (t *Task) SpanKey(name string) (int, error) {
	k, err := t.w.p.col.span(t.crew.job, name)
	return int(k), err
}

// Span records a stretch of the client's own that began at from, on Now's clock.
func (t *Task) Span(k int, from int64) {
	if from >= t.w.p.from {
		t.w.rec.span(t.crew.job, key(k), t.w.eng.Now()-from)
	}
}

// Sleep waits until d from now, or until the job's time is up.
func (t *Task) Sleep(d time.Duration) {
	t.waiting = true
	now := t.w.eng.Now()
	t.w.timers.add(now+min(max(int64(d), 0), t.crew.end-now), t)
}

// Result is how the operation that was waited for ended: bytes, a descriptor
// or 0, or an errno as the error.
func (t *Task) Result() (int64, error) {
	t.opened = false
	switch {
	case t.res == -int64(errEOF):
		return 0, ErrEOF
	case t.res < 0:
		return 0, syscall.Errno(-t.res)
	}
	return t.res, nil
}

// closeUnclaimed closes what was opened for clients whose time was up when it was.
func (c *crew) closeUnclaimed(w *Worker) {
	for _, t := range c.tasks {
		if t.opened {
			_ = w.p.s.FS.Close(int(t.res))
			t.opened = false
		}
	}
}

// Request is one operation as a client asks for it.
type Request struct {
	Code  engine.OpCode
	Flags engine.OpFlags
	File  *engine.File
	Off   int64
	Len   int64 // bytes to transfer, a range's length, or the new size
	Meta  *engine.Meta
}

// check says why a request cannot be tried at all.
func (r *Request) check() error {
	if r.File == nil || r.Code == engine.Close {
		return nil
	}
	if r.Off < 0 {
		return &RequestError{*r, "the offset is negative"}
	}
	if !r.Code.Transfers() {
		return nil
	}
	if r.Len <= 0 || r.Len > maxTransfer {
		return &RequestError{*r, fmt.Sprintf("one operation can transfer from 1 B to %d MiB", maxTransfer>>20)}
	}
	if !r.File.Direct {
		return nil
	}
	off := r.Off
	if r.Code == engine.Append {
		off = r.File.Tail()
	}
	if err := r.File.Align.Check(off, r.Len); err != nil {
		return &RequestError{*r, err.Error()}
	}
	return nil
}

// The kernel moves at most 2 GiB less a page in one call.
const maxTransfer = 1 << 30

// MayClose refuses to close a file that a stream or a replay of the phase works on: the next
// file that is opened would have its descriptor.
func (t *Task) MayClose(f *engine.File) error {
	if job := t.w.p.users()[f]; job != "" {
		return fmt.Errorf("job %q works on %q: close it after the phase", job, f.Name)
	}
	return nil
}

// Do asks for an operation and waits for it.
func (t *Task) Do(r Request) error {
	if err := r.check(); err != nil {
		return err
	}
	t.waiting = true
	one := [1]Request{r}
	return t.w.start(t, nil, one[:])
}

// Cursor is where the client's sequential access to a file goes on.
func (t *Task) Cursor(f *engine.File, n int64) int64 { return t.cursors.Next(f, n) }

// Cursors are places in files where sequential access goes on. The zero value is at
// every file's start.
type Cursors struct{ at map[*engine.Node]int64 }

// Next takes n bytes of a file where the last call for it stopped, going back to the
// file's start rather than past its end.
func (c *Cursors) Next(f *engine.File, n int64) int64 {
	if c.at == nil {
		c.at = map[*engine.Node]int64{}
	}
	off := c.at[f.Node]
	if size := f.Size(); off+n > size && size >= n {
		off = 0
	}
	c.at[f.Node] = off + n
	return off
}

// park makes the client wait until another one calls unpark on it.
func (t *Task) park() {
	t.waiting, t.parked = true, true
	t.w.parked++
}

// unpark makes a parked client runnable, from any worker.
func (t *Task) unpark(by *Task) {
	if by != nil && by.w == t.w {
		t.w.unparked(t)
		return
	}
	t.w.post(t)
}

// unparked makes a client runnable that was parked, unless its job is over.
func (w *Worker) unparked(t *Task) {
	if t.parked {
		t.parked = false
		w.parked--
		w.runnable = append(w.runnable, t)
	}
}
