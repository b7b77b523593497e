package run

import (
	"fmt"
	"sync/atomic"
	"time"

	"moonio/engine"
	"moonio/engine/dist"
	"moonio/engine/pace"
)

// course is what all workers of one stream share: its choices compiled, and its
// limits.
type course struct {
	spec    *Stream
	mix     *dist.Ops
	targets []*target
	initial pace.Rate // the rate at its start
	ops     budget
	bytes   budget
}

// target is one file of a stream.
type target struct {
	file        *engine.File
	read, write dist.Sampler
	writes      atomic.Int64 // completed, for the syncs that are due after so many
	done        atomic.Bool  // all its passes have been made
}

// compile prepares what the workers share.
func (p *phase) compile() error {
	for i, j := range p.plan.Jobs {
		var c *course
		if j.Stream != nil {
			var err error
			if c, err = p.compileStream(i, j.Stream); err != nil {
				return fmt.Errorf("job %q: %w", j.Name, err)
			}
		}
		p.courses = append(p.courses, c)
	}
	return nil
}

func (p *phase) compileStream(i int, s *Stream) (*course, error) {
	mix, err := s.Mix.Compile()
	if err != nil {
		return nil, err
	}
	c := &course{spec: s, mix: mix}
	if s.Rate != nil {
		if c.initial, err = initialRate(*s.Rate); err != nil {
			return nil, err
		}
	}
	c.ops.limit(s.Ops)
	c.bytes.limit(s.Bytes)
	for n, f := range s.Files {
		t := &target{file: f}
		seed := dist.Derive(p.seed, uint64(i), uint64(n), 0xadd7)
		if t.read, err = s.Read.compile(f, seed, s.does(false)); err != nil {
			return nil, err
		}
		if t.write, err = s.Write.compile(f, seed, s.does(true)); err != nil {
			return nil, err
		}
		c.targets = append(c.targets, t)
	}
	return c, nil
}

func initialRate(r pace.Rate) (pace.Rate, error) {
	curve, err := r.Curve()
	if err != nil {
		return r, err
	}
	first := curve.At(0)
	return pace.Rate{Pieces: []pace.Piece{{For: time.Second, From: first, To: first}}, Bytes: r.Bytes}, nil
}

// does says whether the mix has operations that take their place from Write, or from
// Read. A trim goes where writes go.
func (s *Stream) does(write bool) bool {
	for _, m := range s.Mix {
		switch m.Op {
		case engine.Read:
			if !write {
				return true
			}
		case engine.Write, engine.Trim:
			if write {
				return true
			}
		}
	}
	return false
}

// maxBlock is the most that one operation transfers.
func (s *Stream) maxBlock() int64 { return max(s.Read.Block.Max(), s.Write.Block.Max(), 1) }

func (a *Access) compile(f *engine.File, seed uint64, used bool) (dist.Sampler, error) {
	if !used {
		return nil, nil
	}
	unit := a.Align
	if unit == 0 {
		unit = a.Block.Min()
	}
	size := a.Size
	if size == 0 {
		size = f.Size() - a.Offset
	}
	if size <= 0 || a.Offset+size > f.Size() {
		return nil, fmt.Errorf("file %q has %d bytes, and the stream's region is from %d to %d: open the file with a size", f.Name, f.Size(), a.Offset, a.Offset+max(size, a.Block.Max()))
	}
	if f.Direct {
		if err := a.aligned(f, unit); err != nil {
			return nil, err
		}
	}
	s, err := a.At.Compile(dist.Region{Start: a.Offset, Size: size, Unit: unit, Max: a.Block.Max()}, seed)
	if err != nil {
		return nil, fmt.Errorf("%s in %q: %w", a.At, f.Name, err)
	}
	return s, nil
}

// aligned refuses before the first operation what the storage would refuse then.
func (a *Access) aligned(f *engine.File, unit int64) error {
	for _, c := range []struct {
		what string
		off  int64
		n    int64
	}{{"offset", a.Offset, 0}, {"align", unit, 0}, {"block", 0, a.Block.Min()}} {
		if err := f.Align.Check(c.off, c.n); err != nil {
			return fmt.Errorf("%s on %q: %w", c.what, f.Name, err)
		}
	}
	return nil
}

// stream is one worker's part of a stream.
type stream struct {
	*course
	job   int
	rand  *dist.Rand
	sched *pace.Schedule // nil in a closed loop
	free  []uint32       // its slots that are not in flight
	syncs []*target      // that are due for a sync
	depth int

	begin, end int64
	origin     int64 // of the schedule
	next       draw
	done       bool // nothing new begins
	exhausted  bool // because it has done all it was asked to
	lag        lag
}

// draw is an operation that has been chosen and not yet issued.
type draw struct {
	ready  bool
	code   engine.OpCode
	target *target
	n      int64
	due    int64
}

// lag is how far behind its schedule a stream's operations were submitted.
type lag struct {
	count, sum, max int64
	missed          int64 // fell due and were never submitted
}

func (w *Worker) addStream(i int, j *Job) error {
	s := &stream{course: w.p.courses[i], job: i, depth: w.share(j.Stream.Depth)}
	s.rand = dist.NewRand(dist.Derive(w.p.seed, uint64(i), uint64(w.index), 0x57e4))
	for range s.depth {
		buf, err := w.arena.Get(int(j.Stream.maxBlock()))
		if err != nil {
			return err
		}
		s.free = append(s.free, uint32(len(w.ops)))
		w.ops = append(w.ops, engine.Op{Buf: buf})
		w.slots = append(w.slots, slot{stream: s, job: int32(i), open: j.Stream.Rate != nil})
	}
	s.done = s.depth == 0
	s.exhausted = s.done
	w.streams = append(w.streams, s)
	return nil
}

// schedule sets the stream's window, now that the phase's times are known.
func (s *stream) schedule(w *Worker) {
	s.begin, s.end = w.p.window(s.job)
	s.origin = s.begin
	if s.spec.Rate == nil || s.done {
		return
	}
	rate := *s.spec.Rate
	if s.begin < w.p.from {
		if s.initial.Pieces[0].From == 0 {
			s.begin = w.p.from
		}
		// In the warm-up the rate stays as it begins, so that what it goes through
		// afterwards is measured from its start.
		rate = s.initial
	}
	s.plan(w, rate)
}

// plan begins a schedule at the stream's origin.
func (s *stream) plan(w *Worker, rate pace.Rate) {
	workers := min(w.p.plan.Threads, s.spec.Depth)
	sched, err := pace.New(rate, s.spec.Arrival, w.index, workers, dist.Derive(w.p.seed, uint64(s.job), 0x5c4e))
	if err != nil {
		w.p.fail(err)
		s.done = true
		return
	}
	s.sched = sched
}

// measure begins the stream's real course when the warm-up is over. What was due before
// and could not be issued must not weigh on what is measured.
func (s *stream) measure(w *Worker) {
	if s.sched == nil || s.begin >= w.p.from {
		return
	}
	s.next.ready = false
	s.origin = w.p.from
	s.plan(w, *s.spec.Rate)
}

// fill issues what may be in flight by now.
func (s *stream) fill(w *Worker) {
	if s.done || w.now < s.begin || w.stopping {
		return
	}
	if w.now >= s.end {
		s.done = true
		return
	}
	for more := true; more && len(s.free) > 0; {
		switch {
		case len(s.syncs) > 0:
			more = s.sync(w)
		case !s.choose(w) || s.next.due > w.now:
			more = false
		default:
			more = s.issue(w)
		}
	}
}

// choose draws the next operation, if none is waiting. It says false when there
// is nothing more to do.
func (s *stream) choose(w *Worker) bool {
	d := &s.next
	if d.ready {
		return true
	}
	d.code = s.mix.Next(s.rand)
	if d.target = s.pick(); d.target == nil {
		s.exhaust()
		return false
	}
	d.n = s.size(d.code)
	d.due = w.now
	if s.sched != nil {
		if d.due = s.due(d.n); d.due >= s.end {
			s.done = true
			return false
		}
	}
	d.ready = true
	return true
}

func (s *stream) exhaust() { s.done, s.exhausted = true, true }

// pick draws a file that still has passes to make.
func (s *stream) pick() *target {
	if len(s.targets) == 1 {
		if t := s.targets[0]; !t.done.Load() {
			return t
		}
		return nil
	}
	from := int(s.rand.Uint64n(uint64(len(s.targets))))
	for i := range s.targets {
		if t := s.targets[(from+i)%len(s.targets)]; !t.done.Load() {
			return t
		}
	}
	return nil
}

func (s *stream) size(code engine.OpCode) int64 {
	switch code {
	case engine.Read:
		return s.spec.Read.Block.Next(s.rand)
	case engine.Write, engine.Append, engine.Trim:
		return s.spec.Write.Block.Next(s.rand)
	}
	return 0
}

// due is when the next operation, of n bytes, is scheduled.
func (s *stream) due(n int64) int64 {
	if !s.spec.Rate.Bytes {
		n = 1
	}
	if t := s.sched.NextBytes(n); t != pace.Never {
		return s.origin + t
	}
	return engine.NoDeadline
}

// issue queues the drawn operation. It says false when nothing more may begin.
func (s *stream) issue(w *Worker) bool {
	d := &s.next
	d.ready = false
	off, ok := s.place(d)
	if !ok {
		d.target.done.Store(true)
		return true
	}
	measured := d.due >= w.p.from
	if !s.ops.take(1, measured) || !s.bytes.take(d.n, measured) {
		s.exhaust()
		return false
	}
	if !w.p.afford(d.code, d.n, d.due) {
		return false
	}
	slot := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	op := &w.ops[slot]
	op.Code, op.File, op.Off, op.Len = d.code, d.target.file, off, d.n
	op.Flags = 0
	if d.code.Transfers() {
		op.Buf = op.Buf[:d.n]
		if d.code != engine.Read {
			w.mark(op.Buf)
			if s.spec.DSync {
				op.Flags = engine.DSync
			}
		}
	}
	w.slots[slot].intended = d.due
	w.queue = append(w.queue, slot)
	return true
}

// place is where the operation goes; false when the file's passes have been made.
func (s *stream) place(d *draw) (int64, bool) {
	var sampler dist.Sampler
	switch d.code {
	case engine.Read:
		sampler = d.target.read
	case engine.Write, engine.Trim:
		sampler = d.target.write
	case engine.Append:
		return d.target.file.Reserve(d.n), true
	default:
		return 0, true
	}
	if s.spec.Passes == 0 {
		return sampler.Next(s.rand, d.n), true
	}
	// Validation has seen to it that the pattern has passes.
	off, pass := sampler.(dist.Passer).NextPass(s.rand, d.n)
	return off, pass < s.spec.Passes
}

// sync issues a sync that is due. It covers writes that have completed. It says
// false when nothing more may begin.
func (s *stream) sync(w *Worker) bool {
	t := s.syncs[len(s.syncs)-1]
	s.syncs = s.syncs[:len(s.syncs)-1]
	if !w.p.afford(s.spec.Sync.Code, 0, w.now) {
		return false
	}
	slot := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	op := &w.ops[slot]
	op.Code, op.File, op.Off, op.Len, op.Flags = s.spec.Sync.Code, t.file, 0, 0, 0
	w.slots[slot].intended = w.now
	w.queue = append(w.queue, slot)
	return true
}

// completed takes an operation back.
func (s *stream) completed(w *Worker, slot uint32, res int64) {
	s.free = append(s.free, slot)
	op := &w.ops[slot]
	if sl := &w.slots[slot]; sl.open && sl.intended >= w.p.from {
		late := sl.submitted - sl.intended
		s.lag.count++
		s.lag.sum += late
		s.lag.max = max(s.lag.max, late)
	}
	if every := s.spec.Sync.Writes; every > 0 && res >= 0 && (op.Code == engine.Write || op.Code == engine.Append) {
		for _, t := range s.targets {
			if t.file == op.File && t.writes.Add(1)%every == 0 {
				s.syncs = append(s.syncs, t)
			}
		}
	}
}

// finish counts what fell due and was never submitted.
func (s *stream) finish(w *Worker) {
	end := min(s.end, w.now)
	if s.sched == nil || !s.next.ready {
		return
	}
	for d := &s.next; d.due < end && s.lag.missed < maxMissed; {
		if d.due >= w.p.from {
			s.lag.missed++
		}
		d.due = s.due(d.n)
	}
}

// maxMissed bounds how long counting takes after a schedule that could never be met.
const maxMissed = 10_000_000

// until is how many completions the stream is worth waiting for, and when it has
// something to issue.
func (s *stream) until(w *Worker) (least int, at int64) {
	switch {
	case s.done:
		return w.flying, engine.NoDeadline
	case w.now < s.begin:
		return w.flying, s.begin
	case s.next.ready && len(s.free) > 0:
		return 1, s.next.due
	}
	if s.spec.Batch > 0 {
		return s.spec.Batch, engine.NoDeadline
	}
	return w.batch(s.depth), engine.NoDeadline
}
