package run

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"moonio/engine"
)

// A stop is a late look together with the signal, in whatever order they come.
func TestStops(t *testing.T) {
	const ms = 1_000_000
	const measured = 1000 * ms
	type event struct {
		at        int64 // ms
		continued bool
	}
	for name, c := range map[string]struct {
		events []event
		times  int
		long   int64
	}{
		"none":                    {[]event{{1050, false}, {1100, false}}, 0, 0},
		"signal first":            {[]event{{1050, false}, {3050, true}, {3051, false}}, 1, 2000},
		"look first":              {[]event{{1050, false}, {3050, false}, {3051, true}}, 1, 2000},
		"a busy machine":          {[]event{{1050, false}, {3050, false}, {3100, false}}, 0, 0},
		"long after a late look":  {[]event{{1050, false}, {3050, false}, {3100, false}, {3150, false}, {3200, false}, {3260, true}}, 0, 0},
		"a signal and no stop":    {[]event{{1050, false}, {1060, true}, {1100, false}}, 0, 0},
		"twice":                   {[]event{{1050, false}, {1250, true}, {1300, false}, {1700, true}}, 2, 600},
		"in the warm-up":          {[]event{{500, false}, {900, true}, {950, false}, {1000, false}}, 0, 0},
		"from the warm-up on":     {[]event{{950, false}, {1500, true}}, 1, 500},
		"two signals for one":     {[]event{{1050, false}, {1250, true}, {1251, true}}, 1, 200},
		"as short as can be seen": {[]event{{1050, false}, {1126, true}}, 1, 76},
	} {
		t.Run(name, func(t *testing.T) {
			s := stops{last: c.events[0].at * ms}
			for _, e := range c.events[1:] {
				s.look(e.at*ms, measured, e.continued)
			}
			if s.times != c.times || s.long != c.long*ms {
				t.Errorf("%d times for %d ns, want %d for %d ms", s.times, s.long, c.times, c.long)
			}
			if w := s.warnings(); len(w) != min(c.times, 1) || len(w) == 1 && strings.Contains(w[0].Text, " times") != (c.times > 1) {
				t.Errorf("%v", w)
			}
		})
	}
}

// The signal is waited for a little where a stop outlasted the phase. A busy machine may miss that once.
func TestStopAtTheEnd(t *testing.T) {
	for range 50 {
		var s stops
		now := engine.Monotonic()
		s.begin(now - int64(time.Second))
		time.AfterFunc(time.Millisecond, func() { unix.Kill(unix.Getpid(), unix.SIGCONT) })
		if s.end(now, 0); s.times == 1 {
			return
		}
	}
	t.Error("no stop was seen")
}
