package report

import (
	"math"
	"slices"
)

// What follows judges a series of equally long intervals. Each function says
// ok only for what stands out of the series' own noise.

const (
	minSteady = 9    // intervals below which nothing is said about a steady state
	drift     = 0.1  // of the middle third's mean: what the last third may differ by
	minSide   = 3    // intervals before and after a step
	fall      = 0.75 // a step goes down to less than this share of what was before
	sharper   = 0.5  // of a line's squared errors: what two levels must leave at most to be a step
	peak      = 3    // times the median: what makes a peak
	minPeaks  = 4
	regular   = 0.2 // of the mean gap: the deviation of gaps that still counts as a period
	beyond    = 3   // standard errors that a difference must exceed
)

func mean(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	var sum float64
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// squares is the sum of the squared distances from the mean.
func squares(x []float64) float64 {
	m := mean(x)
	var sum float64
	for _, v := range x {
		sum += (v - m) * (v - m)
	}
	return sum
}

func median(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(x))
	return (s[len(s)/2] + s[(len(s)-1)/2]) / 2
}

// differ says whether the means of a and b differ by more than their noise.
func differ(a, b []float64) bool {
	na, nb := float64(len(a)), float64(len(b))
	if na < 2 || nb < 2 {
		return false
	}
	noise := math.Sqrt(squares(a)/(na-1)/na + squares(b)/(nb-1)/nb)
	return math.Abs(mean(a)-mean(b)) > beyond*noise
}

// unsteady compares the last third of x with the middle third; ok says that they differ.
func unsteady(x []float64) (middle, last float64, ok bool) {
	n := len(x)
	if n < minSteady {
		return 0, 0, false
	}
	b, c := x[n/3:2*n/3], x[2*n/3:]
	middle, last = mean(b), mean(c)
	return middle, last, middle > 0 && math.Abs(last-middle) > drift*middle && differ(b, c)
}

// stepDown finds where x falls from one level to another: the first interval
// of the lower one, and both levels. A day has 86400 intervals, and a series may be
// longer still: it is gone through once.
func stepDown(x []float64) (at int, before, after float64, ok bool) {
	// Around the mean, the squares of two levels are all squares, less what the levels
	// explain of them.
	m, all := mean(x), squares(x)
	best, left := math.Inf(1), 0.0
	for i, v := range x {
		if i >= minSide && i <= len(x)-minSide {
			if s := all - left*left/float64(i) - left*left/float64(len(x)-i); s < best {
				best, at = s, i
			}
		}
		left += v - m
	}
	if at == 0 {
		return 0, 0, 0, false
	}
	before, after = mean(x[:at]), mean(x[at:])
	ok = after < fall*before && differ(x[:at], x[at:]) && best <= sharper*lineSquares(x)
	return at, before, after, ok
}

// lineSquares is the sum of the squared distances from the best straight line.
func lineSquares(x []float64) float64 {
	n := float64(len(x))
	mi, m := (n-1)/2, mean(x)
	var xy, xx float64
	for i, v := range x {
		d := float64(i) - mi
		xy += d * (v - m)
		xx += d * d
	}
	if xx == 0 {
		return 0
	}
	return squares(x) - xy*xy/xx
}

// period finds peaks that recur: the mean distance between them in intervals,
// how many there are, their mean height and the median that they stand above.
// Neighbouring high intervals are one peak.
func period(x []float64) (every float64, peaks int, height, level float64, ok bool) {
	level = median(x)
	var at []int
	var tops []float64
	high := false
	for i, v := range x {
		was := high
		high = v > peak*level
		switch {
		case high && !was:
			at, tops = append(at, i), append(tops, v)
		case high:
			tops[len(tops)-1] = max(tops[len(tops)-1], v)
		}
	}
	if level <= 0 || len(at) < minPeaks {
		return 0, 0, 0, 0, false
	}
	gaps := make([]float64, len(at)-1)
	for i := range gaps {
		gaps[i] = float64(at[i+1] - at[i])
	}
	every = mean(gaps)
	return every, len(at), mean(tops), level, math.Sqrt(squares(gaps)/float64(len(gaps))) <= regular*every
}
