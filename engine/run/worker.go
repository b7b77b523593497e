package run

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"moonio/engine"
	"moonio/engine/verify"
)

// Worker is one thread of a phase: it owns an engine, the operations in flight
// on it, and its share of every job. Only its own goroutine touches it, but for
// the inbox.
type Worker struct {
	Data any // the programs' own, shared by those of all jobs

	p      *phase
	group  *group
	index  int // in the phase
	member int // in the group
	eng    engine.Engine
	tap    Tap // eng, if the session has a tap; or nil
	arena  *engine.Arena
	ops    []engine.Op
	slots  []slot
	limit  int      // how many there may be
	depth  int      // the most operations that the engine has under way; 0: no limit
	free   []uint32 // slots that no stream owns
	queue  []uint32 // filled, not yet submitted
	out    []engine.Completion
	now    int64 // read once per turn of the loop
	flying int   // submitted and not completed

	streams    []*stream
	solo       *stream // the only one, if it is all there is to do and its operations complete as they are submitted
	players    []*player
	clients    []*crew
	runnable   []*Task     // to be resumed, in order
	starved    fifo[ask]   // waiting for free slots
	departures []departure // of jobs that end the phase, as far as they are still to come
	timers     timers
	parked     int // clients that wait for another client

	stopping bool
	stopped  int64 // when nothing new began any more, if stopping
	rec      *recorder
	detail   *detail        // nil unless it is asked for
	pulse    *pulse         // nil unless the phase is to become steady
	tallies  []verify.Tally // per job: what was verified; nil: nothing was
	stamp    uint64         // makes every written block differ
	watch    watch
	jobEnd   []int64 // per job: when its last operation completed
	last     int64   // when the loop was last woken
	reaped   int64   // when something last completed
	gap      int64   // between two completions, on average

	aim   int64 // the deadline that the worker sleeps towards
	early int64 // how long before it to wake
	looks bool  // it only looks at the clock in this turn of the loop

	batchWanted int  // completions to wait for at a time; 0: the script doesn't say
	call        int  // the most operations to hand over in one call
	poll        bool // wait for none

	inline bool  // all that was submitted has completed when Submit returns
	took   int64 // when the last Submit returned, where that is of interest

	inbox struct {
		some atomic.Bool // there are tasks
		sync.Mutex
		tasks  []*Task
		closed bool // nobody looks any more
	}
}

// batchMax bounds what one Wait can return.
const batchMax = 256

// loop runs the worker's share of the phase.
func (w *Worker) loop() {
	w.rec = newRecorder(w.index, w.p.from, int64(w.p.plan.Interval), w.p.col)
	w.detail = newDetail(w)
	w.pulse = newPulse(w)
	defer w.finish()
	if err := w.enter(); err != nil {
		w.p.fail(err)
		return
	}
	w.schedule()
	for {
		w.advance()
		if err := w.dash(); err != nil {
			w.p.fail(err)
			return
		}
		w.resumeClients()
		for _, s := range w.streams {
			s.fill(w)
		}
		for _, y := range w.players {
			y.fill(w)
		}
		if err := w.submit(); err != nil {
			w.p.fail(err)
			return
		}
		if len(w.departures) > 0 {
			w.depart()
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

// enter waits for nothing. Workers on a virtual clock take turns from then on, and so
// share what they share in an order that is always the same.
func (w *Worker) enter() error {
	w.now = w.eng.Now()
	if w.p.s.Virtual {
		if _, err := w.eng.Wait(w.out, 1, w.now); err != nil {
			return fmt.Errorf("waiting for the first time: %w", err)
		}
	}
	w.last, w.reaped = w.now, w.now
	return nil
}

func (w *Worker) finish() {
	if len(w.clients) > 0 {
		w.last = w.eng.Now() // they may have been at work since
	}
	if w.pulse != nil {
		w.pulse.leave(w)
	}
	for _, s := range w.streams {
		s.finish(w)
	}
	if w.detail != nil {
		w.detail.use(w)
	}
	w.rec.finish()
}

// advance takes in what the clock and other workers have changed.
func (w *Worker) advance() {
	if !w.watch.measuring && w.now >= w.p.from {
		w.watch.begin(w.now)
		if w.detail != nil {
			w.detail.begin(w)
		}
		if w.index == 0 {
			w.p.mark()
		}
		for _, s := range w.streams {
			s.measure(w)
		}
	}
	if !w.stopping && (w.now >= w.p.end || w.p.stop.Load()) {
		w.stopping, w.stopped = true, w.now
	}
	w.takeInbox()
	for t := w.timers.due(w.now); t != nil; t = w.timers.due(w.now) {
		w.runnable = append(w.runnable, t)
	}
}

// submit hands the queued operations over. The service time of all begins with that: a slot whose operation waits
// while others are handed over is in use.
func (w *Worker) submit() error {
	w.watch.leave(w)
	batch := w.takes()
	if len(batch) == 0 {
		return nil
	}
	at := w.watch.left
	for rest := batch; ; {
		n := w.piece(rest, len(batch)-len(rest))
		if err := w.hand(rest[:n], at); err != nil {
			return err
		}
		if rest = rest[n:]; len(rest) == 0 {
			break
		}
		if w.p.s.Virtual { // time stands still here
			continue
		}
		if _, err := w.eng.Wait(nil, 0, at); err != nil {
			return fmt.Errorf("handing over %d operations: %w", n, err)
		}
	}
	w.queue = w.queue[:copy(w.queue, w.queue[len(batch):])]
	return nil
}

// hand gives operations to the engine.
func (w *Worker) hand(batch []uint32, at int64) error {
	for _, i := range batch {
		w.slots[i].submitted = at
	}
	if w.tap != nil {
		w.tell(batch)
	}
	if err := w.eng.Submit(w.ops, batch); err != nil {
		return fmt.Errorf("submitting %d operations: %w", len(batch), err)
	}
	if w.inline || w.detail != nil {
		w.took = w.eng.Now()
	}
	if w.detail != nil && w.solo == nil {
		w.detail.submitted(w, batch)
	}
	w.flying += len(batch)
	return nil
}

// piece is how many of the operations to hand over in the next call, after those that were just
// now handed over. A device that is slower than the calls is given the first at once and begins
// while the next are prepared: three times as many as it has been given, so that it does not run out of work, in
// a few calls. At least it is as many as complete in the time that a call may cost, and all where
// they complete there and then. Linked operations stay together.
func (w *Worker) piece(batch []uint32, given int) int {
	n := min(len(batch), w.call)
	if !w.inline && !w.p.s.Virtual && w.gap > 0 {
		n = int(min(int64(n), max(3*int64(given), 1+handover/w.gap)))
	}
	for n < len(batch) && w.ops[batch[n-1]].Flags&engine.Link != 0 {
		n++
	}
	return n
}

// handover, in nanoseconds, is ten times what a call to hand operations over costs.
const handover = 5000

// takes is what of the queue the engine has room for. The rest is submitted, and its
// service time begins, when others have completed. Linked operations stay together.
func (w *Worker) takes() []uint32 {
	if w.depth == 0 {
		return w.queue
	}
	n := max(0, min(w.depth-w.flying, len(w.queue)))
	for n > 0 && n < len(w.queue) && w.ops[w.queue[n-1]].Flags&engine.Link != 0 {
		n++
	}
	return w.queue[:n]
}

// finished says whether nothing is left to do or to wait for.
func (w *Worker) finished() bool {
	if w.flying > 0 {
		return false
	}
	if w.stopping {
		return true
	}
	if len(w.runnable) > 0 || w.timers.len() > 0 {
		return false
	}
	for _, s := range w.streams {
		if !s.over() {
			return false
		}
	}
	for _, y := range w.players {
		if !y.over() {
			return false
		}
	}
	for _, c := range w.clients {
		if !c.started {
			return false
		}
	}
	if w.parked > 0 {
		w.stand()
		return false
	}
	return true
}

// dash goes round with the only stream until there may be something else to look at.
func (w *Worker) dash() error {
	s := w.solo
	if s == nil || w.stopping || w.now < s.begin {
		return nil
	}
	end := min(w.p.end, s.end)
	if w.now < w.p.from {
		end = min(end, w.p.from)
	}
	for w.now < end && !w.p.stop.Load() {
		for len(s.free) > 0 && s.choose(w) && s.issue(w) {
		}
		if len(w.queue) == 0 {
			return nil
		}
		w.watch.leave(w)
		if err := w.hand(w.queue, w.watch.left); err != nil {
			return err
		}
		w.queue = w.queue[:0]
		if err := w.reap(1, w.now); err != nil {
			return err
		}
	}
	return nil
}

// alone finds out whether a stream is all there is to do.
func (w *Worker) alone() {
	if len(w.streams) != 1 || len(w.clients)+len(w.players)+len(w.departures) > 0 || !w.inline || w.p.s.Virtual || w.p.plan.Steady != nil {
		return
	}
	if s := w.streams[0]; s.depth > 0 && s.brake == nil && s.spec.Rate == nil && !s.follows && s.spec.Most == 0 && s.spec.backlog() == 0 {
		w.solo = s
	}
}

func (w *Worker) wait() error {
	least, deadline := w.until()
	return w.reap(least, deadline)
}

// reap waits, and takes back what has completed.
func (w *Worker) reap(least int, deadline int64) error {
	n, err := w.eng.Wait(w.out, least, deadline)
	if err != nil {
		return fmt.Errorf("waiting for %d operations in flight: %w", w.flying, err)
	}
	if w.inline && n > 0 {
		w.now = w.took // when they completed
	} else {
		w.now = w.eng.Now()
	}
	if w.now > w.rec.next {
		if w.detail != nil {
			w.detail.use(w)
		}
		w.rec.turn(w.now)
	}
	if w.pulse != nil && w.now >= w.pulse.next {
		w.pulse.turn(w)
	}
	w.last = w.now
	w.measureGap(n)
	w.flying -= n
	if w.detail != nil {
		if w.solo != nil {
			w.detail.round(w, w.solo.job, n)
		} else {
			w.detail.reaped(w, w.out[:n])
		}
	}
	for i := range w.out[:n] {
		w.complete(&w.out[i])
	}
	return nil
}

// measureGap keeps a mean over the last few dozen completions, of which n came now.
func (w *Worker) measureGap(n int) {
	if n == 0 {
		return
	}
	gap := w.now - w.reaped
	if n > 1 {
		gap /= int64(n)
	}
	w.gap += (gap - w.gap) / 8
	w.reaped = w.now
}

// until is how many completions to wait for, and until when.
func (w *Worker) until() (least int, deadline int64) {
	if len(w.runnable) > 0 {
		return 0, w.now
	}
	deadline = w.rec.next + 1
	if w.pulse != nil {
		deadline = min(deadline, w.pulse.next)
	}
	if !w.stopping {
		deadline = min(deadline, w.p.end, w.timers.next())
		if w.now < w.p.from {
			deadline = min(deadline, w.p.from)
		}
		for _, s := range w.streams {
			deadline = min(deadline, s.until(w))
		}
		for _, y := range w.players {
			deadline = min(deadline, y.until())
		}
		for _, c := range w.clients {
			deadline = min(deadline, c.until())
		}
		if w.poll {
			return 0, w.now
		}
		if w.batchWanted > 0 {
			return w.approach(max(1, min(w.batchWanted, w.flying)), deadline)
		}
	}
	return w.approach(1, deadline)
}

// approach makes the worker wake before the deadline and look again and again until then: waking takes tens of
// microseconds, and in a virtual machine hundreds at times, which all that is due would be late by.
func (w *Worker) approach(least int, deadline int64) (int, int64) {
	left := deadline - w.now
	w.looks = false
	switch {
	case w.p.s.Virtual || deadline == engine.NoDeadline:
		return least, deadline
	case w.aim != deadline:
		w.aim, w.early = deadline, min(vigil, left/10)
	}
	if left <= w.early {
		w.looks = true
		return 0, w.now
	}
	return least, deadline - w.early
}

// vigil, in nanoseconds, is how long before a deadline the worker stays awake, if that is no more
// than a tenth of the time until then.
const vigil = 100_000

func (w *Worker) complete(c *engine.Completion) {
	s := &w.slots[c.Slot]
	res := w.settle(s, &w.ops[c.Slot], c.Res)
	if s.check != nil {
		w.verified(s, &w.ops[c.Slot], c.Res)
	}
	switch {
	case s.stream != nil:
		s.stream.completed(w, c.Slot, res)
	case s.player != nil:
		s.player.completed(w, c.Slot)
	case s.queue != nil:
		s.queue.completed(w, c.Slot, res)
	default:
		t := s.task
		w.release(c.Slot)
		t.res = res
		w.runnable = append(w.runnable, t)
	}
}

// settle records an operation's end and what it means for its file. A read that found
// nothing has failed, but for a replay's that has made the file shorter itself: it fell short.
func (w *Worker) settle(s *slot, op *engine.Op, res int64) int64 {
	if res == 0 && op.Code == engine.Read && len(op.Buf) > 0 && !(s.player != nil && s.player.plan.Resizes) {
		res = -int64(errEOF)
	}
	told := res
	if res < 0 {
		w.failed(s, op, syscall.Errno(-res))
	} else {
		if op.File != nil {
			updateNode(op, res)
		}
		if s.most > 0 && w.now-s.submitted > s.most {
			told = -int64(errLate)
			w.failed(s, op, errLate)
		}
	}
	w.jobEnd[s.job] = w.now
	if s.intended >= w.p.from {
		w.rec.complete(int(s.job), op, told, w.now-s.submitted, w.now-s.intended, s.open)
		if w.pulse != nil {
			w.pulse.note(op, told, w.now-s.submitted)
		}
		if w.detail != nil {
			w.detail.completed(w, s, op, told)
		}
	}
	return res
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
	info := w.eng.Info()
	if op.Prio != 0 {
		info.Features = append(slices.Clip(info.Features), "ioprio")
	}
	w.p.fail(&OpError{
		Job: w.p.plan.Jobs[s.job].Name, Op: opText(op), Errno: e, Off: op.Off, Size: fileSize(op), Took: time.Duration(w.now - s.submitted), Limit: time.Duration(s.most),
		Engine: info.Name, Features: info.Features,
	})
}
