package pace

import (
	"math"
	"strings"
	"testing"
	"time"

	"moonio/engine/units"
)

func rate(t testing.TB, s string) units.Rate {
	t.Helper()
	r, err := units.ParseRate(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// must passes a rate on, for shapes that a test knows to be right.
func must(r Rate, err error) Rate {
	if err != nil {
		panic(err)
	}
	return r
}

func TestRateString(t *testing.T) {
	k, tenK, mib, zero := rate(t, "1k/s"), rate(t, "10k/s"), rate(t, "800MiB/s"), rate(t, "0")
	for _, c := range []struct {
		r    Rate
		want string
	}{
		{must(Constant(k)), `1k/s`},
		{must(Constant(mib)), `800MiB/s`},
		{must(Ramp(zero, mib, time.Minute)), `ramp("0B/s", "800MiB/s", "60s")`},
		{must(Burst(k, tenK, 10*time.Second, time.Second)), `burst("1k/s", "10k/s", "10s", "1s")`},
		{must(Steps(Step{k, time.Second}, Step{tenK, 2 * time.Second})), `steps{ {"1k/s", "1s"}, {"10k/s", "2s"} }`},
		{Rate{Pieces: []Piece{{time.Second, 1, 2}, {time.Second, 2, 2}}}, `steps{ {"1/s", "1s", "2/s"}, {"2/s", "1s"} }`},
		{Rate{Pieces: []Piece{{time.Second, 1, 2}}, Repeat: true}, `repeat{ {"1/s", "1s", "2/s"} }`},
	} {
		if got := c.r.String(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func TestRateErrors(t *testing.T) {
	k, mib, zero := rate(t, "1k/s"), rate(t, "1MiB/s"), rate(t, "0")
	of := func(_ Rate, err error) error { return err }
	for _, c := range []struct {
		err  error
		want string
	}{
		{of(Constant(zero)), "the rate is 0 all the time"},
		{of(Constant(units.Rate{PerSecond: math.Inf(1)})), "rates must be finite and not negative"},
		{of(Constant(units.Rate{PerSecond: math.NaN()})), "rates must be finite and not negative"},
		{of(Constant(units.Rate{PerSecond: -1})), "rates must be finite and not negative"},
		{of(Ramp(k, mib, time.Second)), "rates 1k/s and 1MiB/s: one is in bytes and the other in operations"},
		{of(Ramp(k, zero, 0)), "rate over 0s: stretches of a rate must be above 0, and together at most 100 days"},
		{of(Burst(k, k, time.Second, time.Second)), "burst of 1s every 1s: its length must be above 0 and below the period"},
		{of(Steps()), "the rate is empty"},
		{of(Steps(Step{k, 60 * 24 * time.Hour}, Step{k, 60 * 24 * time.Hour})), "together at most 100 days"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%v, want %s", c.err, c.want)
		}
	}
}

func TestArrival(t *testing.T) {
	k := must(Constant(rate(t, "1k/s")))
	if _, err := New(k, Closed, 0, 1, 0); err == nil {
		t.Error("a closed loop has a schedule")
	}
	if _, err := New(k, Uniform, 2, 2, 0); err == nil {
		t.Error("worker 2 of 2 has a schedule")
	}
	if _, err := New(Rate{}, Uniform, 0, 1, 0); err == nil {
		t.Error("an empty rate has a schedule")
	}
}

// find is the segment at a time, and the time within a period and the periods before it.
func (c *curve) find(t int64) (s *segment, within, periods int64) {
	t = max(t, 0)
	if c.period > 0 {
		t, periods = t%c.period, t/c.period
	}
	i := len(c.segments) - 1
	for t < c.segments[i].start {
		i--
	}
	return &c.segments[i], t, periods
}

// at is the rate, per second, at a time from the origin.
func (c *curve) at(t time.Duration) float64 {
	s, within, _ := c.find(int64(t))
	if s.from == s.to {
		return s.from
	}
	return s.from + (s.to-s.from)*float64(within-s.start)/float64(s.length)
}

// due is how much is due in the time t from the origin: the integral of the rate.
func (c *curve) due(t time.Duration) float64 {
	s, within, periods := c.find(int64(t))
	return float64(periods)*c.total + s.sum + s.upTo(within-s.start)
}

// The integral of each shape, exactly, and its inverse.
func TestCurve(t *testing.T) {
	const s = time.Second
	k, tenK, zero := rate(t, "1k/s"), rate(t, "10k/s"), rate(t, "0")
	for _, c := range []struct {
		r       Rate
		at      time.Duration
		rate    float64
		due     float64
		inverts bool
	}{
		{must(Constant(k)), 0, 1000, 0, true},
		{must(Constant(k)), 3600 * s, 1000, 3_600_000, true},
		{must(Ramp(zero, tenK, 10*s)), 5 * s, 5000, 12_500, true},
		{must(Ramp(zero, tenK, 10*s)), 10 * s, 10_000, 50_000, true},
		{must(Ramp(zero, tenK, 10*s)), 3600 * s, 10_000, 50_000 + 3590*10_000, true},
		{must(Ramp(tenK, zero, 10*s)), 5 * s, 5000, 37_500, true},
		{must(Ramp(tenK, zero, 10*s)), 20 * s, 0, 50_000, false},
		{must(Burst(k, tenK, 10*s, s)), 9999 * time.Millisecond, 1000, 18_999, true},
		{must(Burst(k, tenK, 10*s, s)), 3600 * s, 10_000, 360 * 19_000, true},
		{must(Burst(zero, tenK, 10*s, s)), 5 * s, 0, 10_000, false},
		{must(Steps(Step{k, s}, Step{zero, s}, Step{tenK, s})), 2500 * time.Millisecond, 10_000, 6000, true},
		{must(Steps(Step{k, s}, Step{zero, s}, Step{tenK, s})), 10 * s, 10_000, 81_000, true},
		{Rate{Pieces: []Piece{{10 * s, 0, 100}, {10 * s, 100, 0}}, Repeat: true}, 35 * s, 50, 1875, true},
	} {
		curve, err := c.r.curve()
		if err != nil {
			t.Fatal(err)
		}
		if got := curve.at(c.at); got != c.rate {
			t.Errorf("%s at %v: rate %v, want %v", c.r, c.at, got, c.rate)
		}
		if got := curve.due(c.at); got != c.due {
			t.Errorf("%s at %v: %v due, want %v", c.r, c.at, got, c.due)
		}
		w := walker{curve: curve}
		if got := w.when(c.due); c.inverts && (got < int64(c.at)-1 || got > int64(c.at)) {
			t.Errorf("%s: %v are due at %d, want %d", c.r, c.due, got, int64(c.at))
		}
	}
}
