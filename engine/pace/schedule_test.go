package pace

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func schedule(t testing.TB, r Rate, a Arrival, worker, workers int) *Schedule {
	t.Helper()
	s, err := New(r, a, worker, workers, 1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The k-th start is where it belongs, however many came before: after 5
// million of them, which is over an hour, and after 10 thousand million.
func TestUniformDoesNotDrift(t *testing.T) {
	const perSecond = 1300
	s := schedule(t, must(Constant(rate(t, "1.3k/s"))), Uniform, 0, 1)
	last := int64(-1)
	for k := range int64(5_000_000) {
		at := s.Next()
		if at <= last {
			t.Fatalf("start %d at %d is not after %d", k, at, last)
		}
		last = at
		if k%100_003 == 0 {
			checkStart(t, k, at, perSecond)
		}
	}
	for _, k := range []int64{100_000_000, 10_000_000_000} {
		s.sum = float64(k)
		checkStart(t, k, s.Next(), perSecond)
	}
}

func checkStart(t *testing.T, k, at, perSecond int64) {
	t.Helper()
	want := k/perSecond*1e9 + k%perSecond*1e9/perSecond
	if at < want-1 || at > want+1 {
		t.Errorf("start %d is at %d, want %d", k, at, want)
	}
}

// The workers of a job together have the starts that one worker would have.
func TestUniformIsShared(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.SampledFrom(everyRate(t)).Draw(t, "rate")
		workers := rapid.IntRange(1, 7).Draw(t, "workers")
		size := rapid.Int64Range(1, 5).Draw(t, "size")
		one, _ := New(r, Uniform, 0, 1, 0)
		var want, got []int64
		for range 50 * workers {
			want = append(want, one.NextBytes(size))
		}
		for w := range workers {
			s, err := New(r, Uniform, w, workers, 0)
			if err != nil {
				t.Fatal(err)
			}
			for range 50 {
				got = append(got, s.NextBytes(size))
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("%s among %d: %v, want %v", r, workers, got, want)
		}
	})
}

func everyRate(t interface{ Fatal(...any) }) []Rate {
	const s = time.Second
	pieces := []Rate{
		{Pieces: []Piece{{s, 100, 100}}},
		{Pieces: []Piece{{s, 0.3, 0.3}}},
		{Pieces: []Piece{{10 * s, 0, 100}}},
		{Pieces: []Piece{{10 * s, 100, 1}}},
		{Pieces: []Piece{{s, 1000, 1000}, {9 * s, 0, 0}}, Repeat: true},
		{Pieces: []Piece{{s, 1e6 / 7, 1e6 / 7}, {3 * s, 10, 10}}, Repeat: true},
		{Pieces: []Piece{{s, 0, 0}, {s, 5, 5}, {s, 0, 0}, {s, 1e7, 3}}},
		{Pieces: []Piece{{time.Millisecond, 0, 13}, {time.Millisecond, 13, 0}}, Repeat: true},
		{Pieces: []Piece{{s, 10, 0}}},
	}
	for _, r := range pieces {
		if err := r.check(); err != nil {
			t.Fatal(err)
		}
	}
	return pieces
}

// Whatever the rate, the k-th start is where k are due, and starts do not go back.
func TestStartsFollowTheIntegral(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.SampledFrom(everyRate(t)).Draw(t, "rate")
		curve, err := r.curve()
		if err != nil {
			t.Fatal(err)
		}
		w := walker{curve: curve}
		sum, last := 0.0, int64(0)
		for range 60 {
			sum += rapid.Float64Range(0, 500).Draw(t, "step")
			at := w.when(sum)
			if at < last {
				t.Fatalf("%s: %v due at %d, before %d", r, sum, at, last)
			}
			if at == Never {
				return
			}
			d := time.Duration(at)
			// A start is given to the nanosecond, in which some of the rate falls due.
			slack := 2e-9*max(curve.at(d), curve.at(d+1)) + 1e-6
			if due := curve.due(d); math.Abs(due-sum) > slack {
				t.Fatalf("%s: %v due at %d, where the integral is %v", r, sum, at, due)
			}
			last = at
		}
	})
}

// A burst has exactly its share of the starts, in every period of a month.
func TestBurstCounts(t *testing.T) {
	zero := rate(t, "0")
	for _, c := range []struct {
		r            Rate
		burst, quiet int // starts in a period
	}{
		{must(Burst(rate(t, "100/s"), rate(t, "1k/s"), 10*time.Second, time.Second)), 1000, 900},
		{must(Burst(zero, rate(t, "70/s"), 10*time.Second, 3*time.Second)), 210, 0},
		{must(Burst(zero, rate(t, "30/s"), time.Second, 100*time.Millisecond)), 3, 0},
		{must(Burst(rate(t, "1/s"), rate(t, "12345/s"), time.Minute, 7*time.Second)), 12345 * 7, 53},
	} {
		curve, _ := c.r.curve()
		period, length := curve.period, curve.segments[0].length
		for _, from := range []int64{0, 30 * 24 * 3600 * 1e9 / period} {
			s := schedule(t, c.r, Uniform, 0, 1)
			s.sum = float64(from) * curve.total
			for p := from; p < from+3; p++ {
				checkPeriod(t, s, p*period, length, period, c.burst, c.quiet)
			}
		}
	}
}

func checkPeriod(t *testing.T, s *Schedule, start, length, period int64, burst, quiet int) {
	t.Helper()
	for i := range burst + quiet {
		at := s.Next() - start
		switch {
		case i == 0 && at != 0:
			t.Fatalf("the period from %d begins with a start %d ns later", start, at)
		case i < burst && (at < 0 || at >= length), i >= burst && (at < length || at >= period):
			t.Fatalf("start %d of the period from %d comes %d ns into it", i, start, at)
		}
	}
}

// A ramp has as many starts as the area under it.
func TestRampCounts(t *testing.T) {
	s := schedule(t, must(Ramp(rate(t, "0"), rate(t, "10k/s"), 10*time.Second)), Uniform, 0, 1)
	n := 0
	for s.Next() < 10e9 {
		n++
	}
	if n != 50_000 {
		t.Errorf("%d starts, want 50000", n)
	}
	s = schedule(t, must(Ramp(rate(t, "1k/s"), rate(t, "0"), 10*time.Second)), Uniform, 0, 1)
	n = 0
	for s.Next() != Never {
		n++
	}
	if n != 5000 {
		t.Errorf("%d starts on the way to 0, want 5000", n)
	}
	if s.Next() != Never {
		t.Error("a start came after the last")
	}
}

// Gaps are exponential with the right mean, and neighbouring ones independent.
func TestPoissonGaps(t *testing.T) {
	for _, workers := range []int{1, 3} {
		s := schedule(t, must(Constant(rate(t, "1k/s"))), Poisson, 0, workers)
		const n = 200_000
		mean := 1e6 * float64(workers)
		gaps := make([]float64, n)
		last := int64(0)
		for i := range gaps {
			at := s.Next()
			gaps[i], last = float64(at-last)/mean, at
		}
		checkExponential(t, fmt.Sprint(workers, " workers"), gaps)
	}
}

func checkExponential(t *testing.T, what string, gaps []float64) {
	t.Helper()
	n := float64(len(gaps))
	var sum, square, lag float64
	for i, g := range gaps {
		sum, square = sum+g, square+g*g
		if i > 0 {
			lag += (g - 1) * (gaps[i-1] - 1)
		}
	}
	mean := sum / n
	cv := math.Sqrt(square/n-mean*mean) / mean
	if math.Abs(mean-1) > 5/math.Sqrt(n) || math.Abs(cv-1) > 5*math.Sqrt(2/n) || math.Abs(lag/n) > 5/math.Sqrt(n) {
		t.Errorf("%s: mean %.4f, coefficient of variation %.4f, want 1; correlation %.4f, want 0", what, mean, cv, lag/n)
	}
	// Kolmogorov and Smirnov: 1.95/√n is passed by one sample in a thousand.
	sorted := slices.Sorted(slices.Values(gaps))
	worst := 0.0
	for i, g := range sorted {
		f := 1 - math.Exp(-g)
		worst = max(worst, math.Abs(f-float64(i)/n), math.Abs(f-float64(i+1)/n))
	}
	if limit := 1.95 / math.Sqrt(n); worst > limit {
		t.Errorf("%s: gaps are %.5f away from exponential, allowed are %.5f", what, worst, limit)
	}
}

// The processes of several workers, put together, are one process at the whole rate.
func TestPoissonWorkersTogether(t *testing.T) {
	const workers, until = 4, int64(100e9)
	r := must(Constant(rate(t, "1k/s")))
	var all []int64
	for w := range workers {
		s := schedule(t, r, Poisson, w, workers)
		for at := s.Next(); at < until; at = s.Next() {
			all = append(all, at)
		}
	}
	slices.Sort(all)
	if n := float64(len(all)); math.Abs(n-100_000) > 5*math.Sqrt(100_000) {
		t.Errorf("%v starts in 100 s, want 100000", n)
	}
	gaps := make([]float64, len(all)-1)
	for i := range gaps {
		gaps[i] = float64(all[i+1]-all[i]) / 1e6
	}
	checkExponential(t, "together", gaps)
}

// The true rate over more than an hour, and in a changing one the true counts of its parts.
func TestPoissonRate(t *testing.T) {
	s := schedule(t, must(Constant(rate(t, "250/s"))), Poisson, 0, 1)
	n := 0
	for s.Next() < 4000e9 {
		n++
	}
	if want := 1e6; math.Abs(float64(n)-want) > 5*math.Sqrt(want) {
		t.Errorf("%d starts in 4000 s, want %v", n, want)
	}
	s = schedule(t, must(Burst(rate(t, "0"), rate(t, "10k/s"), 10*time.Second, time.Second)), Poisson, 0, 1)
	counts := make([]float64, 10)
	for at := s.Next(); at < 100e9; at = s.Next() {
		if at%10e9 >= 1e9 {
			t.Fatalf("a start at %d, outside the bursts", at)
		}
		counts[at/10e9]++
	}
	for i, c := range counts {
		if math.Abs(c-10_000) > 500 {
			t.Errorf("burst %d has %v starts, want about 10000", i, c)
		}
	}
}

// Operations of different sizes keep a rate in bytes.
func TestBytes(t *testing.T) {
	r := must(Constant(rate(t, "1MiB/s")))
	s := schedule(t, r, Uniform, 0, 1)
	due := int64(0)
	for i := range int64(1000) {
		at, want := s.NextBytes(4096*(1+i%16)), due*1e9>>20
		if at < want-1 || at > want+1 {
			t.Fatalf("start %d is at %d, want %d", i, at, want)
		}
		due += 4096 * (1 + i%16)
	}
	for _, workers := range []int{1, 4} {
		sum := 0.0
		for w := range workers {
			s = schedule(t, r, Poisson, w, workers)
			for i := int64(0); s.NextBytes(4096*(1+i%16)) < 10_000e9; i++ {
				sum += float64(4096 * (1 + i%16))
			}
		}
		if got := sum / 10_000 / (1 << 20); math.Abs(got-1) > 0.02 {
			t.Errorf("%d workers: %.3f MiB/s, want 1", workers, got)
		}
	}
}

var sink int64

func TestNextDoesNotAllocate(t *testing.T) {
	for _, r := range everyRate(t) {
		for _, a := range []Arrival{Uniform, Poisson} {
			s := schedule(t, r, a, 0, 1)
			if n := testing.AllocsPerRun(1000, func() { sink = s.Next() }); n != 0 {
				t.Errorf("%s %s: %v allocations", a, r, n)
			}
		}
	}
}

func BenchmarkNext(b *testing.B) {
	rates := map[string]Rate{
		"constant": must(Constant(rate(b, "20k/s"))),
		"ramp":     must(Ramp(rate(b, "0"), rate(b, "20k/s"), 24*time.Hour)),
		"burst":    must(Burst(rate(b, "1k/s"), rate(b, "20k/s"), 10*time.Second, time.Second)),
	}
	for name, r := range rates {
		for _, a := range []Arrival{Uniform, Poisson} {
			b.Run(name+"/"+a.String(), func(b *testing.B) {
				s := schedule(b, r, a, 0, 1)
				b.ReportAllocs()
				for b.Loop() {
					sink = s.Next()
				}
			})
		}
	}
}
