package run

import (
	"fmt"
	"sync"

	"moonio/engine"
	"moonio/engine/dist"
)

// compile prepares a pattern of n files; nil if the order is none.
func (o *FileOrder) compile(n int, seed uint64) (dist.Sampler, error) {
	if o.At == nil {
		return nil, nil
	}
	s, err := o.At.Compile(dist.Region{Size: int64(n), Unit: 1}, seed)
	if err != nil {
		return nil, fmt.Errorf("file_order = %s over %d files: %w", o.At, n, err)
	}
	return s, nil
}

// String is the order as a script writes it.
func (o FileOrder) String() string {
	switch {
	case o.RoundRobin:
		return "roundrobin"
	case o.Sequential:
		return "sequential"
	case o.At != nil:
		return o.At.String()
	}
	return "random"
}

// pick is the file of the next operation; nil when all have made their passes.
func (s *stream) pick() *target {
	if len(s.targets) > 1 {
		return s.serve()
	}
	if t := s.targets[0]; s.spec.Passes == 0 || !t.over() {
		return t
	}
	return nil
}

// serve keeps to a file for a run of operations, and then chooses the next.
func (s *stream) serve() *target {
	if s.run.left > 0 && !(s.spec.Passes > 0 && s.run.target.over()) {
		s.run.left--
		return s.run.target
	}
	t := s.choice()
	s.run.target, s.run.left = t, s.spec.Run-1
	return t
}

// fileRun is a stretch of operations on one file.
type fileRun struct {
	target *target
	left   int64
	next   int // of a round: the file to be served after this one
}

// choice is the next file in the stream's order that still has passes to make.
func (s *stream) choice() *target {
	n := len(s.targets)
	from := 0
	switch o := &s.spec.Order; {
	case o.RoundRobin:
		from = s.run.next
	case o.Sequential:
		from = s.sequence()
	case o.At != nil:
		from = int(s.order.Next(s.rand, 1))
	default:
		from = int(s.rand.Uint64n(uint64(n)))
	}
	s.run.next = (from + 1) % n
	if s.spec.Passes == 0 {
		return s.targets[from]
	}
	for i := range n {
		if t := s.targets[(from+i)%n]; !t.over() {
			s.run.next = (from + i + 1) % n
			return t
		}
	}
	return nil
}

// sequence is the file whose turn it is, for all workers: it keeps it until it has been asked for as
// many bytes as its region holds.
func (s *stream) sequence() int {
	n := int64(len(s.targets))
	for {
		turn := s.turn.Load()
		t := s.targets[turn%n]
		if t.served.Load() < t.region*(turn/n+1) {
			return int(turn % n)
		}
		s.turn.CompareAndSwap(turn, turn+1)
	}
}

// extent is the bytes from the first to the last that writes have covered.
type extent struct {
	mu       sync.Mutex
	from, to int64
	writes   int64
}

// add covers a write. When it is the last of every so many, it gives what they covered, and
// begins again.
func (e *extent) add(off, n, every int64) (from, length int64, due bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.writes == 0 {
		e.from, e.to = off, off+n
	}
	e.from, e.to = min(e.from, off), max(e.to, off+n)
	if e.writes++; e.writes < every {
		return 0, 0, false
	}
	e.writes = 0
	return e.from, e.to - e.from, true
}

// chore is an operation that others have made necessary.
type chore struct {
	code   engine.OpCode
	target *target
	off, n int64 // of a write or a sync_range
	at     int64 // since when
}

// doChore issues the oldest. It says false when nothing more may begin.
func (s *stream) doChore(w *Worker) bool {
	c := s.chores.pop()
	if !w.p.afford(c.code, c.n, c.at) {
		return false
	}
	s.load(w, c.code, c.target, c.off, c.n, c.at)
	s.aside(w)
	return true
}

// follow adds what a completed operation makes necessary.
func (s *stream) follow(w *Worker, slot uint32, res int64) {
	op, t := &w.ops[slot], w.slots[slot].target
	if s.brake != nil && !s.spec.syncsBy(op.Code) {
		s.brake.completed(w)
	}
	if res < 0 {
		return
	}
	switch {
	case op.Code == engine.Trim && s.spec.TrimWrite:
		s.chores.push(chore{engine.Write, t, op.Off, op.Len, w.now})
	case len(s.spec.Syncs) > 0 && (op.Code == engine.Write || op.Code == engine.Append):
		s.sync(w, t, op.Off, res)
	}
}

// sync issues what is due after a write of n bytes.
func (s *stream) sync(w *Worker, t *target, off, n int64) {
	count, issued := t.writes.Add(1), false
	for i := range s.spec.Syncs {
		e := &s.spec.Syncs[i]
		c, due := chore{code: e.Code, target: t, at: w.now}, false
		if e.Code == engine.SyncRange {
			c.off, c.n, due = t.written.add(off, n, e.Writes)
		} else {
			due = count%e.Writes == 0
		}
		if due && !issued {
			s.chores.push(c)
			issued = true
		}
	}
}

// follows says that completions of the stream can make other operations necessary.
func (s *Stream) follows() bool { return len(s.Syncs) > 0 || s.TrimWrite || s.Think != nil }

// syncsBy says whether it issues such syncs after writes.
func (s *Stream) syncsBy(code engine.OpCode) bool {
	for i := range s.Syncs {
		if s.Syncs[i].Code == code {
			return true
		}
	}
	return false
}

// conclude issues the syncs at the stream's end, when all of it has completed: on the worker that
// is the last to get there.
func (s *stream) conclude(w *Worker) {
	switch {
	case !s.ending || !s.last && len(s.free) < s.depth:
		return
	case !s.last:
		s.chores = fifo[chore]{}
		s.last = s.open.Add(-1) == 0 && !w.p.failed()
		for i := 0; s.last && i < len(s.targets); i++ {
			s.chores.push(chore{code: s.spec.SyncEnd, target: s.targets[i], at: w.now})
		}
	}
	for s.chores.len() > 0 && len(s.free) > 0 {
		c := s.chores.pop()
		w.prepare(s.put(w, c.code, c.target, c.at))
		s.aside(w)
	}
	s.ending = s.chores.len() > 0
}
