package run

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"moonio/engine"
	"moonio/engine/pace"
	"moonio/engine/units"
)

// slowly is a device that serves 400 reads a second, all alike.
const slowly = "nvme,distribution=constant,spread=0,parallelism=4,read=10ms,read-bandwidth=0,write-bandwidth=0,cache=0,drain=0"

// A phase ends with the first window that holds still, at any number of threads.
func TestSteadyEnds(t *testing.T) {
	each(t, func(t *testing.T, threads int) {
		for _, m := range []Metric{IOPS, Bandwidth, Latency} {
			s := simSession(t, slowly)
			st := stream4K(t, engine.Read, 8, s.testFile(t, "f", 1<<20))
			r := play(t, s, &Phase{Duration: time.Hour, Warmup: 1500 * time.Millisecond, Threads: threads, Jobs: oneStream(st),
				Steady: &Steady{Metric: m, Limit: 1.5, Percent: true, Window: 3 * time.Second, Ramp: 2 * time.Second}})
			if g := r.Steady; r.End != endSteady || !g.Reached || g.Value == nil || *g.Value > 1.5 || g.Metric != m.String() || g.WindowNS != 3e9 {
				t.Fatalf("%s: ended by %s, %+v", m, r.End, g)
			}
			if r.DurationNS < 5e9 || r.DurationNS > 5e9+50e6 {
				t.Errorf("%s: it took %d ns, and 2 s of ramp and 3 s of window would have done", m, r.DurationNS)
			}
		}
	})
}

// What completes at the very end of a second belongs to it: a device that serves as many in each holds still from the first on.
func TestSteadySeconds(t *testing.T) {
	each(t, func(t *testing.T, threads int) {
		for _, m := range []Metric{IOPS, Bandwidth, Latency} {
			s := simSession(t, slowly)
			st := stream4K(t, engine.Read, 4, s.testFile(t, "f", 1<<20))
			r := play(t, s, &Phase{Duration: time.Hour, Threads: threads, Jobs: oneStream(st), Steady: &Steady{Metric: m, Window: 3 * time.Second}})
			if g := r.Steady; !g.Reached || *g.Value != 0 || r.DurationNS < 3e9 || r.DurationNS > 3e9+20e6 {
				t.Errorf("%s: %+v after %d ns, want 0 after 3 s", m, g, r.DurationNS)
			}
		}
	})
}

// A rate that rises by 100 a second is steady in neither way, and its slope is that.
func TestNotSteady(t *testing.T) {
	for _, slope := range []bool{false, true} {
		s := simSession(t, steady)
		rise, err := pace.Ramp(units.Rate{PerSecond: 100}, units.Rate{PerSecond: 1100}, 10*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		st := stream4K(t, engine.Read, 8, s.testFile(t, "f", 1<<20)).rated(t, rise, pace.Uniform)
		r := play(t, s, &Phase{Duration: 10 * time.Second, Jobs: oneStream(st), Steady: &Steady{Limit: 50, Slope: slope, Window: 5 * time.Second}})
		g := r.Steady
		if r.End != endDuration || g.Reached || g.Value == nil {
			t.Fatalf("ended by %s, %+v", r.End, g)
		}
		want := 200.0 // from the middle of five seconds to the ends
		if slope {
			want = 100
		}
		if math.Abs(*g.Value-want) > 2 {
			t.Errorf("slope %v: %v, want %v", slope, *g.Value, want)
		}
	}
}

// Seconds in which nothing completes are values too, but have no latency.
func TestSteadyStalls(t *testing.T) {
	for m, reached := range map[Metric]bool{IOPS: true, Latency: false} {
		s := simSession(t, steady)
		f := s.testFile(t, "f", 1<<20)
		r := play(t, s, &Phase{Duration: 8 * time.Second, Jobs: oneCrew(1, func(c *cli) { c.sleep(time.Hour); _, _ = c.do(read(f, 0)) }),
			Steady: &Steady{Metric: m, Window: 3 * time.Second}})
		if r.Steady.Reached != reached {
			t.Errorf("%s: %+v, ended by %s", m, r.Steady, r.End)
		}
	}
}

func TestSteadyRefused(t *testing.T) {
	s := nullSession(t)
	f := s.testFile(t, "f", 1<<20)
	for want, g := range map[string]*Steady{
		"steady: window = 1s: it is 2 seconds or more":   {Window: time.Second},
		"steady: window = 2.5s":                          {Window: 2500 * time.Millisecond},
		"steady: ramp = 500ms: it is whole seconds":      {Window: 2 * time.Second, Ramp: time.Second / 2},
		"steady: the limit is a number that is not nega": {Window: 2 * time.Second, Limit: -1},
		"nothing would end the phase":                    {Window: 2 * time.Second},
	} {
		_, err := s.Run(context.Background(), (&Phase{Steady: g, Jobs: oneStream(stream4K(t, engine.Read, 1, f))}).defaults())
		if err == nil || !strings.Contains(err.Error(), want) || !errors.Is(err, ErrPlan) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
