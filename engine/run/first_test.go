package run

import (
	"cmp"
	"strings"
	"testing"
	"time"

	"moonio/engine"
)

// A job that ends the phase does so when its last part is over, and what others have in flight
// then is waited for. Jobs that don't say so end nothing.
func TestJobThatEndsThePhase(t *testing.T) {
	for _, own := range []*Threads{nil, {Count: 2}} {
		s := simSession(t, steady)
		list := files(t, s, 64*4096, "ab")
		short, endless := stream4K(t, engine.Write, 4, list[0]), stream4K(t, engine.Read, 3, list[1])
		short.Ops, short.SyncEnd = 40, engine.Fsync
		early := stream4K(t, engine.Read, 1, list[1])
		early.Ops = 2
		r := play(t, s, &Phase{Threads: 2, Jobs: []Job{
			{Name: "early", Stream: early}, {Name: "short", Stream: short, EndsPhase: true, Own: own}, {Name: "endless", Stream: endless},
		}})
		if r.End != endFirst {
			t.Errorf("own threads %v: it ended by %q", own != nil, r.End)
		}
		done := map[string]int64{}
		for _, j := range r.Jobs {
			for op, o := range j.Ops {
				done[j.Name+" "+op] = o.Count
			}
		}
		if done["short write"] != 40 || done["short fsync"] != 1 || done["early read"] != 2 || done["endless read"] < 3 {
			t.Errorf("own threads %v: %v", own != nil, done)
		}
	}
}

// It is an end like others: endless jobs may run beside it, and not alone.
func TestEndlessJobsNeedOneThatEnds(t *testing.T) {
	s := simSession(t, steady)
	list := files(t, s, 64*4096, "a")
	p := (&Phase{Jobs: []Job{{Name: "s", Stream: stream4K(t, engine.Read, 1, list...), EndsPhase: true}}}).defaults()
	if err := p.checkEnds(); err == nil {
		t.Error("a job that never ends is taken for the phase's end")
	}
}

// A job that ends others ends those alone, whether they have begun or not. What has no end of its own can run beside it.
func TestJobThatEndsOthers(t *testing.T) {
	for _, own := range []*Threads{nil, {Count: 2}} {
		s := simSession(t, steady)
		list := files(t, s, 64*4096, "ab")
		short, endless, whole := stream4K(t, engine.Write, 4, list[0]), stream4K(t, engine.Read, 3, list[1]), stream4K(t, engine.Read, 1, list[1])
		short.Ops, whole.Ops = 40, 400
		never, follows := stream4K(t, engine.Write, 1, list[0]), stream4K(t, engine.Write, 1, list[0])
		never.Ops, never.SyncEnd, follows.Ops = 9, engine.Fsync, 5
		endless.SyncEnd = engine.Fsync
		r := play(t, s, &Phase{Threads: 2, Jobs: []Job{
			{Name: "whole", Stream: whole}, {Name: "short", Stream: short, Ends: []string{"endless", "never", "short"}, Own: own}, {Name: "endless", Stream: endless, Own: own},
			{Name: "never", Stream: never, After: []string{"whole"}}, {Name: "follows", Stream: follows, After: []string{"never"}},
		}})
		done := map[string]int64{}
		for _, j := range r.Jobs {
			for op, o := range j.Ops {
				done[j.Name+" "+op] = o.Count
			}
		}
		if done["short write"] != 40 || done["whole read"] != 400 || done["endless read"] < 3 || done["endless fsync"] != 1 || done["never write"] != 0 || done["follows write"] != 5 {
			t.Errorf("own threads %v: %v", own != nil, done)
		}
	}
}

// It also ends a stream that is alone on its thread, where no completion is waited for.
func TestJobThatEndsOneAlone(t *testing.T) {
	s := nullSession(t)
	list := files(t, s, 64*4096, "ab")
	short, endless := stream4K(t, engine.Read, 1, list[0]), stream4K(t, engine.Read, 1, list[1])
	short.Ops = 40
	r := play(t, s, &Phase{Duration: time.Minute, Jobs: []Job{
		{Name: "short", Stream: short, Ends: []string{"endless"}, Own: &Threads{Count: 1}}, {Name: "endless", Stream: endless, Own: &Threads{Count: 1}},
	}})
	if r.End != endDone || r.Jobs[0].Ops["read"].Count != 40 {
		t.Errorf("it ended by %q after %d reads, want %q after 40", r.End, r.Jobs[0].Ops["read"].Count, endDone)
	}
}

// What a job did is measured by its own time, however long the phase goes on.
func TestJobsOwnTime(t *testing.T) {
	s := simSession(t, steady)
	list := files(t, s, 64*4096, "a")
	read := func() *Stream { return stream4K(t, engine.Read, 1, list...) }
	few, cut, never := read(), read(), read()
	few.Ops = 10
	turns := func(d time.Duration) *Clients {
		c := crewOf(3, func(c *cli) { c.sleep(d) })
		c.Turns = 2
		return c
	}
	r := play(t, s, &Phase{Warmup: time.Second, Duration: 20 * time.Second, Interval: time.Second, Threads: 2, Jobs: []Job{
		{Name: "few", Stream: few, Duration: 10 * time.Second},
		{Name: "turns", Clients: turns(3 * time.Second), Ends: []string{"cut", "never"}},
		{Name: "cut", Stream: cut},
		{Name: "never", Stream: never, Start: 15 * time.Second},
		{Name: "timed", Clients: turns(9 * time.Second), Duration: 12 * time.Second},
		{Name: "whole", Stream: read()},
	}})
	// A turn that begins in the warm-up is none of the two.
	for i, most := range []float64{0.01, 8, 8, 0, 12, 20} {
		if took := float64(r.Jobs[i].DurationNS) / 1e9; took > most*1.001 || took < most*0.99 && most > 1 {
			t.Errorf("job %q took %v s, want %v", r.Jobs[i].Name, took, most)
		}
	}
	if a, b := r.Jobs[2].Ops["read"].IOPS, r.Jobs[5].Ops["read"].IOPS; !within(a, b, 0.3) {
		t.Errorf("%v reads a second until it was ended, %v beside it", a, b)
	}
}

func TestEndsThatCannotBe(t *testing.T) {
	s := simSession(t, steady)
	list := files(t, s, 64*4096, "a")
	a := stream4K(t, engine.Read, 1, list...)
	a.Ops = 1
	for want, p := range map[string]*Phase{
		`job "a": ends: the phase has no job "b"`:                   {Jobs: []Job{{Name: "a", Stream: a, Ends: []string{"b"}}}},
		`job "a": ends: "c" are clients: they can look at an event`: {Iterations: 1, Jobs: []Job{{Name: "a", Stream: a, Ends: []string{"c"}}, {Name: "c", Clients: &Clients{Count: 1}}}},
		`nothing would end the phase`:                               {Jobs: []Job{{Name: "b", Stream: stream4K(t, engine.Read, 1, list...), Ends: []string{"b"}}}},
	} {
		if err := cmp.Or(p.validateEnds(), p.checkEnds()); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
