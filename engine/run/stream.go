package run

import (
	"moonio/engine"
	"moonio/engine/dist"
	"moonio/engine/pace"
	"moonio/engine/place"
)

// stream is one worker's part of a stream.
type stream struct {
	*course
	job   int
	rand  *dist.Rand
	sched *pace.Schedule // nil in a closed loop
	dirs  *directions    // nil: all that the stream does has one schedule, or none
	free  []uint32       // its slots that are not in flight
	depth int

	prios   []place.Prio // that its operations can have of their own
	filler  *filler      // of what its writes carry; nil: the default
	chores  fifo[chore]
	back    backlog
	brake   *brake // nil if nothing holds it back
	run     fileRun
	follows bool // completions can make other operations necessary
	ending  bool // the syncs at its end are still to come
	last    bool // it is this worker that issues them

	begin, end int64
	origin     int64 // of the schedule
	next       draw
	exhausted  bool // it has drawn all that it was asked to
	closed     bool // its time is up
	lag        lag
}

// draw is an operation that has been chosen and not yet issued.
type draw struct {
	ready  bool
	code   engine.OpCode
	target *target
	n      int64
	off    int64 // of what is read back; other places are found when the operation is issued
	due    int64
}

func (w *Worker) addStream(i int, j *Job) error {
	s := &stream{course: w.p.courses[i], job: i, depth: w.share(j.Stream.Depth)}
	if w.depth > 0 {
		s.depth = min(s.depth, w.depth)
	}
	s.rand = dist.NewRand(dist.Derive(w.p.seed, uint64(i), uint64(w.index), 0x57e4))
	var err error
	if s.filler, err = w.newFiller(i, j.Stream); err != nil {
		return err
	}
	for range s.depth {
		buf, err := w.arena.Get(int(j.Stream.maxBlock()))
		if err != nil {
			return err
		}
		s.free = append(s.free, uint32(len(w.ops)))
		w.ops = append(w.ops, engine.Op{Buf: buf})
		w.slots = append(w.slots, slot{stream: s, job: int32(i), open: j.Stream.Rate != nil, most: int64(j.Stream.MaxLatency)})
	}
	s.exhausted = s.depth == 0
	s.ending = s.depth > 0 && s.spec.SyncEnd != engine.Nop
	s.prios = j.Stream.prios()
	if err := s.checkPrio(w); err != nil {
		return err
	}
	s.follows = s.spec.follows()
	s.dirs = s.spec.newDirections()
	s.run.next = w.member % len(s.targets)
	s.brake, err = s.newBrake(w)
	w.streams = append(w.streams, s)
	return err
}

// fill issues what may be in flight by now.
func (s *stream) fill(w *Worker) {
	if w.now < s.begin {
		return
	}
	s.closed = s.closed || w.now >= s.end
	if s.closed || w.stopping {
		s.conclude(w)
		return
	}
	if s.brake != nil && !s.exhausted && s.brake.holds(s, w) {
		return
	}
	for more := true; more && len(s.free) > 0; {
		switch {
		case s.chores.len() > 0:
			more = s.doChore(w)
		case s.rereads():
			more = s.reread(w)
		case !s.choose(w) || s.next.due > w.now:
			more = false
		default:
			more = s.issue(w)
		}
	}
	if s.exhausted && s.chores.len()+s.back.len() == 0 {
		s.conclude(w)
	}
}

// choose draws the next operation, if none is waiting. It says false when there
// is nothing more to do.
func (s *stream) choose(w *Worker) bool {
	d := &s.next
	if s.full.Load() {
		d.ready, s.exhausted = false, true
	}
	if d.ready || s.exhausted {
		return d.ready
	}
	if s.spec.only() {
		return s.chooseWritten(w)
	}
	if s.dirs != nil {
		return s.dirs.choose(s, w)
	}
	if !s.draw(w, d, s.mix.Next(s.rand)) {
		return false
	}
	if s.sched != nil {
		if d.due = s.due(s.spec.Rate, s.sched, d.n); d.due == engine.NoDeadline && s.end == engine.NoDeadline {
			d.ready, s.exhausted = false, true
			return false
		}
	}
	return true
}

// draw draws an operation, to be done now. It says false when there is nothing more to do.
func (s *stream) draw(w *Worker, d *draw, code engine.OpCode) bool {
	d.code = code
	if d.target = s.pick(); d.target == nil {
		s.exhausted = true
		return false
	}
	d.n = s.size(code)
	if s.spec.Order.Sequential {
		d.target.served.Add(d.n)
	}
	d.due, d.ready = w.now, true
	return true
}

func (s *stream) size(code engine.OpCode) int64 {
	switch code {
	case engine.Read:
		return s.spec.Read.Block.Next(s.rand)
	case engine.Write, engine.Append, engine.Trim, engine.SyncRange:
		return s.spec.Write.Block.Next(s.rand)
	}
	return 0
}

// issue queues the drawn operation. It says false when nothing more may begin.
func (s *stream) issue(w *Worker) bool {
	d := &s.next
	d.ready = false
	off, ok := s.place(d)
	if !ok {
		return true
	}
	if !s.take(d.code, d.n, d.due >= w.p.from) {
		s.exhausted = true
		return false
	}
	if !w.p.afford(d.code, d.n, d.due) {
		return false
	}
	if s.spec.Forget > 0 && d.code.Transfers() {
		s.forget(w, d.n)
	}
	s.load(w, d.code, d.target, off, d.n, d.due)
	s.exhausted = s.ops.spent() || s.bytes.spent()
	if s.brake != nil {
		return s.brake.issued(s, w) && !s.exhausted
	}
	return !s.exhausted
}

// take says whether the stream's limits allow an operation, and the write that follows
// one half of a trimwrite.
func (s *stream) take(code engine.OpCode, n int64, measured bool) bool {
	ops, moves := int64(1), code.Transfers()
	if code == engine.Trim && s.spec.TrimWrite {
		ops, moves = 2, true
	}
	return s.ops.take(ops, measured) && (!moves || s.bytes.take(n, measured))
}

// load queues an operation on n bytes of a file.
func (s *stream) load(w *Worker, code engine.OpCode, t *target, off, n, due int64) {
	slot := s.put(w, code, t, due)
	op := &w.ops[slot]
	op.Off, op.Len = off, n
	if code.Transfers() {
		op.Buf = op.Buf[:n]
		if code != engine.Read && s.spec.DSync {
			op.Flags = engine.DSync
		}
	}
	if len(s.prios) > 0 {
		s.prioritize(op, n)
	}
	w.prepare(slot)
}

// place is where the operation goes; false when the file's passes have been made.
func (s *stream) place(d *draw) (int64, bool) {
	if s.spec.only() {
		return d.off, true
	}
	switch d.code {
	case engine.Read:
		return d.target.read.next(s.rand, &d.n, s.spec.Passes)
	case engine.Write, engine.Trim, engine.SyncRange:
		return d.target.write.next(s.rand, &d.n, s.spec.Passes)
	case engine.Append:
		return d.target.file.Reserve(d.n), true
	}
	return 0, true
}

// put queues an operation on a whole file in a free slot.
func (s *stream) put(w *Worker, code engine.OpCode, t *target, due int64) uint32 {
	slot := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	op := &w.ops[slot]
	op.Code, op.File, op.Off, op.Len, op.Flags, op.Prio = code, t.file, 0, 0, 0, 0
	w.slots[slot].intended = due
	w.slots[slot].target, w.slots[slot].check = t, t.check
	if s.dirs != nil {
		w.slots[slot].open = s.dirs.rated(code)
	}
	w.queue = append(w.queue, slot)
	return slot
}

// aside notes that the operation that was queued last has no part in the schedule.
func (s *stream) aside(w *Worker) { w.slots[w.queue[len(w.queue)-1]].aside = true }

// completed takes an operation back.
func (s *stream) completed(w *Worker, slot uint32, res int64) {
	s.free = append(s.free, slot)
	sl := &w.slots[slot]
	switch {
	case sl.aside:
		sl.aside = false
	case sl.open && sl.intended >= w.p.from:
		s.lag.add(sl.submitted - sl.intended)
	}
	if s.follows {
		s.follow(w, slot, res)
	}
}

// over says whether nothing is left to issue, now that nothing is in flight.
func (s *stream) over() bool { return s.closed || s.exhausted && s.chores.len()+s.back.len() == 0 }

// until is when the stream has something to do, whatever completes.
func (s *stream) until(w *Worker) int64 {
	switch {
	case s.closed || s.exhausted:
		return engine.NoDeadline
	case w.now < s.begin:
		return s.begin
	case s.brake != nil:
		if t := s.brake.wakes(s, w); t > 0 {
			return min(t, s.end)
		}
	}
	if s.next.ready && len(s.free) > 0 {
		return min(s.next.due, s.end)
	}
	return s.end
}
