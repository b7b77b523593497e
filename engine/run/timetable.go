package run

import (
	"moonio/engine"
	"moonio/engine/dist"
	"moonio/engine/hist"
	"moonio/engine/pace"
)

// lag is how far behind a schedule what it made fall due began: a stream's operations, or clients' turns.
type lag struct {
	count, max int64
	sum        hist.Sum
	missed     int64 // fell due and never began
}

// add counts what began so late, or, by a clock's correction, a little before its time.
func (l *lag) add(late int64) {
	late = max(late, 0)
	l.count++
	l.sum.Add(late)
	l.max = max(l.max, late)
}

// join adds up what several workers were behind.
func (l *lag) join(o *lag) {
	l.count += o.count
	l.sum.Join(o.sum)
	l.max = max(l.max, o.max)
	l.missed += o.missed
}

// schedule sets the stream's window, now that the phase's times are known. In the warm-up
// a rate stays as it begins, so that what it goes through afterwards is measured from
// its start; one that begins at 0 has no warm-up.
func (s *stream) schedule(w *Worker) {
	s.begin, s.end = w.p.window(s.job)
	if !s.spec.paced() || s.exhausted || s.begin == engine.NoDeadline {
		return
	}
	for _, r := range s.spec.rates() {
		if _, first := startRate(*r); first == 0 && s.begin < w.p.from {
			s.begin = w.p.from
		}
	}
	s.plan(w, s.begin)
}

// plan begins the stream's schedules.
func (s *stream) plan(w *Worker, origin int64) {
	s.origin = origin
	if warm := origin < w.p.from; s.dirs != nil {
		s.dirs.plan(s, w, warm)
	} else {
		s.sched = s.timetable(w, s.spec.Rate, warm, 0)
	}
}

// timetable begins the worker's part of a schedule that so many slots or clients of the job keep to, at the rate's beginning
// for all time if it is for the warm-up. Each of the job's has a number.
func (w *Worker) timetable(job int, rate *pace.Rate, arrival pace.Arrival, keepers int, warm bool, number uint64) (*pace.Schedule, error) {
	r := *rate
	if warm {
		r, _ = startRate(r)
	}
	workers := min(w.group.threads.Count, keepers)
	return pace.New(r, arrival, w.member, workers, dist.Derive(w.p.seed, uint64(job), 0x5c4e+number))
}

// timetable begins a schedule of the stream's.
func (s *stream) timetable(w *Worker, rate *pace.Rate, warm bool, number uint64) *pace.Schedule {
	sched, err := w.timetable(s.job, rate, s.spec.Arrival, s.spec.Depth, warm, number)
	if err != nil {
		w.p.fail(err)
		s.exhausted = true
	}
	return sched
}

// measure begins the stream's real course when the warm-up is over. What was due before
// and could not be issued must not weigh on what is measured.
func (s *stream) measure(w *Worker) {
	if !s.spec.paced() || s.exhausted || s.begin == engine.NoDeadline || s.origin >= w.p.from {
		return
	}
	s.next.ready = false
	s.plan(w, w.p.from)
}

// due is when the next operation of a schedule, of n bytes, is to begin.
func (s *stream) due(rate *pace.Rate, sched *pace.Schedule, n int64) int64 {
	if !rate.Bytes {
		n = 1
	}
	if t := sched.NextBytes(n); t != pace.Never {
		return s.origin + t
	}
	return engine.NoDeadline
}

// finish counts what fell due and was never submitted.
func (s *stream) finish(w *Worker) {
	end := min(s.end, w.now)
	if w.stopping {
		end = min(end, w.stopped)
	}
	switch {
	case s.dirs != nil:
		s.dirs.missed(s, w, end)
	case s.sched != nil:
		s.lag.miss(w.p.from, end, func() (int64, bool) {
			if !s.choose(w) {
				return 0, false
			}
			s.next.ready = false
			return s.next.due, true
		})
	}
}

// miss counts what falls due before end, as next gives it. What does before from, in the warm-up, does not count.
func (l *lag) miss(from, end int64, next func() (due int64, ok bool)) {
	if end <= from {
		return
	}
	n, first, last := int64(0), int64(-1), int64(0)
	for range maxMissed {
		due, ok := next()
		if !ok || due >= end {
			break
		}
		if last = due; due >= from {
			if n++; first < 0 {
				first = due
			}
		}
	}
	if span := last - first; n >= maxMissed && span > 0 {
		n += estimate(n, span, end-last)
	}
	l.missed += n
}

// estimate is how many fall due in a time, by how many did in another.
func estimate(n, in, rest int64) int64 {
	return int64(min(float64(n)*float64(rest)/float64(in), 1<<62))
}

// maxMissed bounds how long counting takes after a schedule that could never be met: the rest
// is estimated.
const maxMissed = 10_000_000
