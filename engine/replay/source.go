package replay

import (
	"errors"
	"io"
	"sync/atomic"

	"moonio/engine"
	"moonio/engine/trace"
)

// Step is one operation of a replay. The steps of one record follow one another; the
// last has Last set.
type Step struct {
	Due     int64 // ns since the replay's start
	Latency int64 // as captured, in the replay's time; below 0: unknown
	Off     int64 // in the target; trace.AtEnd: where the target is appended to
	Len     int64
	Length  int64 // of the whole record as captured, in its last step
	Extra   int64 // bytes that alignment added, likewise
	Target  int
	Stream  trace.ID
	Op      engine.OpCode
	Flags   engine.OpFlags
	Marks   Marks
}

// Marks say what a step is to its record.
type Marks uint8

// Marks of a step. Parted and Grown stand in the record's last step.
const (
	Last   Marks = 1 << iota
	Added        // a flush that the captured write carried
	Parted       // the record became several operations
	Grown        // alignment made it larger
)

// maxPiece is the most that one step transfers, in bytes.
const maxPiece = 16 << 20

// Source gives a replay's steps. It is for one goroutine, like the Drops it counts.
type Source struct {
	open   Opener
	o      Options
	places []place
	t      *Trace
	w      window
	loop   int
	origin int64 // of the present loop, in the trace's time
	span   int64 // of one loop, from its start to the start of the next
	pieces []piece
	rec    trace.Record
	share  Share
	looked int // how many records were read
	stop   atomic.Bool

	Drops     map[string]int64 // records that were left out, by reason
	DropBytes int64            // what they would have transferred
}

// Share is the part of a trace that one of several sources gives: whole files, or if
// there is but one or ByStream is set, whole streams. The zero value is all of it.
type Share struct {
	Index, Of int
	ByStream  bool
}

func (h *Share) has(r *trace.Record) bool {
	switch {
	case h.Of <= 1:
		return true
	case h.ByStream:
		return int(r.Stream)%h.Of == h.Index
	}
	return int(r.File)%h.Of == h.Index
}

// NewSource makes the source of a replay of what was surveyed. targets are by the
// trace's numbers of files.
func NewSource(open Opener, o Options, s *Survey, targets []Target, share Share) *Source {
	src := &Source{open: open, o: o, Drops: map[string]int64{}, span: s.Span, share: share}
	if len(s.Files) < 2 {
		src.share.ByStream = true
	}
	if s.Records > 1 {
		src.span += s.Span / (s.Records - 1) // the next loop begins as another record would
	}
	for i := range s.Files {
		f := &s.Files[i]
		src.places = append(src.places, place{Target: targets[i], address: o.Address, align: o.Align, end: f.End, chunks: f.chunks})
	}
	return src
}

var errStopped = errors.New("the reading was stopped")

// Stop makes Next return an error soon, however much it has to skip. Any goroutine may
// call it.
func (s *Source) Stop() { s.stop.Store(true) }

// Close ends the reading.
func (s *Source) Close() error {
	if s.t == nil {
		return nil
	}
	t := s.t
	s.t = nil
	return t.Close()
}

// Next appends the steps of the next record that can be played; io.EOF after the last.
func (s *Source) Next(steps []Step) ([]Step, error) {
	for {
		if err := s.read(); err != nil {
			return steps, err
		}
		n := len(steps)
		var why string
		if steps, why = s.steps(steps); why == "" {
			return steps, nil
		}
		steps = steps[:n]
		s.Drops[why]++
		if s.rec.Op.Transfers() {
			s.DropBytes = Sum(s.DropBytes, s.rec.Length)
		}
	}
}

// read gets the next record, beginning anew as often as the trace is to be played.
func (s *Source) read() error {
	for {
		if s.t == nil {
			t, err := s.open()
			if err != nil {
				return err
			}
			s.t, s.w = t, window{trace: t, o: &s.o}
			s.origin = int64(s.loop) * s.span
		}
		err := s.w.read(&s.rec)
		if s.looked++; s.looked%4096 == 0 && s.stop.Load() {
			return errStopped
		}
		switch {
		case err == nil && !s.share.has(&s.rec):
			continue
		case !errors.Is(err, io.EOF):
			s.rec.Time += s.origin
			return err
		}
		if s.loop+1 >= s.o.loops() || !s.w.open {
			return io.EOF
		}
		s.loop++
		if err := s.Close(); err != nil {
			return err
		}
	}
}

// steps appends what the record becomes; if it is left out, the reason.
func (s *Source) steps(steps []Step) ([]Step, string) {
	r := &s.rec
	if why := unplayable(r); why != "" {
		return steps, why
	}
	if int(r.File) >= len(s.places) {
		return steps, whyNowhere // a file that was not there when the trace was surveyed
	}
	p := &s.places[r.File]
	if p.Index < 0 {
		return steps, whyNowhere
	}
	base := Step{Due: s.o.scaled(r.Time), Latency: r.Latency, Target: p.Index, Stream: r.Stream, Op: r.Op, Off: r.Offset, Len: r.Length}
	if base.Latency > 0 {
		base.Latency = s.o.scaled(base.Latency)
	}
	first := len(steps)
	if r.Flags&trace.Preflush != 0 && r.Op == engine.Write {
		flush := base
		flush.Op, flush.Off, flush.Len, flush.Flags, flush.Marks = engine.Fdatasync, 0, 0, engine.Link, Added
		steps = append(steps, flush)
	}
	if r.Flags&trace.FUA != 0 && (r.Op == engine.Write || r.Op == engine.Append) {
		base.Flags |= engine.DSync
	}
	steps, extra, why := s.ranges(steps, p, base)
	if why != "" {
		return steps[:first], why
	}
	s.seal(steps[first:], r, extra)
	return steps, ""
}

// ranges appends the steps of where the record goes.
func (s *Source) ranges(steps []Step, p *place, base Step) ([]Step, int64, string) {
	switch base.Op {
	case engine.Fsync, engine.Fdatasync:
		base.Off, base.Len = 0, 0
		return append(steps, base), 0, ""
	case engine.Truncate:
		if p.address != Keep || p.Base != 0 {
			return steps, 0, whyResized
		}
		return append(steps, base), 0, ""
	case engine.SyncRange:
		if p.address != Keep {
			base.Off, base.Len = 0, 0
		}
		base.Off += p.Base
		return append(steps, base), 0, ""
	}
	if base.Off == trace.AtEnd {
		return s.appends(steps, p, base)
	}
	pieces, extra, why := p.put(base.Op, base.Off, base.Len, s.pieces[:0])
	s.pieces = pieces[:0]
	if why != "" {
		return steps, 0, why
	}
	if base.Op == engine.Append {
		base.Op = engine.Write
	}
	for _, c := range pieces {
		steps = cut(steps, base, c)
	}
	return steps, extra, ""
}

// appends is what a write at an unknown end becomes.
func (s *Source) appends(steps []Step, p *place, base Step) ([]Step, int64, string) {
	n := base.Len
	base.Op = engine.Append
	if a := p.Align; a > 1 && n%a != 0 {
		if p.align == Drop {
			return steps, 0, whyUnaligned
		}
		n = (n + a - 1) / a * a
	}
	for left := n; left > 0; left -= base.Len {
		base.Len = min(left, maxPiece)
		steps = append(steps, base)
	}
	return steps, n - s.rec.Length, ""
}

// cut appends the steps of one range.
func cut(steps []Step, base Step, c piece) []Step {
	if !base.Op.Transfers() {
		base.Off, base.Len = c.off, c.n
		return append(steps, base)
	}
	for c.n > 0 {
		base.Off, base.Len = c.off, min(c.n, maxPiece)
		steps = append(steps, base)
		c.off, c.n = c.off+base.Len, c.n-base.Len
	}
	return steps
}

// seal marks the steps of one record. Those behind a flush wait for it, one behind the
// other.
func (s *Source) seal(steps []Step, r *trace.Record, extra int64) {
	last := &steps[len(steps)-1]
	linked := steps[0].Marks&Added != 0
	for i := range steps[:len(steps)-1] {
		if linked {
			steps[i].Flags |= engine.Link
		}
	}
	last.Marks |= Last
	if r.Op.Transfers() {
		last.Length, last.Extra = r.Length, extra
	}
	parts := len(steps)
	if linked {
		parts--
	}
	if parts > 1 {
		last.Marks |= Parted
	}
	if extra != 0 {
		last.Marks |= Grown
	}
}
