package run

import (
	"context"
	"errors"
	"testing"
	"time"

	"moonio/engine"
	"moonio/engine/hist"
	"moonio/engine/report"
)

func (s *Session) detailed() *Session {
	s.Detail = &Detail{}
	return s
}

func TestDepthsAndBatches(t *testing.T) {
	s := simSession(t, steady).detailed()
	r := play(t, s, &Phase{Jobs: oneStream(ended(stream4K(t, engine.Read, 8, s.testFile(t, "f", 1<<20)), 1000))})
	d := r.Jobs[0].Detail
	// Eight are submitted at once, and whenever four complete, four more.
	if want := (report.Depths{0, 0, 0, 1000}); d.Depths != want {
		t.Errorf("depths %v, want %v", d.Depths, want)
	}
	if want := (report.Batches{0, 248, 1}); d.Submits != want {
		t.Errorf("submissions %v, want %v", d.Submits, want)
	}
	if want := (report.Batches{0, 250}); d.Completions != want {
		t.Errorf("completions %v, want %v", d.Completions, want)
	}
}

func ended(s *Stream, ops int64) *Stream {
	s.Ops = ops
	return s
}

// The parts of the service time are those of the same operations, and add up to it.
func TestPartsOfServiceTime(t *testing.T) {
	each(t, func(t *testing.T, threads int) {
		s := simSession(t, steady).detailed()
		st := stream4K(t, engine.Read, 8, s.testFile(t, "f", 1<<20))
		r := play(t, s, &Phase{Duration: time.Second, Warmup: 100 * time.Millisecond, Threads: threads, Jobs: oneStream(st)})
		op := r.Jobs[0].Ops["read"]
		if n := op.Count; decoded(t, op.Submission).Count() != n || decoded(t, op.Completion).Count() != n {
			t.Errorf("%d operations, but %d submission and %d completion times", n, decoded(t, op.Submission).Count(), decoded(t, op.Completion).Count())
		}
		if sum := op.Submission.MeanNS + op.Completion.MeanNS; !within(sum, op.Service.MeanNS, 1e-9) {
			t.Errorf("the parts are %v on average, the service time %v", sum, op.Service.MeanNS)
		}
	})
}

// An engine that performs what it takes at once has no submission time.
func TestPartsInline(t *testing.T) {
	s := nullSession(t).detailed()
	st := ended(stream4K(t, engine.Read, 1, s.testFile(t, "f", 1<<20)), 1000)
	r := play(t, s, &Phase{Jobs: oneStream(st), Wrap: func(e engine.Engine, _ uint64) engine.Engine { return &shallow{Engine: e, t: t, depth: 1} }})
	op := r.Jobs[0].Ops["read"]
	if op.Submission != nil {
		t.Errorf("submission times %+v, want none", op.Submission)
	}
	if op.Completion.HDR != op.Service.HDR {
		t.Error("completion times differ from the service times")
	}
}

// A stream alone on an engine that completes within a submission goes round by itself. What is counted
// of it is the same as with a second beside it.
func TestDetailAlone(t *testing.T) {
	for _, depth := range []int{1, 8} {
		s := nullSession(t)
		var samples int64
		s.Detail = &Detail{Samples: func(x *Samples) {
			for _, o := range x.List {
				if samples++; o.Submission != o.Service {
					t.Errorf("sample %+v", o)
				}
			}
		}}
		f := s.testFile(t, "f", 1<<20)
		jobs := oneStream(ended(stream4K(t, engine.Read, depth, f), 1000))
		r := play(t, s, &Phase{Jobs: jobs}).Jobs[0]
		if samples != 1000 {
			t.Errorf("depth %d: %d samples", depth, samples)
		}
		both := play(t, s, &Phase{Jobs: append(oneStream(ended(stream4K(t, engine.Read, depth, f), 1000)), Job{Name: "other", Stream: ended(stream4K(t, engine.Write, 1, f), 10)})}).Jobs[0]
		if r.Detail.Depths != both.Detail.Depths || r.Detail.Submits != both.Detail.Submits || r.Detail.Completions != both.Detail.Completions {
			t.Errorf("depth %d: %+v, beside another stream %+v", depth, r.Detail, both.Detail)
		}
		op := r.Ops["read"]
		if op.Submission.HDR != op.Service.HDR {
			t.Error("submission times differ from the service times")
		}
		if n := decoded(t, op.Completion).Count(); n != 1000 || op.Completion.MaxNS != 0 {
			t.Errorf("%d completion times up to %d ns", n, op.Completion.MaxNS)
		}
	}
}

// It ends with its phase, however that does, and begins with the measuring.
func TestAloneEnds(t *testing.T) {
	for name, c := range map[string]struct {
		phase Phase
		reads int64
	}{
		"ops":     {Phase{Ops: 1001}, 1001},
		"bytes":   {Phase{Bytes: 4096 * 999}, 999},
		"warm-up": {Phase{Ops: 500, Warmup: time.Millisecond}, 500},
		"threads": {Phase{Ops: 1000, Threads: 3}, 1000},
	} {
		s := nullSession(t)
		c.phase.Jobs = oneStream(stream4K(t, engine.Read, 8, s.testFile(t, "f", 1<<20)))
		if n := count(t, play(t, s, &c.phase), "s", "read"); n != c.reads {
			t.Errorf("%s: %d reads, want %d", name, n, c.reads)
		}
	}
	s := nullSession(t)
	ctx, stop := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer stop()
	r, err := s.Run(ctx, (&Phase{Duration: time.Hour, Jobs: oneStream(stream4K(t, engine.Read, 1, s.testFile(t, "f", 1<<20)))}).defaults())
	if r == nil || r.End != endInterrupted || err != nil && !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("interrupted: %v, %+v", err, r)
	}
}

func decoded(t *testing.T, l *report.Latency) *hist.Histogram {
	t.Helper()
	h, err := hist.Decode(l.HDR)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestWithoutDetail(t *testing.T) {
	s := nullSession(t)
	r := play(t, s, &Phase{Jobs: oneStream(ended(stream4K(t, engine.Read, 1, s.testFile(t, "f", 1<<20)), 1000))})
	if j := r.Jobs[0]; j.Detail != nil || j.Ops["read"].Submission != nil || j.Ops["read"].Completion != nil {
		t.Errorf("there is detail that was not asked for: %+v", j)
	}
}

// Windows and samples are all of what the totals are the sums of, stalls included.
func TestWindowsAndSamples(t *testing.T) {
	each(t, func(t *testing.T, threads int) {
		s := simSession(t, steady)
		f := s.testFile(t, "f", 1<<20)
		var ops, bytes, samples, sampled, until, last int64
		var windows int
		s.Detail = &Detail{
			Window: func(w *Window) {
				if w.From != until && windows > 0 {
					t.Errorf("a window from %d after one until %d", w.From, until)
				}
				until = w.Until
				windows++
				for _, o := range w.Ops {
					ops, bytes = ops+o.Count, bytes+o.Bytes
					if o.Code != engine.Write || o.Completion.Count() != o.Count || o.Service.Count() != o.Count {
						t.Errorf("window %+v", o)
					}
				}
			},
			Samples: func(x *Samples) {
				for i, o := range x.List {
					if i > 0 && o.At < x.List[i-1].At || o.Code != engine.Write || o.Service < o.Submission || x.Jobs[o.Job] != "s" {
						t.Errorf("sample %+v", o)
					}
					samples, sampled, last = samples+1, sampled+o.Bytes, max(last, o.At)
				}
			},
		}
		job := Job{Name: "s", Stream: stream4K(t, engine.Write, 8, f), Start: 500 * time.Millisecond}
		r := play(t, s, &Phase{Duration: 1250 * time.Millisecond, Interval: 100 * time.Millisecond, Threads: threads, Jobs: []Job{job}})
		op := r.Jobs[0].Ops["write"]
		if ops != op.Count || samples != op.Count || bytes != op.Bytes || sampled != op.Bytes {
			t.Errorf("%d operations of %d bytes; windows have %d of %d, samples %d of %d", op.Count, op.Bytes, ops, bytes, samples, sampled)
		}
		if end := r.StartNS + r.DurationNS; until != end || last > end || windows != 13 {
			t.Errorf("%d windows until %d, samples until %d, want 13 until %d", windows, until, last, end)
		}
		if r.Jobs[0].Detail.FirstError != 0 {
			t.Errorf("first error %d, want none", r.Jobs[0].Detail.FirstError)
		}
	})
}

// More samples than a worker holds are handed over before an interval is over.
func TestManySamples(t *testing.T) {
	s := nullSession(t)
	f := s.testFile(t, "f", 1<<20)
	var samples int64
	longest := 0
	s.Detail = &Detail{Samples: func(x *Samples) { samples, longest = samples+int64(len(x.List)), max(longest, len(x.List)) }}
	const n = 3*maxSamples + 5
	r := play(t, s, &Phase{Interval: time.Hour, Jobs: oneStream(ended(stream4K(t, engine.Read, 4, f), n))})
	if got := count(t, r, "s", "read"); got != n || samples != n || longest > maxSamples {
		t.Errorf("%d operations, %d samples of which %d at once; want %d and at most %d at once", got, samples, longest, n, maxSamples)
	}
}

func TestFirstError(t *testing.T) {
	s := simSession(t, steady).detailed()
	st := ended(stream4K(t, engine.Read, 4, s.testFile(t, "f", 1<<20)), 1000)
	r := play(t, s, &Phase{Count: true, Jobs: oneStream(st), Wrap: rules(t, "read:errno=ETIMEDOUT,nth=100", "read:errno=EIO,every=30")})
	if got := r.Jobs[0].Detail.FirstError; got != 5 {
		t.Errorf("first error %d, want EIO, 5", got)
	}
}

func TestUsage(t *testing.T) {
	s := nullSession(t).detailed()
	f := s.testFile(t, "f", 1<<20)
	own := func(name string) Job {
		return Job{Name: name, Own: &Threads{Count: 1}, Stream: ended(stream4K(t, engine.Read, 32, f), 300_000)}
	}
	r := play(t, s, &Phase{Jobs: []Job{own("a"), own("b")}})
	for _, j := range r.Jobs {
		if u := j.Detail.Usage; !j.Detail.Own || u.UserNS+u.SystemNS <= 0 {
			t.Errorf("job %s: %+v, want processor time of its own threads", j.Name, j.Detail)
		}
	}
	r = play(t, s, &Phase{Jobs: []Job{
		{Name: "a", Stream: ended(stream4K(t, engine.Read, 32, f), 300_000)}, {Name: "b", Stream: ended(stream4K(t, engine.Read, 32, f), 300_000)},
	}})
	if d := r.Jobs[0].Detail; d.Own || d.Usage.UserNS+d.Usage.SystemNS <= 0 {
		t.Errorf("of jobs that share a thread: %+v, want the process's processor time", d)
	}
}

// A glimpse is of whole intervals, and takes nothing from the results.
func TestGlimpse(t *testing.T) {
	s := nullSession(t).detailed()
	ctx, stop := context.WithCancel(t.Context())
	var seen []*report.Phase
	s.Glimpse = func(take func() (*report.Phase, error)) {
		r, err := take()
		if err != nil {
			t.Error(err)
		}
		if n := len(seen); r.DurationNS > 0 && (n == 0 || r.DurationNS > seen[n-1].DurationNS) {
			seen = append(seen, r)
		}
		if len(seen) == 2 {
			stop()
		}
	}
	r, err := s.Run(ctx, (&Phase{Duration: time.Hour, Interval: 20 * time.Millisecond, Jobs: oneStream(stream4K(t, engine.Read, 4, s.testFile(t, "f", 1<<20)))}).defaults())
	if err != nil {
		t.Fatal(err)
	}
	checkPhase(t, r)
	var before int64
	for _, g := range append(seen, r) {
		if n := g.Jobs[0].Ops["read"].Count; n < before || g.DurationNS%int64(20*time.Millisecond) != 0 && g.End == "" {
			t.Errorf("%d operations in %d ns, after %d", n, g.DurationNS, before)
		} else {
			before = n
		}
		checkSeries(t, g, g.Jobs[0], "read", g.Jobs[0].Ops["read"])
	}
}
