package run

import (
	"fmt"
	"os"

	"moonio/engine"
	"moonio/engine/report"
	"moonio/engine/verify"
)

// checking is what is kept of an operation on a verified file while it is in flight.
type checking struct {
	check  *check // nil: its file is not verified
	token  verify.Token
	epoch  uint32
	primed bool // its buffer holds what writes have in common
}

// begin notes an operation that is about to be submitted, and makes the data of a write.
func (c *checking) begin(op *engine.Op) error {
	switch op.Code {
	case engine.Write, engine.Append:
		if !c.primed {
			c.check.Prime(op.Buf[:cap(op.Buf)])
		}
		c.primed = c.check.Aligned(op.Off, int64(len(op.Buf)))
		return c.check.Write(op.Buf, op.Off)
	case engine.Read:
		c.primed = false
		c.token = c.check.Reading(op.Off, int64(len(op.Buf)))
	case engine.Fsync, engine.Fdatasync:
		c.epoch = c.check.Syncing()
	case engine.Trim:
		return c.check.Destroy(op.Off, op.Len)
	}
	return nil
}

// end notes how an operation has ended, and judges what a read got. It returns the number of
// mismatches.
func (c *checking) end(op *engine.Op, res int64, t *verify.Tally) int64 {
	switch op.Code {
	case engine.Write, engine.Append:
		c.check.Wrote(op.Off, int64(len(op.Buf)), res, op.Flags&engine.DSync != 0 || op.File.DSync)
	case engine.Read:
		if res > 0 {
			return c.check.Read(op.Buf[:res], op.Off, c.token, t)
		}
	case engine.Fsync, engine.Fdatasync:
		if res >= 0 {
			c.check.Synced(c.epoch)
		}
	case engine.Trim:
		c.check.Destroyed(op.Off, op.Len)
	case engine.Truncate:
		c.check.Truncated(op.Len)
	}
	return 0
}

// verified takes an operation on a verified file back.
func (w *Worker) verified(s *slot, op *engine.Op, res int64) {
	if w.tallies == nil {
		w.tallies = make([]verify.Tally, len(w.p.plan.Jobs))
	}
	t := &w.tallies[s.job]
	shown := len(t.First)
	if s.end(op, res, t) > 0 {
		w.mismatched(s, t, shown)
	}
	if b := s.stream; b != nil && b.spec.backlog() > 0 && res > 0 && (op.Code == engine.Write || op.Code == engine.Append) {
		b.back.add(reread{s.target, op.Off, res})
	}
}

// mismatched deals with mismatches, of which those from shown on are new.
func (w *Worker) mismatched(s *slot, t *verify.Tally, shown int) {
	c := s.check
	if c.dump {
		for i := range t.First[shown:] {
			if err := w.p.s.dump(&t.First[shown+i]); err != nil {
				w.p.fail(err)
			}
		}
	}
	if c.fatal {
		first := t.First[min(shown, len(t.First)-1)]
		w.p.fail(fmt.Errorf("job %q: %w", w.p.plan.Jobs[s.job].Name, &verify.Failure{First: first}))
	}
}

// dump keeps a block that mismatches, and what it should have been, in files.
func (s *Session) dump(m *verify.Mismatch) error {
	if s.Keep == nil {
		return nil
	}
	for what, b := range map[string][]byte{"expected": m.Want, "found": m.Have} {
		name := besides(m.File, fmt.Sprintf("%d.%s", m.Offset, what))
		fd, err := s.Keep(name)
		if err == nil {
			f := os.NewFile(uintptr(fd), name)
			_, err = f.Write(b)
			if cerr := f.Close(); err == nil {
				err = cerr
			}
		}
		if err != nil {
			return fmt.Errorf("keeping a block that mismatches in %q: %w", name, err)
		}
	}
	return nil
}

// reportVerify sums what the workers have checked for a job; nil if nothing is verified.
func (p *phase) reportVerify(job int) *report.Verification {
	if !p.closed.Load() {
		return nil // it is the workers' still
	}
	var t verify.Tally
	for _, w := range p.workers {
		if w.tallies != nil {
			t.Add(&w.tallies[job])
		}
	}
	if s := p.plan.Jobs[job].Stream; (s == nil || s.Verify == nil) && t.Checked+t.Unsettled+t.Unknown == 0 {
		return nil
	}
	return &report.Verification{
		Checked: t.Checked, Bytes: t.Bytes, Mismatches: t.Mismatches, Unsettled: t.Unsettled, Unknown: t.Unknown, Otherwise: t.Otherwise,
		First: append([]verify.Mismatch{}, t.First...),
	}
}

// unverified warns of a job that was to read back what was written, and has judged nothing.
func (p *phase) unverified(job int, j *report.Job) []report.Warning {
	s := p.plan.Jobs[job].Stream
	if s == nil || s.Verify == nil || !s.only() && (s.does(true) || s.has(engine.Append)) || j.Verify == nil || j.Verify.Checked > 0 {
		return nil
	}
	why := "nothing is known to have been written there"
	if n := j.Verify.Unknown + j.Verify.Unsettled; n > 0 {
		why = fmt.Sprintf("of none of the %d blocks that it read it is known what they must hold", n)
	}
	return []report.Warning{{Code: "unverified", Text: fmt.Sprintf("%s: nothing was verified: %s", j.Name, why)}}
}

// reread is a range that was written and is to be read back.
type reread struct {
	target *target
	off, n int64
}

// backlog holds what a stream's worker has written and not read back, the oldest first.
type backlog struct {
	fifo[reread]
	due  bool  // it is being emptied
	left int64 // where only a batch is read back at a time, how much of that
}

func (b *backlog) add(r reread) { b.push(r) }

// backlog is after how many writes they are read back.
func (s *Stream) backlog() int64 {
	if s.Verify == nil {
		return 0
	}
	return s.Verify.Backlog
}

// only says that the stream reads back what was written, and does nothing else.
func (s *Stream) only() bool { return s.Verify != nil && s.Verify.Only }

// rereads says whether it is time to read back what was written. Once it is, all of it is
// read back, or a batch.
func (s *stream) rereads() bool {
	b, n := &s.back, int64(s.back.len())
	if n == 0 {
		b.due = false
		return false
	}
	full := n >= s.spec.backlog()
	if batch := s.spec.Verify.Batch; batch > 0 {
		if full && b.left == 0 {
			b.left = batch
		}
		return b.left > 0 || s.exhausted
	}
	b.due = b.due || full || s.exhausted
	return b.due
}

// reread reads a range of the backlog. One that is being written again is left out: that write
// will be read back.
func (s *stream) reread(w *Worker) bool {
	r := s.back.pop()
	s.back.left = max(s.back.left-1, 0)
	if r.target.check.Reading(r.off, r.n).Busy() {
		return true
	}
	slot := s.put(w, engine.Read, r.target, w.now)
	s.aside(w)
	op := &w.ops[slot]
	op.Off, op.Buf = r.off, op.Buf[:r.n]
	w.prepare(slot)
	return true
}

// chooseWritten draws the next of what is known to have been written. It says false when there is no
// more.
func (s *stream) chooseWritten(w *Worker) bool {
	for _, t := range s.targets {
		if s.next.off, s.next.n, s.next.ready = t.nextWritten(); s.next.ready {
			s.next.code, s.next.target, s.next.due = engine.Read, t, w.now
			if s.sched != nil {
				s.next.due = s.due(s.spec.Rate, s.sched, s.next.n)
			}
			return true
		}
	}
	s.exhausted = true
	return false
}

// nextWritten takes the next range of a file that was written.
func (t *target) nextWritten() (off, n int64, ok bool) {
	t.backMu.Lock()
	defer t.backMu.Unlock()
	if t.check == nil || t.backAt >= t.backEnd {
		return 0, 0, false
	}
	if off, n, ok = t.check.Next(t.backAt, t.backEnd, t.backBlock); ok {
		t.backAt = off + n
	}
	return off, n, ok
}
