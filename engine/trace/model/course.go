package model

import (
	"math"

	"moonio/engine/trace/profile"
)

// step is a stretch of time with a steady rate.
type step struct {
	ios, seconds float64
}

func (s step) rate() float64 { return s.ios / s.seconds }

const (
	mostSteps = 200
	// Stretches are put together as long as that makes the arrivals, if they are independent within each,
	// less likely by no more than e to this power.
	indifference = 3
)

// course is the rates of reads, or of writes, over time.
func course(t *profile.Timeline, dir int) []step {
	width := float64(t.WidthNS) / 1e9
	var steps []step
	for _, c := range t.Counts {
		steps = append(steps, step{float64(c[dir]), width})
	}
	losses := make([]float64, max(len(steps)-1, 0))
	for i := range losses {
		losses[i] = loss(steps[i], steps[i+1])
	}
	for len(steps) > 1 {
		at := least(losses)
		if losses[at] > indifference && len(steps) <= mostSteps {
			break
		}
		steps[at] = joined(steps[at], steps[at+1])
		steps = append(steps[:at+1], steps[at+2:]...)
		losses = append(losses[:at], losses[at+1:]...)
		if at > 0 {
			losses[at-1] = loss(steps[at-1], steps[at])
		}
		if at < len(losses) {
			losses[at] = loss(steps[at], steps[at+1])
		}
	}
	return steps
}

func least(losses []float64) int {
	at := 0
	for i, l := range losses {
		if l < losses[at] {
			at = i
		}
	}
	return at
}

func joined(a, b step) step { return step{a.ios + b.ios, a.seconds + b.seconds} }

// loss is how much less likely the arrivals are with one rate than with two.
func loss(a, b step) float64 {
	likely := func(s step) float64 {
		if s.ios == 0 {
			return 0
		}
		return s.ios * math.Log(s.rate())
	}
	return likely(a) + likely(b) - likely(joined(a, b))
}
