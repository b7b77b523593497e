package run

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"moonio/engine"
	"moonio/engine/dist"
	"moonio/engine/pace"
)

// directions are those of a stream that keep to rates of their own. Of two rates what is due first goes
// first. Where one has none, it is a closed loop beside the other: it has what the other leaves, and where both
// could go the mix decides.
type directions [2]direction

// direction is one worker's part of a direction.
type direction struct {
	code  engine.OpCode
	rate  *pace.Rate     // nil: a closed loop
	sched *pace.Schedule // of the rate
	next  draw           // of a rate: drawn, and not yet chosen
	over  bool           // the schedule has no more
}

// split says whether each direction has a rate of its own, or none.
func (s *Stream) split() bool { return s.ReadRate != nil || s.WriteRate != nil }

// paced says whether any of the stream's operations has a schedule.
func (s *Stream) paced() bool { return s.Rate != nil || s.split() }

// rates are those of the stream.
func (s *Stream) rates() (list []*pace.Rate) {
	for _, r := range []*pace.Rate{s.Rate, s.ReadRate, s.WriteRate} {
		if r != nil {
			list = append(list, r)
		}
	}
	return list
}

// RateText is what the stream keeps to, in a few words; "" for a closed loop.
func (s *Stream) RateText() string {
	var list []string
	for _, r := range []struct {
		what string
		rate *pace.Rate
	}{{"", s.Rate}, {"reads ", s.ReadRate}, {"writes ", s.WriteRate}} {
		if r.rate != nil {
			list = append(list, r.what+r.rate.String())
		}
	}
	return strings.Join(list, ", ")
}

// moves says whether any of the stream's operations is of a number of bytes.
func (s *Stream) moves() bool {
	return slices.ContainsFunc(s.Mix, func(m dist.Share) bool { return m.Op != engine.Fsync && m.Op != engine.Fdatasync })
}

func (s *Stream) validateRates() error {
	for _, r := range s.rates() {
		if _, err := pace.New(*r, s.Arrival, 0, 1, 0); err != nil {
			return err
		}
	}
	if s.Rate != nil && s.Rate.Bytes && !s.moves() {
		return fmt.Errorf("rate = %s: it is in bytes, and %s moves none: give it in operations, as in \"100/s\"", s.Rate, s.Mix)
	}
	if !s.split() {
		return nil
	}
	switch reads, writes := s.has(engine.Read), s.has(engine.Write) || s.has(engine.Append); {
	case s.Rate != nil:
		return errors.New("read_rate and write_rate: each direction has a rate of its own, and rate is one for both: give either")
	case !reads || !writes || len(s.Mix) != 2:
		return fmt.Errorf("read_rate and write_rate are for a mix of reads and writes, and the stream is of %s: give rate", s.Mix)
	}
	return nil
}

// newDirections are those of a stream; nil if its operations have one schedule, or none.
func (s *Stream) newDirections() *directions {
	if !s.split() {
		return nil
	}
	l := &directions{}
	for _, m := range s.Mix {
		if m.Op == engine.Read {
			l[0] = direction{code: m.Op, rate: s.ReadRate}
		} else {
			l[1] = direction{code: m.Op, rate: s.WriteRate}
		}
	}
	return l
}

// rated says whether operations of that kind have a schedule.
func (l *directions) rated(code engine.OpCode) bool {
	if code == engine.Read {
		return l[0].rate != nil
	}
	return l[1].rate != nil
}

// plan begins the schedules anew.
func (l *directions) plan(s *stream, w *Worker, warm bool) {
	for i := range l {
		if a := &l[i]; a.rate != nil {
			a.sched, a.next.ready, a.over = s.timetable(w, a.rate, warm, uint64(i)+1), false, false
		}
	}
}

// choose draws the next operation. It says false when there is nothing more to do.
func (l *directions) choose(s *stream, w *Worker) bool {
	for i := range l {
		a := &l[i]
		if s.passed(a.code) {
			a.over, a.next.ready = true, false
		}
		if a.sched != nil && !a.next.ready && !a.over {
			if !s.draw(w, &a.next, a.code) {
				return false
			}
			a.next.due = s.due(a.rate, a.sched, a.next.n)
			a.over = a.next.due == engine.NoDeadline && s.end == engine.NoDeadline
			a.next.ready = !a.over
		}
	}
	a := l.first(s, w.now)
	switch {
	case a == nil:
		s.exhausted = true
		return false
	case a.rate == nil:
		return s.draw(w, &s.next, a.code)
	}
	s.next, a.next.ready = a.next, false
	return true
}

// passed says whether operations of that kind have made all their passes, over every file.
func (s *stream) passed(code engine.OpCode) bool {
	return s.spec.Passes > 0 && code != engine.Append && !slices.ContainsFunc(s.targets, func(t *target) bool {
		if code == engine.Read {
			return !t.read.over()
		}
		return !t.write.over()
	})
}

// first is the direction whose turn it is; nil if none has anything more.
func (l *directions) first(s *stream, now int64) *direction {
	for i := range l {
		if free, rated := &l[i], &l[1-i]; free.rate == nil {
			switch {
			case free.over && rated.over:
				return nil
			case free.over:
				return rated
			}
			if rated.next.ready && rated.next.due <= now && s.mix.Next(s.rand) == rated.code {
				return rated
			}
			return free
		}
	}
	a, b := &l[0], &l[1]
	switch {
	case a.over && b.over:
		return nil
	case a.over || !b.over && b.next.due < a.next.due:
		return b
	}
	return a
}

// shift moves what waits by a pause.
func (l *directions) shift(ns int64) {
	for i := range l {
		l[i].next.due += ns
	}
}

// missed counts what fell due before end and was not issued.
func (l *directions) missed(s *stream, w *Worker, end int64) {
	if s.exhausted {
		return
	}
	for i := range l {
		a := &l[i]
		if s.next.ready && s.next.code == a.code {
			a.next, s.next.ready = s.next, false
		}
		s.lag.miss(w.p.from, end, func() (int64, bool) {
			if a.sched == nil || a.over {
				return 0, false
			}
			if !a.next.ready {
				a.next.due = s.due(a.rate, a.sched, s.size(a.code))
			}
			a.next.ready = false
			return a.next.due, true
		})
	}
}
