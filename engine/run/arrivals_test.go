package run

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"moonio/engine/pace"
	"moonio/engine/report"
)

// ratedCrew is n clients whose turns arrive at a rate and take a time.
func ratedCrew(n int, r pace.Rate, takes time.Duration, begun func(c *cli)) []Job {
	jobs := oneCrew(n, func(c *cli) {
		if begun != nil {
			begun(c)
		}
		c.sleep(takes)
	})
	jobs[0].Clients.Rate, jobs[0].Clients.Arrival = &r, pace.Uniform
	return jobs
}

// Turns begin when they fall due, in any of the clients that are free, and from the measured start on at the rate's own times.
func TestTurnsArrive(t *testing.T) {
	each(t, func(t *testing.T, threads int) {
		s := simSession(t, steady)
		var mu sync.Mutex
		var began []int64
		var from int64
		jobs := ratedCrew(8, constant(t, 7), 500*time.Millisecond, func(c *cli) {
			mu.Lock()
			defer mu.Unlock()
			from = c.w.p.from
			began = append(began, c.Now())
		})
		r := play(t, s, &Phase{Warmup: 1100 * time.Millisecond, Duration: 10 * time.Minute, Interval: time.Minute, Threads: threads, Jobs: jobs})
		slices.Sort(began)
		began = slices.DeleteFunc(began, func(at int64) bool { return at < from })
		for k, at := range began {
			if want := from + int64(k)*1e9/7; at < want-1 || at > want+1 {
				t.Fatalf("turn %d began at %d, want %d", k, at-from, want-from)
			}
		}
		j := r.Jobs[0]
		turn, lag := j.Ops["iteration"], j.Lag
		// The last few are still under way when the time is up.
		if len(began) != 7*600 || turn.Count != 7*600-3 || lag.Scheduled != 7*600 || lag.Missed != 0 || lag.MaxNS > 1 {
			t.Errorf("%d turns began, %d ended, lag %+v", len(began), turn.Count, lag)
		}
		if turn.Service.MaxNS != 500e6 || turn.Response.MaxNS > 500e6+1 || j.Conditions.Rate != "7/s" || j.Conditions.Arrival != "uniform" {
			t.Errorf("service %+v, response %+v, %+v", turn.Service, turn.Response, j.Conditions)
		}
	})
}

// Turns that fall due while all clients are busy begin late. Their response time counts from then.
func TestTurnsOverload(t *testing.T) {
	s := simSession(t, steady)
	j := play(t, s, &Phase{Warmup: 3 * time.Second, Duration: 10 * time.Second, Jobs: ratedCrew(1, constant(t, 20), 100*time.Millisecond, nil)}).Jobs[0]
	turn, lag := j.Ops["iteration"], j.Lag
	if turn.Service.MinNS != 100e6 || turn.Service.MaxNS != 100e6 {
		t.Errorf("service %+v, want 100 ms", turn.Service)
	}
	// Turn k is due at 50 k ms, and begins when the k before are over.
	if turn.Count < 99 || turn.Count > 100 || !within(float64(turn.Response.MaxNS), 5050e6, 0.02) || !within(turn.Response.MeanNS, 2575e6, 0.02) {
		t.Errorf("%d turns, response %+v", turn.Count, turn.Response)
	}
	if lag.Scheduled != 200 || lag.Missed < 99 || lag.Missed > 100 || !within(float64(lag.MaxNS), 4950e6, 0.02) {
		t.Errorf("lag %+v", lag)
	}
}

// Clients that have made their turns are done, and have missed none; so are clients when nothing falls due any more,
// or when their time is up.
func TestTurnsEnd(t *testing.T) {
	each(t, func(t *testing.T, threads int) {
		fades, err := pace.Ramp(perSecond(t, 100), perSecond(t, 0), time.Second)
		if err != nil {
			t.Fatal(err)
		}
		made := ratedCrew(4, constant(t, 100), 150*time.Millisecond, nil)
		made[0].Clients.Turns = 5
		timed := ratedCrew(4, constant(t, 100), time.Millisecond, nil)
		timed[0].Duration = 195 * time.Millisecond
		few := Phase{Iterations: 30, Jobs: ratedCrew(8, constant(t, 10), time.Millisecond, nil)}
		for _, c := range []struct {
			p    Phase
			want int64
			end  string
			long time.Duration
		}{
			{Phase{Jobs: made}, 20, endDone, 900 * time.Millisecond},
			{Phase{Jobs: timed}, 20, endDone, 195 * time.Millisecond},
			{few, 30, endIterations, 3 * time.Second},
			{Phase{Iterations: 1000, Jobs: ratedCrew(4, fades, time.Millisecond, nil)}, 50, endDone, time.Second},
		} {
			c.p.Threads = threads
			r := play(t, simSession(t, steady), &c.p)
			j := r.Jobs[0]
			if n := j.Ops["iteration"].Count; n < c.want-1 || n > c.want || r.End != c.end || j.Lag.Missed != 0 {
				t.Errorf("%d turns of %d, ended by %s, lag %+v", n, c.want, r.End, j.Lag)
			}
			if r.DurationNS > int64(c.long) {
				t.Errorf("the phase took %d ns, want at most %v", r.DurationNS, c.long)
			}
		}
	})
}

// Clients with a rate begin after other jobs, on their own threads, the same in every run of a seed.
func TestTurnsAfter(t *testing.T) {
	var last *report.Phase
	for range 2 {
		jobs := ratedCrew(6, constant(t, 50), 20*time.Millisecond, nil)
		jobs[0].Clients.Arrival, jobs[0].After, jobs[0].Own = pace.Poisson, []string{"first"}, &Threads{Count: 3}
		first := Job{Name: "first", Clients: crewOf(1, func(c *cli) { c.sleep(time.Second) })}
		first.Clients.Turns = 2
		r := play(t, simSession(t, steady), &Phase{Duration: 22 * time.Second, Jobs: append(jobs, first)})
		j := r.Jobs[0]
		if n := j.Ops["iteration"].Count; j.StartNS != 2e9 || n < 900 || n > 1100 || j.Lag.Missed != 0 {
			t.Errorf("%d turns from %d on, lag %+v", n, j.StartNS, j.Lag)
		}
		if last != nil {
			if d := diff(last, r); d != "" {
				t.Errorf("the same seed gives another run:\n%s", d)
			}
		}
		last = r
	}
}

func TestTurnsHaveNoBytes(t *testing.T) {
	r := constant(t, 100)
	r.Bytes = true
	p := &Phase{Duration: time.Second, Jobs: ratedCrew(1, r, time.Millisecond, nil)}
	if _, err := simSession(t, steady).Run(t.Context(), p.defaults()); err == nil || !strings.Contains(err.Error(), "they have no bytes") {
		t.Errorf("error %v", err)
	}
}
