package run

import (
	"slices"
	"strings"
	"testing"
	"time"

	"moonio/engine"
	"moonio/engine/dist"
	"moonio/engine/pace"
	"moonio/engine/report"
)

// mixed is a stream of reads and writes in equal parts.
func mixed(t *testing.T, depth int, f *engine.File) *Stream {
	s := stream4K(t, engine.Read, depth, f)
	s.Mix = dist.Mix{{Op: engine.Read, Weight: 1}, {Op: engine.Write, Weight: 1}}
	s.Arrival = pace.Uniform
	return s
}

// split is such a stream with a rate for each direction, in operations a second.
func split(t *testing.T, depth int, f *engine.File, reads, writes float64) *Stream {
	s := mixed(t, depth, f)
	r, w := constant(t, reads), constant(t, writes)
	s.ReadRate, s.WriteRate = &r, &w
	return s
}

// Each direction starts where its own rate has it, whatever the number of workers.
func TestRatesOfDirections(t *testing.T) {
	each(t, func(t *testing.T, threads int) {
		s := simSession(t, steady)
		f := s.testFile(t, "f", 1<<20)
		var a tape
		st := split(t, 8, f, 7, 3)
		r := play(t, s, &Phase{Duration: 10 * time.Minute, Threads: threads, Interval: time.Minute, Wrap: a.wrap, Jobs: oneStream(st)})
		if n := len(a.submitted(engine.Read)); n != 7*600 {
			t.Errorf("%d reads, want %d", n, 7*600)
		}
		if n := len(a.submitted(engine.Write)); n != 3*600 {
			t.Errorf("%d writes, want %d", n, 3*600)
		}
		for k, at := range a.starts(0) {
			if want := int64(k) * 1e9 / 7; at < want-1 || at > want+1 {
				t.Fatalf("read %d came at %d, want %d", k, at, want)
			}
		}
		j := r.Jobs[0]
		if j.Lag.Scheduled != 10*600 || j.Lag.MaxNS != 0 || j.Ops["read"].Response == nil || j.Ops["write"].Response == nil {
			t.Errorf("lag %+v, %+v", j.Lag, j.Ops)
		}
		if want := "reads 7/s, writes 3/s"; j.Conditions.Rate != want {
			t.Errorf("rate %q, want %q", j.Conditions.Rate, want)
		}
	})
}

// A direction without a rate does what it can beside one that has one, and has no schedule.
func TestOneDirectionRated(t *testing.T) {
	s := simSession(t, steady)
	f := s.testFile(t, "f", 1<<20)
	alone := play(t, s, &Phase{Duration: 10 * time.Second, Jobs: oneStream(stream4K(t, engine.Read, 4, f))}).Jobs[0].Ops["read"].Count
	st := mixed(t, 4, f)
	writes := constant(t, 5)
	st.WriteRate = &writes
	j := play(t, s, &Phase{Duration: 10 * time.Second, Jobs: oneStream(st)}).Jobs[0]
	r, w := j.Ops["read"], j.Ops["write"]
	if w.Count != 5*10 || j.Lag.Scheduled != 5*10 {
		t.Errorf("%d writes of %d that were due, want %d", w.Count, j.Lag.Scheduled, 5*10)
	}
	if !within(float64(r.Count), float64(alone-w.Count), 0.02) {
		t.Errorf("%d reads beside %d writes, where there are %d alone", r.Count, w.Count, alone)
	}
	if r.Response != nil || w.Response == nil {
		t.Errorf("response times: reads %v, writes %v; only writes have a schedule", r.Response, w.Response)
	}
	if most := 20 * r.Service.MaxNS; j.Lag.MaxNS > most {
		t.Errorf("a write was %d ns late, with reads of at most %d", j.Lag.MaxNS, r.Service.MaxNS)
	}
}

// What a slow storage leaves undone is counted for each direction.
func TestDirectionsMissed(t *testing.T) {
	s := simSession(t, steady)
	f := s.testFile(t, "f", 1<<20)
	st := split(t, 1, f, 1e6, 5e5)
	j := play(t, s, &Phase{Duration: time.Second, Jobs: oneStream(st)}).Jobs[0]
	if n := j.Lag.Scheduled; n < 1_499_990 || n > 1_500_010 {
		t.Errorf("%d operations were due, want 1500000", n)
	}
	r, w := j.Ops["read"].Count, j.Ops["write"].Count
	if !within(float64(r), 2*float64(w), 0.01) {
		t.Errorf("%d reads and %d writes, where twice as many reads fall due", r, w)
	}
}

// What one direction misses shows, however much the other one does beside it.
func TestRatedDirectionMissed(t *testing.T) {
	s := simSession(t, steady)
	st := mixed(t, 4, s.testFile(t, "f", 1<<20))
	st.Mix[0].Weight = 10 // of reads, which have no rate
	writes := constant(t, 20_000)
	st.WriteRate = &writes
	r := play(t, s, &Phase{Duration: time.Second, Jobs: oneStream(st)})
	j := r.Jobs[0]
	if due, done := j.Lag.Scheduled, j.Ops["write"].Count; due != 20_000 || j.Lag.Missed != due-done || done > due/2 {
		t.Errorf("%d writes of %d, lag %+v", done, due, j.Lag)
	}
	res := &report.Result{Phases: []*report.Phase{r}}
	report.Diagnose(res)
	if !slices.ContainsFunc(r.Warnings, func(w report.Warning) bool { return w.Code == "rate-missed" }) {
		t.Errorf("no word of it in %q", r.Warnings)
	}
}

// In the warm-up the rates are the same, and nothing of it is left over.
func TestDirectionsWarmUp(t *testing.T) {
	s := simSession(t, steady)
	f := s.testFile(t, "f", 1<<20)
	st := split(t, 4, f, 10, 20)
	j := play(t, s, &Phase{Warmup: 3 * time.Second, Duration: 10 * time.Second, Jobs: oneStream(st)}).Jobs[0]
	if j.Ops["read"].Count != 100 || j.Ops["write"].Count != 200 {
		t.Errorf("%d reads and %d writes, want 100 and 200", j.Ops["read"].Count, j.Ops["write"].Count)
	}
}

func TestRefusedDirections(t *testing.T) {
	s := simSession(t, steady)
	f := s.testFile(t, "f", 1<<20)
	rate := constant(t, 1)
	for want, change := range map[string]func(*Stream){
		"are for a mix of reads and writes":       func(s *Stream) { s.Mix = s.Mix[:1] },
		"rate is one for both: give either":       func(s *Stream) { s.Rate = &rate },
		"the stream is of { read = 1, trim = 1 }": func(s *Stream) { s.Mix[1].Op = engine.Trim },
	} {
		st := mixed(t, 1, f)
		st.ReadRate = &rate
		change(st)
		if err := st.validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want … %s …", err, want)
		}
	}
}

// When one direction has made its passes, the other makes its own, at its rate or without one.
func TestPassesOfDirections(t *testing.T) {
	for _, c := range []struct{ reads, writes float64 }{{1000, 0}, {0, 1000}, {1000, 500}, {1, 0}} {
		each(t, func(t *testing.T, threads int) {
			s := simSession(t, steady)
			st := split(t, 8, s.testFile(t, "f", 256<<10), max(c.reads, 1), max(c.writes, 1))
			if c.reads == 0 {
				st.ReadRate = nil
			}
			if c.writes == 0 {
				st.WriteRate = nil
			}
			sequential, passes := dist.Pattern(dist.Sequential{}), int64(2)
			st.Read.At, st.Write.At, st.Passes = sequential, sequential, passes
			j := play(t, s, &Phase{Threads: threads, Jobs: oneStream(st)}).Jobs[0]
			if r, w := j.Ops["read"].Count, j.Ops["write"].Count; r != 128 || w != 128 {
				t.Errorf("rates %v: %d reads and %d writes, want 128 of each", c, r, w)
			}
		})
	}
}
