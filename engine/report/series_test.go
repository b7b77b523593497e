package report

import (
	"math"
	"math/rand/v2"
	"testing"
)

// series is n figures of f, with noise of that share.
func series(n int, noise float64, f func(i int) float64) []float64 {
	r := rand.New(rand.NewPCG(7, 11))
	x := make([]float64, n)
	for i := range x {
		x[i] = f(i) * (1 + noise*(2*r.Float64()-1))
	}
	return x
}

func flat(int) float64 { return 100 }

// falls is high until i, and then low.
func falls(at int, high, low float64) func(int) float64 {
	return func(i int) float64 {
		if i < at {
			return high
		}
		return low
	}
}

// slope changes by that share of 100 in each interval.
func slope(by float64) func(int) float64 {
	return func(i int) float64 { return 100 * (1 + by*float64(i)) }
}

// every peaks at height each n intervals, for width of them.
func every(n, width int, height float64) func(int) float64 {
	return func(i int) float64 {
		if i%n >= n-width {
			return height
		}
		return 10
	}
}

func TestUnsteady(t *testing.T) {
	for name, c := range map[string]struct {
		x    []float64
		want bool
	}{
		"flat":                    {series(30, 0, flat), false},
		"flat and noisy":          {series(60, 0.5, flat), false},
		"falling":                 {series(30, 0.05, slope(-0.02)), true},
		"rising":                  {series(30, 0.05, slope(0.05)), true},
		"falling by less":         {series(30, 0.01, slope(-0.002)), false},
		"settled in a third":      {series(30, 0.05, falls(10, 300, 100)), false},
		"falling, but too short":  {series(minSteady-1, 0, slope(-0.05)), false},
		"nothing":                 {nil, false},
		"zeros":                   {make([]float64, 30), false},
		"stopped in the last bit": {series(30, 0.05, falls(20, 100, 0)), true},
	} {
		if _, _, ok := unsteady(c.x); ok != c.want {
			t.Errorf("%s: unsteady is %v, want %v", name, ok, c.want)
		}
	}
}

func TestStepDown(t *testing.T) {
	for name, c := range map[string]struct {
		x    []float64
		at   int
		want bool
	}{
		"a cache ran out":  {series(60, 0.1, falls(34, 2500, 700)), 34, true},
		"at once":          {series(12, 0.05, falls(3, 100, 50)), 3, true},
		"to nothing":       {series(20, 0.05, falls(15, 100, 0)), 15, true},
		"flat":             {series(60, 0.3, flat), 0, false},
		"a slope":          {series(60, 0.05, slope(-0.01)), 0, false},
		"a step up":        {series(60, 0.05, falls(30, 100, 300)), 0, false},
		"a small one":      {series(60, 0.01, falls(30, 100, 90)), 0, false},
		"one bad interval": {series(60, 0.1, func(i int) float64 { return falls(1, 100, 100)(i) - 90*float64(1-min(1, abs(i-30))) }), 0, false},
		"too short":        {series(5, 0, falls(2, 100, 10)), 0, false},
		"nothing":          {nil, 0, false},
		"zeros":            {make([]float64, 30), 0, false},
	} {
		at, before, after, ok := stepDown(c.x)
		if ok != c.want || ok && at != c.at {
			t.Errorf("%s: step %v at %d (%g to %g), want %v at %d", name, ok, at, before, after, c.want, c.at)
		}
	}
}

// The step is where two levels leave the least, and a long series is no burden.
func TestStepDownIsBest(t *testing.T) {
	for n := range 40 {
		x := series(n, 0.5, falls(n/3, 100, 40))
		want, best := 0, math.Inf(1)
		for i := minSide; i <= n-minSide; i++ {
			if s := squares(x[:i]) + squares(x[i:]); s < best {
				best, want = s, i
			}
		}
		if at, _, _, _ := stepDown(x); at != want {
			t.Errorf("%d intervals: at %d, want %d", n, at, want)
		}
	}
	if at, _, _, ok := stepDown(series(1e6, 0.1, falls(3e5, 100, 40))); at != 3e5 || !ok {
		t.Errorf("of a million intervals at %d, %v", at, ok)
	}
}

func abs(i int) int { return max(i, -i) }

func TestPeriod(t *testing.T) {
	for name, c := range map[string]struct {
		x     []float64
		every float64
		want  bool
	}{
		"every 8":       {series(60, 0.2, every(8, 1, 50)), 8, true},
		"wide peaks":    {series(60, 0.1, every(10, 3, 80)), 10, true},
		"flat":          {series(60, 0.5, flat), 0, false},
		"low peaks":     {series(60, 0.1, every(8, 1, 25)), 0, false},
		"three peaks":   {series(60, 0.1, every(20, 1, 50)), 0, false},
		"no regularity": {series(60, 0, func(i int) float64 { return map[int]float64{3: 90, 8: 90, 10: 90, 31: 90, 55: 90}[i] + 10 }), 0, false},
		"nothing":       {nil, 0, false},
		"mostly zeros":  {series(60, 0, func(i int) float64 { return every(8, 1, 60)(i) - 10 }), 0, false},
	} {
		got, n, height, level, ok := period(c.x)
		if ok != c.want || ok && math.Abs(got-c.every) > 0.5 {
			t.Errorf("%s: period %v of %g (%d peaks of %g over %g), want %v of %g", name, ok, got, n, height, level, c.want, c.every)
		}
	}
}
