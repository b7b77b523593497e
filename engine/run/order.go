package run

import (
	"moonio/engine"
	"moonio/engine/internal/heap"
	"moonio/engine/replay"
	"moonio/engine/trace"
)

// order is how a replay's timing finds the next record.
type order interface {
	// next is the record that is issued next, and when; false if that depends on what is in
	// flight, or on what is not read yet.
	next(y *player, w *Worker) (rec []replay.Step, due int64, ok bool)
	// took says that the record of next was issued, or left out.
	took(y *player, rec []replay.Step, issued bool)
	// completed says that a record has completed, of which s is the first step.
	completed(y *player, s *replay.Step, now int64)
	// held is how many records it has taken from the player and not given back.
	held() int
}

func newOrder(t Timing) order {
	switch t {
	case AsFast:
		return &inOrder{fast: true}
	case Dependent:
		return &dependent{}
	case PerStream:
		return &lanes{byStream: map[trace.ID]*lane{}}
	}
	return &inOrder{}
}

// inOrder issues records in the trace's order: at their times, or as fast as may be.
type inOrder struct {
	fast  bool
	shift int64 // by how much the times have been moved
}

func (o *inOrder) next(y *player, w *Worker) ([]replay.Step, int64, bool) {
	rec := y.head(w)
	switch {
	case rec == nil:
		return nil, 0, false
	case o.fast:
		return rec, w.now, true
	}
	due := y.origin + rec[0].Due + o.shift
	if late := w.now - due; y.plan.Late == LateShift && late > int64(y.plan.Limit) && y.room(rec) {
		o.shift += late
		due = w.now
	}
	return rec, due, true
}

func (o *inOrder) took(y *player, rec []replay.Step, _ bool) { y.skip(rec) }

func (o *inOrder) completed(*player, *replay.Step, int64) {}

func (o *inOrder) held() int { return 0 }

// dependent issues a record when all have completed that had when it was captured, as
// long after the last of them as then.
type dependent struct {
	done     heap.Heap[end] // completed here, and not yet known to have completed before the next was captured
	captured int64          // the latest completion before the next record, when captured
	actual   int64          // and here
	begun    bool
}

func (o *dependent) next(y *player, w *Worker) ([]replay.Step, int64, bool) {
	rec := y.head(w)
	if rec == nil {
		return nil, 0, false
	}
	at := rec[0].Due
	for _, slot := range y.active {
		if captured(&y.flights[slot-y.first].step) <= at {
			return nil, 0, false
		}
	}
	for len(o.done) > 0 && o.done[0].captured <= at {
		e := o.done.Pop()
		o.captured = e.captured // they come in order, but for those that came too late to count
		o.actual = max(o.actual, e.actual)
		o.begun = true
	}
	if !o.begun {
		return rec, y.origin + at, true
	}
	return rec, o.actual + max(at-o.captured, 0), true
}

func (o *dependent) took(y *player, rec []replay.Step, _ bool) { y.skip(rec) }

func (o *dependent) completed(_ *player, s *replay.Step, now int64) {
	if at := captured(s); at != engine.NoDeadline {
		o.done.Push(end{at, now})
	}
}

func (o *dependent) held() int { return 0 }

// end is a completion.
type end struct{ captured, actual int64 }

func (a end) Before(b end) bool { return a.captured < b.captured }

// lanes play each stream of the trace as a closed loop: a record is issued when the one
// before it in its stream has completed and as much time has passed as then.
type lanes struct {
	byStream map[trace.ID]*lane
	ready    heap.Heap[*lane] // idle and with a record, by when it is due
	steps    int              // held in all lanes
	seq      uint64
}

type lane struct {
	steps    fifo[replay.Step]
	busy     bool
	waiting  bool // it is in ready
	begun    bool
	captured int64 // when the last record had completed, or was issued if that is not known
	actual   int64 // when it has completed here
	due      int64
	seq      uint64 // first come, first served among those due at once
	record   []replay.Step
}

// lanesAhead is how many steps are held to find records for idle streams.
const lanesAhead = 1 << 16

func (o *lanes) next(y *player, w *Worker) ([]replay.Step, int64, bool) {
	for o.steps < lanesAhead {
		rec := y.head(w)
		if rec == nil {
			break
		}
		o.add(y, rec)
		y.skip(rec)
	}
	if len(o.ready) == 0 {
		return nil, 0, false
	}
	l := o.ready[0]
	return l.record, l.due, true
}

func (o *lanes) add(y *player, rec []replay.Step) {
	id := rec[0].Stream
	l := o.byStream[id]
	if l == nil {
		l = &lane{}
		o.byStream[id] = l
	}
	for _, s := range rec {
		l.steps.push(s)
	}
	o.steps += len(rec)
	o.schedule(y, l)
}

// schedule finds out when an idle lane's next record is due.
func (o *lanes) schedule(y *player, l *lane) {
	if l.busy || l.waiting || l.steps.len() == 0 {
		return
	}
	l.record = l.record[:0]
	for {
		s := l.steps.pop()
		l.record = append(l.record, s)
		if s.Marks&replay.Last != 0 {
			break
		}
	}
	at := l.record[0].Due
	l.due = y.origin + at
	if l.begun {
		l.due = l.actual + max(at-l.captured, 0)
	}
	o.seq++
	l.seq, l.waiting = o.seq, true
	o.ready.Push(l)
}

func (o *lanes) took(y *player, rec []replay.Step, issued bool) {
	l := o.ready.Pop()
	l.waiting, l.busy = false, issued
	o.steps -= len(rec)
	if !issued {
		o.schedule(y, l)
	}
}

func (o *lanes) completed(y *player, s *replay.Step, now int64) {
	l := o.byStream[s.Stream]
	l.busy, l.begun, l.actual = false, true, now
	if l.captured = captured(s); l.captured == engine.NoDeadline {
		l.captured = s.Due
	}
	o.schedule(y, l)
}

func (o *lanes) held() int { return o.steps }

func (a *lane) Before(b *lane) bool { return a.due < b.due || a.due == b.due && a.seq < b.seq }
