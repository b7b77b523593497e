package run

import (
	"fmt"
	"sync"
	"sync/atomic"

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
	departures []departure // of jobs that end the phase or other jobs, as far as they are still to come
	endings    int64       // of the phase, as far as they have been noted
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
	jobEnd   []int64 // per job: when its last operation completed, or it ended
	last     int64   // when the loop was last woken
	reaped   int64   // when something last completed
	gap      int64   // between two completions, on average

	aim     int64 // the deadline that the worker sleeps towards
	early   int64 // how long before it to wake
	waiting []int // jobs that begin after others
	looks   bool  // it only looks at the clock in this turn of the loop

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
		if len(w.waiting) > 0 {
			w.join()
		}
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
	for _, c := range w.clients {
		c.finish(w)
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
		for _, c := range w.clients {
			c.measure(w)
		}
	}
	if !w.stopping && (w.now >= w.p.end || w.p.stop.Load()) {
		w.stopping, w.stopped = true, w.now
	}
	w.closeEnded()
	w.takeInbox()
	for t := w.timers.due(w.now); t != nil; t = w.timers.due(w.now) {
		w.runnable = append(w.runnable, t)
	}
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
		if !c.started || c.expects() {
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
	if s := w.streams[0]; s.depth > 0 && !w.p.plan.mayBeEnded(w.p.plan.Jobs[s.job].Name) && s.brake == nil && !s.spec.paced() && !s.spec.UntilFull && !s.follows && s.spec.Most == 0 && s.spec.backlog() == 0 {
		w.solo = s
	}
}
