package run

import (
	"encoding/binary"
	"fmt"
	"math"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/dist"
)

// Worker is one thread of a phase: it owns an engine, the operations in flight
// on it, and its share of every job. Only its own goroutine touches it, but for
// the inbox.
type Worker struct {
	Data any // the programs' own, shared by those of all jobs

	p      *phase
	index  int
	eng    engine.Engine
	arena  *engine.Arena
	ops    []engine.Op
	slots  []slot
	limit  int      // how many there may be
	free   []uint32 // slots that no stream owns
	queue  []uint32 // filled, not yet submitted
	out    []engine.Completion
	now    int64 // read once per turn of the loop
	flying int   // submitted and not completed

	streams  []*stream
	clients  []*crew
	runnable []*Task // to be resumed, in order
	starved  []*Task // waiting for a free slot
	timers   timers
	parked   int // clients that wait for another client
	stopping bool
	rec      *recorder
	stamp    uint64 // makes every written block differ
	watch    watch
	jobEnd   []int64 // per job: when its last operation completed
	last     int64   // when the loop was last woken
	gap      int64   // between two completions, on average

	inbox struct {
		sync.Mutex
		tasks  []*Task
		closed bool // nobody looks any more
	}
}

// slot is the bookkeeping beside an operation.
type slot struct {
	intended  int64 // when it was due or asked for
	submitted int64
	stream    *stream // whose it is; or
	task      *Task   // who waits for it
	queue     *Queue  // the task's queue that it went through, if any
	job       int32
	open      bool // has a response time beside its service time
}

// batchMax bounds what one Wait can return.
const batchMax = 256

func newWorker(p *phase, index int) *Worker {
	return &Worker{p: p, index: index, jobEnd: make([]int64, len(p.plan.Jobs))}
}

// setup makes everything that the loop needs. It runs on the worker's thread.
func (w *Worker) setup() error {
	// Without this the kernel rounds paced starts up by 50 µs.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	limit, first := w.budget()
	w.limit = limit
	rng := dist.NewRand(dist.Derive(w.p.seed, uint64(w.index), 0xda7a))
	arena, err := engine.NewArena(first, func(b []byte) { fillRandom(b, rng) })
	if err != nil {
		return err
	}
	w.arena = arena
	w.stamp = rng.Uint64()
	w.eng, err = w.p.s.open(engine.Config{Slots: limit, FS: w.p.s.FS, Arena: arena, Seed: dist.Derive(w.p.seed, uint64(w.index))})
	if err != nil {
		return err
	}
	if w.p.plan.Wrap != nil {
		w.eng = w.p.plan.Wrap(w.eng, dist.Derive(w.p.seed, uint64(w.index), 0xfa17))
	}
	w.now = w.eng.Now()
	w.out = make([]engine.Completion, min(limit, batchMax))
	return w.makeJobs()
}

// Slots beyond one per client, for their queues.
const queueSlots = 1024

// budget is how many slots the worker's jobs can use, and how many bytes of
// buffers they surely need.
func (w *Worker) budget() (slots, bytes int) {
	for i := range w.p.plan.Jobs {
		j := &w.p.plan.Jobs[i]
		if s := j.Stream; s != nil {
			n := w.share(s.Depth)
			slots += n
			bytes += n * bufferSize(s.maxBlock())
			continue
		}
		n := w.share(j.Clients.Count)
		slots += n + queueSlots
		bytes += min(n, queueSlots) * bufferSize(4096)
	}
	return max(slots, 1), min(bytes, 64<<20)
}

// share is this worker's part of n.
func (w *Worker) share(n int) int {
	t := w.p.plan.Threads
	s := n / t
	if w.index < n%t {
		s++
	}
	return s
}

func (w *Worker) makeJobs() error {
	for i := range w.p.plan.Jobs {
		j := &w.p.plan.Jobs[i]
		var err error
		if j.Stream != nil {
			err = w.addStream(i, j)
		} else {
			err = w.addClients(i, j)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *Worker) close() {
	w.inbox.Lock()
	w.inbox.closed = true
	w.inbox.Unlock()
	for _, c := range w.clients {
		c.program.Close()
	}
	if w.eng != nil {
		if err := w.eng.Close(); err != nil {
			w.p.fail(fmt.Errorf("closing the engine: %w", err))
		}
	}
	if w.arena != nil {
		if err := w.arena.Close(); err != nil {
			w.p.fail(err)
		}
	}
}

// loop runs the worker's share of the phase.
func (w *Worker) loop() {
	w.now = w.eng.Now()
	w.rec = newRecorder(w.index, w.p.from, int64(w.p.plan.Interval), w.p.col)
	w.schedule()
	defer w.finish()
	for {
		w.advance()
		w.resumeClients()
		for _, s := range w.streams {
			s.fill(w)
		}
		if err := w.submit(); err != nil {
			w.p.fail(err)
			return
		}
		if w.finished() {
			return
		}
		if err := w.wait(); err != nil {
			w.p.fail(err)
			return
		}
	}
}

func (w *Worker) finish() {
	for _, s := range w.streams {
		s.finish(w)
	}
	w.rec.finish()
}

// schedule sets the jobs' times, now that the phase's are known.
func (w *Worker) schedule() {
	for _, c := range w.clients {
		c.begin, c.end = w.p.window(c.job)
	}
	for _, s := range w.streams {
		s.schedule(w)
	}
}

// advance takes in what the clock and other workers have changed.
func (w *Worker) advance() {
	if w.now > w.rec.next {
		w.rec.turn(w.now)
	}
	if !w.watch.measuring && w.now >= w.p.from {
		w.watch.begin(w.now)
		if w.index == 0 {
			w.p.markCPU()
		}
		for _, s := range w.streams {
			s.measure(w)
		}
	}
	if !w.stopping && (w.now >= w.p.end || w.p.stop.Load()) {
		w.stopping = true
	}
	w.takeInbox()
	for t := w.timers.due(w.now); t != nil; t = w.timers.due(w.now) {
		w.runnable = append(w.runnable, t)
	}
}

// submit hands the queued operations over.
func (w *Worker) submit() error {
	w.watch.leave(w)
	if len(w.queue) == 0 {
		return nil
	}
	at := w.watch.left
	for _, i := range w.queue {
		w.slots[i].submitted = at
	}
	if err := w.eng.Submit(w.ops, w.queue); err != nil {
		return fmt.Errorf("submitting %d operations: %w", len(w.queue), err)
	}
	w.flying += len(w.queue)
	w.queue = w.queue[:0]
	return nil
}

// finished says whether nothing is left to do or to wait for.
func (w *Worker) finished() bool {
	if w.flying > 0 {
		return false
	}
	if w.stopping {
		return true
	}
	if len(w.runnable) > 0 || w.timers.len() > 0 || len(w.starved) > 0 {
		return false
	}
	for _, s := range w.streams {
		if !s.done {
			return false
		}
	}
	for _, c := range w.clients {
		if !c.started {
			return false
		}
	}
	if w.parked > 0 {
		w.p.stuck.set(w.index, true)
		return false
	}
	return true
}

func (w *Worker) wait() error {
	least, deadline := w.until()
	n, err := w.eng.Wait(w.out, least, deadline)
	if err != nil {
		return fmt.Errorf("waiting for %d operations in flight: %w", w.flying, err)
	}
	w.now = w.eng.Now()
	if n > 0 {
		// A mean over the last few dozen completions.
		w.gap += (max(w.now-w.last, 1)/int64(n) - w.gap) / 8
	}
	w.last = w.now
	w.flying -= n
	for i := range w.out[:n] {
		w.complete(&w.out[i])
	}
	return nil
}

// until is how many completions to wait for, and until when.
func (w *Worker) until() (least int, deadline int64) {
	if len(w.runnable) > 0 {
		return 0, w.now
	}
	deadline = min(w.p.end, w.rec.next+1, w.timers.next())
	if w.now < w.p.from {
		deadline = min(deadline, w.p.from)
	}
	if w.stopping {
		deadline = engine.NoDeadline
	}
	least = math.MaxInt
	for _, s := range w.streams {
		n, at := s.until(w)
		least = min(least, n)
		if !w.stopping {
			deadline = min(deadline, at)
		}
	}
	for _, c := range w.clients {
		if !c.started && !w.stopping {
			deadline = min(deadline, c.begin)
		}
		if c.live > 0 {
			least = min(least, w.batch(c.live))
		}
	}
	return max(1, min(least, w.flying)), deadline
}

// batch is how many completions are worth waiting for with depth operations in
// flight: as many as come within the time that a system call takes anyway, so that
// calls are saved where they are what limits, and nothing waits long where the
// device does.
func (w *Worker) batch(depth int) int {
	if w.gap <= 0 || w.p.s.Virtual {
		return 1
	}
	return int(max(1, min(int64(linger)/w.gap, int64(depth)/4)))
}

// linger is how long a completion may lie in wait for others, in nanoseconds.
const linger = 20_000

func (w *Worker) complete(c *engine.Completion) {
	s := &w.slots[c.Slot]
	op := &w.ops[c.Slot]
	w.settle(s, op, c.Res)
	switch {
	case s.stream != nil:
		s.stream.completed(w, c.Slot, c.Res)
	case s.queue != nil:
		s.queue.completed(w, c.Slot, c.Res)
	default:
		t := s.task
		w.release(c.Slot)
		t.res = c.Res
		w.runnable = append(w.runnable, t)
	}
}

// settle records an operation's end and what it means for its file.
func (w *Worker) settle(s *slot, op *engine.Op, res int64) {
	if res == 0 && op.Code == engine.Read && len(op.Buf) > 0 {
		res = -int64(errEOF)
	}
	if res < 0 {
		w.failed(s, op, syscall.Errno(-res))
	} else if op.File != nil {
		updateNode(op, res)
	}
	w.jobEnd[s.job] = w.now
	if s.intended >= w.p.from {
		w.rec.complete(int(s.job), op, res, w.now-s.submitted, w.now-s.intended, s.open)
	}
}

func updateNode(op *engine.Op, res int64) {
	switch op.Code {
	case engine.Write, engine.Append:
		op.File.Grow(op.Off + res)
	case engine.Allocate:
		op.File.Grow(op.Off + op.Len)
	case engine.Truncate:
		op.File.SetSize(op.Len)
		if op.File.Tail() > op.Len {
			op.File.SetTail(op.Len)
		}
	}
}

// failed ends the phase at the first error, unless errors are counted.
func (w *Worker) failed(s *slot, op *engine.Op, e syscall.Errno) {
	if w.p.plan.Count || (e == syscall.ECANCELED && w.p.stop.Load()) {
		return
	}
	w.p.fail(&OpError{Job: w.p.plan.Jobs[s.job].Name, Op: opText(op), Errno: e, Size: fileSize(op)})
}

// take finds a free slot for a client.
func (w *Worker) take() (uint32, bool) {
	if n := len(w.free); n > 0 {
		i := w.free[n-1]
		w.free = w.free[:n-1]
		return i, true
	}
	if len(w.ops) >= w.limit {
		return 0, false
	}
	w.ops = append(w.ops, engine.Op{})
	w.slots = append(w.slots, slot{})
	return uint32(len(w.ops) - 1), true
}

// release gives a client's slot and buffer back.
func (w *Worker) release(i uint32) {
	op := &w.ops[i]
	if op.Buf != nil {
		w.arena.Put(op.Buf)
	}
	op.Buf, op.Meta, op.File = nil, nil, nil
	s := &w.slots[i]
	s.task, s.queue = nil, nil
	w.free = append(w.free, i)
	if len(w.starved) > 0 {
		w.feed()
	}
}

// post makes a waiting client of this worker runnable. Any goroutine may call it.
func (w *Worker) post(t *Task) {
	w.inbox.Lock()
	defer w.inbox.Unlock()
	if w.inbox.closed {
		return
	}
	w.inbox.tasks = append(w.inbox.tasks, t)
	w.p.stuck.set(w.index, false)
	w.eng.Wake()
}

// wake makes the worker look at what has changed. Any goroutine may call it.
func (w *Worker) wake() {
	w.inbox.Lock()
	defer w.inbox.Unlock()
	if w.eng != nil && !w.inbox.closed {
		w.eng.Wake()
	}
}

// interrupt stops the client that is running now. Any goroutine may call it.
func (w *Worker) interrupt(err error) {
	for _, c := range w.clients {
		c.program.Interrupt(err)
	}
}

func (w *Worker) takeInbox() {
	w.inbox.Lock()
	defer w.inbox.Unlock()
	for _, t := range w.inbox.tasks {
		w.parked--
		w.runnable = append(w.runnable, t)
	}
	w.inbox.tasks = w.inbox.tasks[:0]
}

// mark makes the data of a write differ from every other's.
func (w *Worker) mark(b []byte) { w.stamp = stampBlocks(b, w.stamp) }

// stampBlocks puts a number of its own into every 4 KiB of b, counting on from
// n, so that nothing beneath can store two blocks as one.
func stampBlocks(b []byte, n uint64) uint64 {
	for ; len(b) >= 8; b = b[min(4096, len(b)):] {
		n++
		binary.LittleEndian.PutUint64(b, n*0x9e3779b97f4a7c15)
	}
	return n
}

func fillRandom(b []byte, r *dist.Rand) {
	for ; len(b) >= 8; b = b[8:] {
		binary.LittleEndian.PutUint64(b, r.Uint64())
	}
}

func bufferSize(n int64) int {
	page := int64(4096)
	size := page
	for size < n {
		size *= 2
	}
	return int(size)
}

// lockThread ties the goroutine to its thread until the returned function is called.
func lockThread() func() {
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}
