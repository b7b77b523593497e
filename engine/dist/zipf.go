package dist

import "math"

// zipfRank draws ranks from a Zipf distribution over [0, n) by rejection from
// the inverted integral of its hull (Hörmann and Derflinger, Rejection-inversion to
// generate variates from monotone discrete distributions, 1996). It needs no table,
// is exact for any number of ranks, and takes little more than one try.
//
// The hull is h(x) = x^-theta. Its integral, up to a factor and a constant, is
// x^(1-theta), or log x where theta is 1.
type zipfRank struct {
	n, theta float64
	e        float64 // 1-theta
	from, to float64 // the range of the integral from which is drawn
	sure     float64 // this far below its rank a value needs no further test
}

// nearOne is how close to 1 theta is taken as 1: closer, the power would lose more
// to rounding than the logarithm is off.
const nearOne = 1e-8

func newZipfRank(theta float64, n uint64) zipfRank {
	z := zipfRank{n: float64(n), theta: theta, e: 1 - theta}
	if math.Abs(z.e) < nearOne {
		z.e = 0
	}
	z.from = z.below(1.5, 1) // rank 1 has all its weight
	z.to = z.integral(z.n + 0.5)
	z.sure = 2 - z.inverse(z.below(2.5, 2))
	return z
}

func (z *zipfRank) integral(x float64) float64 {
	if z.e == 0 {
		return math.Log(x)
	}
	return math.Exp(z.e * math.Log(x))
}

func (z *zipfRank) inverse(y float64) float64 {
	if z.e == 0 {
		return math.Exp(y)
	}
	return math.Exp(math.Log(y) / z.e)
}

// below is the integral at x less the hull at k, in the integral's scale.
func (z *zipfRank) below(x, k float64) float64 {
	h := math.Exp(-z.theta * math.Log(k))
	if z.e != 0 {
		h *= z.e
	}
	return z.integral(x) - h
}

func (z *zipfRank) next(r *Rand) uint64 {
	for {
		y := z.to + r.Float64()*(z.from-z.to)
		x := z.inverse(y)
		k := min(max(1, math.Floor(x+0.5)), z.n)
		if k-x <= z.sure || z.accepts(y, k) {
			return uint64(k) - 1
		}
	}
}

// accepts says whether y lies in the part of rank k's stretch that its weight
// fills. With a negative exponent the integral falls.
func (z *zipfRank) accepts(y, k float64) bool {
	if z.e < 0 {
		return y <= z.below(k+0.5, k)
	}
	return y >= z.below(k+0.5, k)
}
