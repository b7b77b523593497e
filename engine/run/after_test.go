package run

import (
	"strings"
	"testing"
	"time"

	"moonio/engine"
	"moonio/engine/pace"
)

// A job begins when those that it waits for are over, and its times count from then.
func TestAfter(t *testing.T) {
	for _, own := range []bool{false, true} {
		s := simSession(t, steady)
		f := s.testFile(t, "f", 1<<20)
		first, beside, rated := stream4K(t, engine.Read, 1, f), stream4K(t, engine.Read, 1, f), stream4K(t, engine.Write, 4, f)
		first.Ops, beside.Ops = 1000, 5000
		rated.rated(t, constant(t, 100), pace.Uniform)
		late := stream4K(t, engine.Fsync, 1, f)
		late.Ops = 3
		jobs := []Job{
			{Name: "late", Stream: late, After: []string{"rated", "beside"}},
			{Name: "rated", Stream: rated, After: []string{"first"}, Duration: time.Second},
			{Name: "first", Stream: first}, {Name: "beside", Stream: beside},
		}
		for i := range jobs {
			if own {
				jobs[i].Own = &Threads{Count: 1}
			}
		}
		r := play(t, s, &Phase{Jobs: jobs})
		by := map[string]int{}
		for i, j := range r.Jobs {
			by[j.Name] = i
		}
		at := func(name string) (begin, end int64) {
			j := r.Jobs[by[name]]
			return j.StartNS, j.StartNS + j.DurationNS
		}
		_, firstEnd := at("first")
		_, besideEnd := at("beside")
		ratedBegin, ratedEnd := at("rated")
		lateBegin, lateEnd := at("late")
		if ratedBegin < firstEnd || ratedBegin > firstEnd+1e6 || ratedEnd-ratedBegin < 99e7 || ratedEnd-ratedBegin > 11e8 {
			t.Errorf("own threads %v: it waits until %d and runs from %d to %d", own, firstEnd, ratedBegin, ratedEnd)
		}
		if n := count(t, r, "rated", "write"); n != 100 || r.Jobs[by["rated"]].Lag.MaxNS > 1e6 {
			t.Errorf("own threads %v: %d writes, %+v; want 100, on time", own, n, r.Jobs[by["rated"]].Lag)
		}
		if lateBegin < max(ratedEnd, besideEnd)-1e7 || count(t, r, "late", "fsync") != 3 || lateEnd < lateBegin {
			t.Errorf("own threads %v: the last begins at %d, where the others end at %d and %d", own, lateBegin, ratedEnd, besideEnd)
		}
		if r.End != endDone {
			t.Errorf("ended by %s", r.End)
		}
	}
}

// A phase that ends before a job's turn has come has not begun it.
func TestAfterTooLate(t *testing.T) {
	s := simSession(t, steady)
	f := s.testFile(t, "f", 1<<20)
	late := stream4K(t, engine.Write, 4, f).rated(t, constant(t, 100), pace.Uniform)
	r := play(t, s, &Phase{Duration: time.Second, Jobs: []Job{
		{Name: "a", Stream: stream4K(t, engine.Read, 1, f)}, {Name: "late", Stream: late, After: []string{"a"}},
	}})
	if j := r.Jobs[1]; j.DurationNS != 0 || len(j.Ops) != 0 || j.Lag.Scheduled != 0 || r.DurationNS < 1e9 {
		t.Errorf("%+v", j)
	}
}

func TestAfterRefused(t *testing.T) {
	s := simSession(t, steady)
	f := s.testFile(t, "f", 1<<20)
	job := func(name string, ops int64, after ...string) Job {
		st := stream4K(t, engine.Read, 1, f)
		st.Ops = ops
		return Job{Name: name, Stream: st, After: after}
	}
	for want, jobs := range map[string][]Job{
		`job "b": after: the phase has no job "c"`:    {job("a", 1), job("b", 1, "c")},
		`job "b": after: job "a" would never be over`: {job("a", 0), job("b", 1, "a")},
		`job "a": after: job "b" would never be over`: {job("a", 1, "b"), job("b", 1, "a")},
		`job "a": after: job "a" would never be over`: {job("a", 1, "a")},
		`job "b": after: job "c" would never be over`: {job("b", 1, "c"), {Name: "c", Clients: crewOf(1, func(c *cli) {})}},
	} {
		_, err := s.Run(t.Context(), (&Phase{Iterations: 1, Jobs: jobs}).defaults())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want … %s …", err, want)
		}
	}
}

// Clients make their turns and are done; others begin then, and the phase ends with the last.
func TestTurnsOfEachClient(t *testing.T) {
	each(t, func(t *testing.T, threads int) {
		s := simSession(t, steady)
		f := s.testFile(t, "f", 1<<20)
		build := crewOf(5, func(c *cli) { c.do(read(f, 0)) })
		build.Turns = 3
		link := crewOf(1, func(c *cli) { c.do(Request{Code: engine.Write, File: f, Len: 4096}) })
		link.Turns = 1
		r := play(t, s, &Phase{Threads: threads, Warmup: 10 * time.Millisecond, Jobs: []Job{
			{Name: "link", Clients: link, After: []string{"build"}}, {Name: "build", Clients: build},
		}})
		b, l := r.Jobs[1].Ops, r.Jobs[0].Ops
		if n := b["iteration"].Count; n != 15 {
			t.Errorf("%d turns, want 15", n)
		}
		if l["iteration"].Count != 1 || l["write"].Count != 1 {
			t.Errorf("%+v", l)
		}
	})
}

// A client that waits for one which is done does not wait for ever: the phase is over.
func TestTurnsOfEachClientLeaveNobodyWaiting(t *testing.T) {
	s := simSession(t, steady)
	f := s.testFile(t, "f", 1<<20)
	items := NewSemaphore(0)
	makers := crewOf(2, func(c *cli) { c.do(read(f, 0)); items.Release(c.Task, 1) })
	makers.Turns = 4
	takers := crewOf(1, func(c *cli) { items.Acquire(c.Task, 1); c.settle() })
	r := play(t, s, &Phase{Duration: time.Second, Jobs: []Job{{Name: "makers", Clients: makers}, {Name: "takers", Clients: takers}}})
	if n := r.Jobs[1].Ops["iteration"].Count; n != 8 || r.End != endIterations {
		t.Errorf("%d turns, ended: %s", n, r.End)
	}
}
