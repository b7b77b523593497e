package dist

import "math"

// zipfRank draws ranks from a Zipf distribution over [0, n): the hottest from a table, in which most
// draws end, and the others from the tail.
type zipfRank struct {
	upTo  []float64 // how likely a rank up to each of the hottest is
	guide []uint16  // by where a draw lies in [0, 1): the first rank that it can be
	tail  zipfTail
}

const (
	tabled = 1024
	guides = 2048
)

func newZipfRank(theta float64, n uint64) zipfRank {
	k := min(n, tabled)
	z := zipfRank{upTo: make([]float64, k), guide: make([]uint16, guides), tail: newZipfTail(theta, k, n)}
	sum := 0.0
	for i := range z.upTo {
		sum += math.Exp(-theta * math.Log(float64(i+1)))
		z.upTo[i] = sum
	}
	all := sum + z.tail.sum()
	for i := range z.upTo {
		z.upTo[i] /= all
	}
	if k == n {
		z.upTo[k-1] = 1
	}
	rank := 0
	for i := range z.guide {
		for rank < int(k)-1 && z.upTo[rank] <= float64(i)/guides {
			rank++
		}
		z.guide[i] = uint16(rank)
	}
	return z
}

func (z *zipfRank) next(r *Rand) uint64 {
	x := r.Float64()
	if x >= z.upTo[len(z.upTo)-1] {
		return z.tail.next(r)
	}
	rank := int(z.guide[int(x*guides)])
	for x >= z.upTo[rank] {
		rank++
	}
	return uint64(rank)
}

// zipfTail draws the ranks in [first, n) of a Zipf distribution by rejection from
// the inverted integral of its hull (Hörmann and Derflinger, Rejection-inversion to
// generate variates from monotone discrete distributions, 1996). It needs no table,
// is exact for any number of ranks, and takes little more than one try.
//
// The hull is h(x) = x^-theta. Its integral, up to a factor and a constant, is
// x^(1-theta), or log x where theta is 1.
type zipfTail struct {
	first, n, theta float64
	e               float64 // 1-theta
	from, to        float64 // the range of the integral from which is drawn
	sure            float64 // this far below its rank a value needs no further test
}

// nearOne is how close to 1 theta is taken as 1: closer, the power would lose more
// to rounding than the logarithm is off.
const nearOne = 1e-8

func newZipfTail(theta float64, first, n uint64) zipfTail {
	z := zipfTail{first: float64(first), n: float64(n), theta: theta, e: 1 - theta}
	if math.Abs(z.e) < nearOne {
		z.e = 0
	}
	k := z.first + 1 // ranks count from 1 here
	z.from = z.integral(k - 0.5)
	z.to = z.integral(z.n + 0.5)
	z.sure = k - z.inverse(z.below(k+0.5, k))
	return z
}

// sum is the weight of all its ranks, by the first terms of Euler and Maclaurin's formula: the next are below
// what a float64 resolves.
func (z *zipfTail) sum() float64 {
	if z.n <= z.first {
		return 0
	}
	a := z.first + 1
	h := func(x float64) float64 { return math.Exp(-z.theta * math.Log(x)) }
	span := math.Log(z.n / a)
	area := span
	if z.e != 0 {
		area = math.Exp(z.e*math.Log(a)) * math.Expm1(z.e*span) / z.e
	}
	return area + (h(a)+h(z.n))/2 + z.theta*(h(a)/a-h(z.n)/z.n)/12
}

func (z *zipfTail) integral(x float64) float64 {
	if z.e == 0 {
		return math.Log(x)
	}
	return math.Exp(z.e * math.Log(x))
}

func (z *zipfTail) inverse(y float64) float64 {
	if z.e == 0 {
		return math.Exp(y)
	}
	return math.Exp(math.Log(y) / z.e)
}

// below is the integral at x less the hull at k, in the integral's scale.
func (z *zipfTail) below(x, k float64) float64 {
	h := math.Exp(-z.theta * math.Log(k))
	if z.e != 0 {
		h *= z.e
	}
	return z.integral(x) - h
}

func (z *zipfTail) next(r *Rand) uint64 {
	for {
		y := z.to + r.Float64()*(z.from-z.to)
		x := z.inverse(y)
		k := min(max(z.first+1, math.Floor(x+0.5)), z.n)
		if k-x <= z.sure || z.accepts(y, k) {
			return uint64(k) - 1
		}
	}
}

// accepts says whether y lies in the part of rank k's stretch that its weight
// fills. With a negative exponent the integral falls.
func (z *zipfTail) accepts(y, k float64) bool {
	if z.e < 0 {
		return y <= z.below(k+0.5, k)
	}
	return y >= z.below(k+0.5, k)
}
