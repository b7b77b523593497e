package run

import (
	"testing"

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
