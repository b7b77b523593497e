package run

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"moonio/engine"
	"moonio/engine/dist"
	"moonio/engine/fault"
	"moonio/engine/pace"
	"moonio/engine/report"
)

// starts are the submissions of reads in ns from a phase's measured start.
func (a *tape) starts(warmup time.Duration) []int64 {
	var list []int64
	from := a.events[0].at + int64(warmup)
	for _, e := range a.submitted(engine.Read) {
		list = append(list, e.at-from)
	}
	slices.Sort(list)
	return list
}

// Uniform starts are where they belong after an hour, whatever the number of workers.
func TestUniformStarts(t *testing.T) {
	each(t, func(t *testing.T, threads int) {
		s := simSession(t, steady)
		f := s.testFile(t, "f", 1<<20)
		var a tape
		st := stream4K(t, engine.Read, 8, f).rated(t, constant(t, 7), pace.Uniform)
		r := play(t, s, &Phase{Duration: time.Hour, Threads: threads, Interval: time.Minute, Wrap: a.wrap, Jobs: oneStream(st)})
		list := a.starts(0)
		for k, at := range list {
			if want := int64(k) * 1e9 / 7; at < want-1 || at > want+1 {
				t.Fatalf("start %d came at %d, want %d", k, at, want)
			}
		}
		op := r.Jobs[0].Ops["read"]
		if len(list) != 7*3600 || op.Count != 7*3600 || !within(op.IOPS, 7, 1e-4) {
			t.Errorf("%d starts, %d reads, %v a second; want %d", len(list), op.Count, op.IOPS, 7*3600)
		}
		if r.End != endDuration || r.DurationNS != 3600e9 {
			t.Errorf("ended by %s after %d", r.End, r.DurationNS)
		}
		if lag := r.Jobs[0].Lag; lag.Scheduled != 7*3600 || lag.MaxNS != 0 || op.Response.MaxNS != op.Service.MaxNS {
			t.Errorf("lag %+v, response %+v", lag, op.Response)
		}
	})
}

// Poisson arrivals have the rate that they should over an hour, and gaps that are
// distributed exponentially.
func TestPoissonStarts(t *testing.T) {
	each(t, func(t *testing.T, threads int) {
		s := simSession(t, steady)
		f := s.testFile(t, "f", 1<<20)
		var a tape
		st := stream4K(t, engine.Read, 64, f).rated(t, constant(t, 8), pace.Poisson)
		r := play(t, s, &Phase{Duration: time.Hour, Threads: threads, Interval: time.Minute, Wrap: a.wrap, Jobs: oneStream(st)})
		list := a.starts(0)
		n := float64(len(list))
		if want := 8.0 * 3600; math.Abs(n-want) > 4*math.Sqrt(want) || r.Jobs[0].Ops["read"].Count != int64(n) {
			t.Errorf("%v starts and %d reads, want %v", n, r.Jobs[0].Ops["read"].Count, want)
		}
		gaps := make([]float64, len(list)-1)
		for i := range gaps {
			gaps[i] = float64(list[i+1]-list[i]) / 1e9 * 8
		}
		slices.Sort(gaps)
		worst := 0.0
		for i, g := range gaps {
			worst = max(worst, math.Abs(1-math.Exp(-g)-float64(i)/n))
		}
		if worst > 1.95/math.Sqrt(n) {
			t.Errorf("gaps are %.5f away from exponential", worst)
		}
	})
}

// What changes a rate begins with the measured time, and nothing that the warm-up left
// undone weighs on it.
func TestRateBeginsMeasured(t *testing.T) {
	must := func(r pace.Rate, err error) pace.Rate {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	ramp := must(pace.Ramp(perSecond(t, 0), perSecond(t, 1000), 2*time.Second))
	down := must(pace.Ramp(perSecond(t, 1000), perSecond(t, 0), 2*time.Second))
	burst := must(pace.Burst(perSecond(t, 100), perSecond(t, 1000), time.Second, 100*time.Millisecond))
	each(t, func(t *testing.T, threads int) {
		for _, c := range []struct {
			rate         pace.Rate
			warm         int   // starts in a second of warm-up
			first, total int64 // starts in the first 100 ms, and in 2 s
		}{{ramp, 0, 3, 1000}, {down, 1000, 98, 1000}, {burst, 1000, 100, 380}} {
			s := simSession(t, steady)
			f := s.testFile(t, "f", 1<<20)
			var a tape
			st := stream4K(t, engine.Read, 16, f).rated(t, c.rate, pace.Uniform)
			r := play(t, s, &Phase{Warmup: time.Second, Duration: 2 * time.Second, Threads: threads, Wrap: a.wrap, Jobs: oneStream(st),
				Interval: 100 * time.Millisecond})
			var warm int
			for _, e := range a.submitted(engine.Read) {
				if e.at < r.StartNS {
					warm++
				}
			}
			first := r.Jobs[0].Intervals[0].Ops["read"].IOPS / 10
			if n := count(t, r, "s", "read"); n != c.total || math.Abs(first-float64(c.first)) > 1 || warm != c.warm {
				t.Errorf("%s: %d starts in the warm-up, want %d; %v in the first 100 ms, want %d; %d in all, want %d", c.rate, warm, c.warm, first, c.first, n, c.total)
			}
			if r.DurationNS < 2e9 || r.DurationNS > 2e9+1e6 {
				t.Errorf("%s: took %d", c.rate, r.DurationNS)
			}
		}
	})
}

func rules(t testing.TB, list ...string) func(engine.Engine, uint64) engine.Engine {
	t.Helper()
	var rs []*fault.Rule
	for _, text := range list {
		r, err := fault.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		rs = append(rs, r)
	}
	return func(e engine.Engine, seed uint64) engine.Engine { return fault.Wrap(e, rs, seed) }
}

// The backlog of an overload in the warm-up is not measured.
func TestWarmupBacklog(t *testing.T) {
	s := simSession(t, steady)
	f := s.testFile(t, "f", 1<<20)
	st := stream4K(t, engine.Read, 4, f).rated(t, constant(t, 100), pace.Uniform)
	// It stalls for all of the warm-up.
	r := play(t, s, &Phase{Warmup: 10 * time.Second, Duration: 10 * time.Second, Wrap: rules(t, "*:stall=9990ms,at=0s"), Jobs: oneStream(st)})
	op := r.Jobs[0].Ops["read"]
	if op.Count != 1000 || op.Response.MaxNS > 1e6 || r.Jobs[0].Lag.MaxNS > 1e6 {
		t.Errorf("%d reads, response up to %d, lag up to %d", op.Count, op.Response.MaxNS, r.Jobs[0].Lag.MaxNS)
	}
}

// A stall is in the response times of all that fell due meanwhile, and in the service
// times of those only that were in flight. In the series it is an empty row.
func TestStall(t *testing.T) {
	each(t, func(t *testing.T, threads int) {
		s := simSession(t, steady)
		f := s.testFile(t, "f", 1<<20)
		st := stream4K(t, engine.Read, 4, f).rated(t, constant(t, 100), pace.Uniform)
		r := play(t, s, &Phase{Duration: 10 * time.Second, Threads: threads, Wrap: rules(t, "*:stall=3s,at=4500ms"), Jobs: oneStream(st)})
		op := r.Jobs[0].Ops["read"]
		if op.Count != 1000 {
			t.Errorf("%d reads, want 1000", op.Count)
		}
		// 300 of 1000 fell due in the stall, and waited 1.5 s on average; 4 were in flight.
		if mean := op.Response.MeanNS / 1e9; !within(mean, 0.45, 0.05) || op.Response.P95NS < 2e9 {
			t.Errorf("response %v s on average, want 0.45; p95 %d", mean, op.Response.P95NS)
		}
		if op.Service.MaxNS < 2.9e9 || op.Service.P99NS > 1e6 {
			t.Errorf("service up to %d, p99 %d", op.Service.MaxNS, op.Service.P99NS)
		}
		for i, iv := range r.Jobs[0].Intervals {
			if empty := iv.Ops["read"].IOPS == 0; empty != (i == 5 || i == 6) {
				t.Errorf("row %d: %+v", i, iv.Ops["read"])
			}
		}
		if n := len(r.Jobs[0].Intervals); n != 10 {
			t.Errorf("%d rows", n)
		}
	})
}

// In a closed loop the completions that a stall does not hold are as fast as ever: none is
// made to wait for others.
func TestStallHoldsOnlyItsOwn(t *testing.T) {
	s := simSession(t, steady)
	f := s.testFile(t, "f", 1<<20)
	r := play(t, s, &Phase{Duration: time.Second, Wrap: rules(t, "read:delay=5s,nth=100"), Jobs: oneStream(stream4K(t, engine.Read, 4, f))})
	op := r.Jobs[0].Ops["read"]
	if op.Service.MaxNS < 5e9 || op.Service.P9999NS > 1e6 {
		t.Errorf("service up to %d, all but one up to %d", op.Service.MaxNS, op.Service.P9999NS)
	}
	if r.DurationNS < 5e9 || len(r.Jobs[0].Intervals) != 6 {
		t.Errorf("took %d in %d rows", r.DurationNS, len(r.Jobs[0].Intervals))
	}
}

// A rate above what the device has shows as lag and as operations that never went out,
// and the phase ends on time.
func TestOverload(t *testing.T) {
	each(t, func(t *testing.T, threads int) {
		s := simSession(t, steady)
		f := s.testFile(t, "f", 1<<20)
		// It serves 40 k/s.
		st := stream4K(t, engine.Read, 8, f).rated(t, constant(t, 50_000), pace.Uniform)
		r := play(t, s, &Phase{Warmup: time.Second / 2, Duration: time.Second, Threads: threads, Jobs: oneStream(st)})
		op, lag := r.Jobs[0].Ops["read"], r.Jobs[0].Lag
		if !within(float64(op.Count), 40_000, 0.01) || lag.Scheduled != 50_000 {
			t.Errorf("%d reads of %d, want 40000 of 50000", op.Count, lag.Scheduled)
		}
		if !within(lag.MeanNS, 0.1e9, 0.05) || !within(float64(lag.MaxNS), 0.2e9, 0.05) {
			t.Errorf("lag %+v, want 100 ms on average and 200 ms at most", lag)
		}
		if !within(op.Response.MeanNS-op.Service.MeanNS, lag.MeanNS, 0.01) {
			t.Errorf("response %v, service %v, lag %v", op.Response.MeanNS, op.Service.MeanNS, lag.MeanNS)
		}
		if r.DurationNS > 1e9+1e6 || r.End != endDuration {
			t.Errorf("ended by %s after %d", r.End, r.DurationNS)
		}
	})
}

// Syncs and other operations that writes bring about have no part in the schedule: they don't make
// it look better kept.
func TestLagOfScheduled(t *testing.T) {
	s := simSession(t, steady)
	f := s.testFile(t, "f", 1<<20)
	st := stream4K(t, engine.Write, 8, f).rated(t, constant(t, 50_000), pace.Uniform)
	st.Syncs, st.SyncEnd = []SyncEvery{{engine.Fdatasync, 1}}, engine.Fsync
	j := play(t, s, &Phase{Duration: time.Second, Jobs: oneStream(st)}).Jobs[0]
	op, lag := j.Ops["write"], j.Lag
	if lag.Scheduled != 50_000 || lag.Missed != 50_000-op.Count || j.Ops["fdatasync"].Count < op.Count/2 {
		t.Errorf("lag %+v of %d writes and %d syncs", lag, op.Count, j.Ops["fdatasync"].Count)
	}
	if !within(op.Response.MeanNS-op.Service.MeanNS, lag.MeanNS, 1e-6) {
		t.Errorf("response %v, service %v, lag %v", op.Response.MeanNS, op.Service.MeanNS, lag.MeanNS)
	}
}

// Until its end a rated job is measured, though its last operation came before.
func TestRatedJobLastsItsTime(t *testing.T) {
	s := simSession(t, steady)
	f := s.testFile(t, "f", 1<<20)
	job := Job{Name: "s", Stream: stream4K(t, engine.Read, 4, f).rated(t, constant(t, 1), pace.Uniform)}
	for _, p := range []*Phase{{Duration: 5500 * time.Millisecond}, {}} {
		if p.Duration == 0 {
			job.Duration = 5500 * time.Millisecond
		}
		p.Jobs = []Job{job}
		if r := play(t, s, p); r.Jobs[0].DurationNS != 5500e6 || count(t, r, "s", "read") != 6 {
			t.Errorf("%d reads in %d ns", count(t, r, "s", "read"), r.Jobs[0].DurationNS)
		}
	}
}

// A rate in bytes is kept whatever the sizes.
func TestByteRate(t *testing.T) {
	each(t, func(t *testing.T, threads int) {
		s := simSession(t, steady)
		f := s.testFile(t, "f", 1<<20)
		r := constant(t, 8<<20)
		r.Bytes = true
		got := play(t, s, &Phase{Duration: 10 * time.Second, Threads: threads, Jobs: oneStream(stream4K(t, engine.Read, 8, f).rated(t, r, pace.Poisson))})
		if b := got.Jobs[0].Ops["read"].Bandwidth; !within(b, 8<<20, 0.03) {
			t.Errorf("%v bytes per second, want %d", b, 8<<20)
		}
	})
}

// The same seed on a simulated device gives the same result, and another one another.
func TestDeterminism(t *testing.T) {
	each(t, func(t *testing.T, threads int) {
		run := func(seed uint64) *report.Phase {
			s := simSession(t, "nvme")
			s.Seed = seed
			f, log := s.testFile(t, "f", 1<<28), s.testFile(t, "log", 0)
			sem := NewSemaphore(3)
			r, err := s.Run(context.Background(), (&Phase{
				Warmup: 5 * time.Millisecond, Duration: 30 * time.Millisecond, Threads: threads, Count: true, Interval: 10 * time.Millisecond,
				Wrap: rules(t, "read:errno=EIO,chance=1%", "write:delay=1ms,chance=2%", "*:stall=12ms,at=10ms"),
				Jobs: []Job{
					{Name: "reads", Stream: stream4K(t, engine.Read, 8, f)},
					{Name: "writes", Stream: stream4K(t, engine.Write, 8, f).rated(t, constant(t, 20_000), pace.Poisson)},
					{Name: "commits", Clients: crewOf(9, func(c *cli) {
						sem.Acquire(c.Task, 1)
						c.settle()
						_, _ = c.do(Request{Code: engine.Append, File: log, Len: 4096})
						sem.Release(c.Task, 1)
						k, _ := c.SpanKey("nap")
						from := c.Now()
						c.sleep(time.Duration(c.Rand.Uint64n(100_000)))
						c.Span(k, from)
					})},
				},
			}).defaults())
			if err != nil {
				t.Fatal(err)
			}
			checkPhase(t, r)
			return r
		}
		first := run(1)
		for range 2 {
			if d := diff(first, run(1)); d != "" {
				t.Fatalf("the same seed gives another result:\n%s", d)
			}
		}
		if diff(first, run(2)) == "" {
			t.Error("another seed gives the same result")
		}
	})
}

// What a schedule that could never be met made fall due is known too, without counting it all.
func TestRateFarTooHigh(t *testing.T) {
	s := simSession(t, steady)
	st := stream4K(t, engine.Read, 4, s.testFile(t, "f", 1<<20)).rated(t, constant(t, 1e8), pace.Uniform)
	r := play(t, s, &Phase{Duration: time.Second, Jobs: oneStream(st)})
	if n := r.Jobs[0].Lag.Scheduled; !within(float64(n), 1e8, 0.01) {
		t.Errorf("%d fell due, want 100000000", n)
	}
}

// A phase that is ended in its warm-up does not count what fell due until then: at a high rate that
// would take longer than the phase.
func TestEndedInTheWarmUp(t *testing.T) {
	for name, rated := range map[string]func(*Stream, pace.Rate){
		"one rate": func(st *Stream, r pace.Rate) { st.Rate = &r },
		"directions": func(st *Stream, r pace.Rate) {
			st.Mix = dist.Mix{{Op: engine.Read, Weight: 1}, {Op: engine.Write, Weight: 1}}
			st.ReadRate, st.WriteRate = &r, &r
		},
	} {
		s := simSession(t, "nvme,read=10s,write=10s")
		f := s.testFile(t, "f", 1<<20)
		st := stream4K(t, engine.Read, 1, f)
		st.Write.Block, st.Arrival = sizes(t, 4096), pace.Uniform
		rated(st, constant(t, 1e9))
		jobs := append(oneStream(st), oneCrew(1, func(c *cli) {
			c.sleep(15 * time.Minute)
			c.must(errStopped)
		})...)
		done := make(chan error, 1)
		go func() {
			r, err := s.Run(t.Context(), (&Phase{Warmup: time.Hour, Duration: time.Second, Jobs: jobs}).defaults())
			if r.WarmupNS < int64(15*time.Minute) || r.WarmupNS > int64(16*time.Minute) || r.DurationNS != 0 || r.StartNS != r.WarmupNS {
				t.Errorf("%s: from %d after %d of warm-up, for %d", name, r.StartNS, r.WarmupNS, r.DurationNS)
			}
			done <- err
		}()
		select {
		case err := <-done:
			if err == nil {
				t.Errorf("%s: the phase did not fail", name)
			}
		case <-time.After(5 * time.Minute):
			t.Fatalf("%s: the phase is still counting", name)
		}
	}
}
