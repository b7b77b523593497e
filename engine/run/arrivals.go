package run

import (
	"moonio/engine"
	"moonio/engine/pace"
)

// arrivals are the turns that fall due on one worker, of clients that keep to a rate. The client that has been free
// for longest takes the next; one that falls due while none is free begins late, and its response time tells.
type arrivals struct {
	spec   *Clients
	sched  *pace.Schedule
	origin int64       // of the schedule
	next   int64       // when the next falls due; engine.NoDeadline: never
	free   fifo[*Task] // clients that wait for one
	made   bool        // all the turns that the clients had to make
	lag    lag
}

func newArrivals(spec *Clients) *arrivals {
	if spec.Rate == nil {
		return nil
	}
	return &arrivals{spec: spec, next: engine.NoDeadline}
}

// schedule sets the clients' window, now that the phase's times are known, as a stream's.
func (c *crew) schedule(w *Worker) {
	c.begin, c.end = w.p.window(c.job)
	a := c.arrivals
	if a == nil || c.begin == engine.NoDeadline || len(c.tasks) == 0 {
		return
	}
	if _, first := startRate(*a.spec.Rate); first == 0 && c.begin < w.p.from {
		c.begin = w.p.from
	}
	c.plan(w, c.begin)
}

// measure begins the schedule anew when the warm-up is over, as a stream's.
func (c *crew) measure(w *Worker) {
	if a := c.arrivals; a != nil && a.sched != nil && a.origin < w.p.from {
		c.plan(w, w.p.from)
	}
}

func (c *crew) plan(w *Worker, origin int64) {
	a := c.arrivals
	sched, err := w.timetable(c.job, a.spec.Rate, a.spec.Arrival, a.spec.Count, origin < w.p.from, 0)
	if err != nil {
		w.p.fail(err)
		return
	}
	a.sched, a.origin = sched, origin
	a.draw()
}

func (a *arrivals) draw() {
	a.next = engine.NoDeadline
	if t := a.sched.Next(); t != pace.Never {
		a.next = a.origin + t
	}
}

// take is what has fallen due by now and that no client has taken; false if nothing has.
func (a *arrivals) take(now int64) (due int64, ok bool) {
	if a.next > now {
		return 0, false
	}
	due = a.next
	a.draw()
	return due, true
}

// call gives free clients what has fallen due. If nothing ever will, their work is done.
func (c *crew) call(w *Worker) {
	a := c.arrivals
	for a.free.len() > 0 {
		if c.dry() {
			a.free.pop().retire(w.now)
			continue
		}
		due, ok := a.take(w.now)
		if !ok {
			return
		}
		t := a.free.pop()
		t.called, t.due = true, due
		w.runnable = append(w.runnable, t)
	}
}

// expects says whether clients wait for turns to fall due.
func (c *crew) expects() bool { return c.live > 0 && c.arrivals != nil && c.arrivals.free.len() > 0 }

// dry says whether free clients wait in vain: no turn falls due any more, and no time is set for their end.
func (c *crew) dry() bool {
	return c.expects() && c.arrivals.next == engine.NoDeadline && c.end == engine.NoDeadline
}

// arrive is when the turn that the client can begin now fell due. If none has, it says false, and the
// client waits.
func (t *Task) arrive(now int64) (due int64, ok bool) {
	a := t.crew.arrivals
	if a == nil {
		return now, true
	}
	if t.called {
		t.called = false
		return t.due, true
	}
	if due, ok = a.take(now); !ok {
		t.waiting = true
		a.free.push(t)
	}
	return due, ok
}

// began notes how late a turn begins.
func (a *arrivals) began(due, now, from int64) {
	if due >= from {
		a.lag.add(now - due)
	}
}

// finish counts what fell due and never began, if there were turns left to make.
func (c *crew) finish(w *Worker) {
	a := c.arrivals
	if a == nil || a.sched == nil || a.made {
		return
	}
	end := min(c.end, w.now)
	if w.stopping {
		end = min(end, w.stopped)
	}
	for _, t := range c.tasks {
		if t.called && t.due >= w.p.from && t.due < end {
			a.lag.missed++
		}
	}
	a.lag.miss(w.p.from, end, func() (int64, bool) { return a.take(end) })
}
