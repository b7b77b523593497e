package sim

import (
	"math"
	"math/rand/v2"
)

// draw makes service times.
type draw struct {
	rng   *rand.Rand
	kind  Distribution
	exp   []float64 // lognormal: the factor by what is normally distributed, from -reach on
	shape float64   // gamma
}

// Lognormal factors are taken from a table, between whose points lines are
// drawn: an exponential would be the dearest part of an operation. Nothing
// beyond the reach is ever drawn.
const (
	reach = 9
	steps = 64 // for one standard deviation
)

func newDraw(c *Config, seed uint64) draw {
	d := draw{rng: rand.New(rand.NewPCG(seed, 0x73696d)), kind: c.Distribution}
	switch d.kind {
	case Lognormal:
		sigma := math.Sqrt(math.Log1p(c.Spread * c.Spread))
		for i := range 2*reach*steps + 1 {
			z := float64(i)/steps - reach
			d.exp = append(d.exp, math.Exp(sigma*z-sigma*sigma/2)) // whose mean is 1
		}
	case Gamma:
		d.shape = 1 / (c.Spread * c.Spread)
	}
	return d
}

// next is a time in nanoseconds, at least 1, with the given mean.
func (d *draw) next(mean float64) int64 {
	switch d.kind {
	case Exponential:
		mean *= d.rng.ExpFloat64()
	case Lognormal:
		mean *= d.lognormal(d.rng.NormFloat64())
	case Gamma:
		mean *= d.gamma(d.shape) / d.shape
	}
	return max(1, int64(min(mean, longest)+0.5))
}

func (d *draw) lognormal(z float64) float64 {
	x := (min(max(z, -reach), reach) + reach) * steps
	i := min(int(x), len(d.exp)-2)
	return d.exp[i] + (x-float64(i))*(d.exp[i+1]-d.exp[i])
}

// longest keeps the sums of times far from overflowing.
const longest = float64(24 * 3600 * 1_000_000_000)

// gamma draws from the gamma distribution of the given shape and scale 1, as
// Marsaglia and Tsang do.
func (d *draw) gamma(shape float64) float64 {
	if shape < 1 {
		// U^(1/a) takes a draw of shape a+1 to one of shape a.
		return d.gamma(shape+1) * math.Pow(d.rng.Float64(), 1/shape)
	}
	a := shape - 1.0/3
	c := 1 / math.Sqrt(9*a)
	for {
		x := d.rng.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v *= v * v
		u := d.rng.Float64()
		if math.Log(u) < x*x/2+a-a*v+a*math.Log(v) {
			return a * v
		}
	}
}
