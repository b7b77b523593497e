package dist

import (
	"math/bits"
	"math/rand/v2"
)

// Rand is a generator of random numbers (xoshiro256++). It is not safe for
// concurrent use.
type Rand struct {
	s0, s1, s2, s3 uint64
}

// NewRand returns a generator that starts from the seed.
func NewRand(seed uint64) *Rand {
	r := new(Rand)
	r.Seed(seed)
	return r
}

// Seed starts the generator again.
func (r *Rand) Seed(seed uint64) {
	next := func() uint64 {
		seed += golden
		return mix(seed)
	}
	r.s0, r.s1, r.s2, r.s3 = next(), next(), next(), next()
}

const golden = 0x9e3779b97f4a7c15 // 2^64 over the golden ratio

// mix is splitmix64's finaliser: a bijection after which every bit depends on every other.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Derive makes a seed from another and a path of labels, such as a job's and a
// worker's number. Different paths give unrelated seeds.
func Derive(seed uint64, labels ...uint64) uint64 {
	h := mix(seed + golden)
	for _, l := range labels {
		h = mix(h ^ mix(l+golden)*golden)
	}
	return h
}

// Label makes a label for Derive from a name.
func Label(name string) uint64 {
	h := uint64(0xcbf29ce484222325) // FNV-1a
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 0x100000001b3
	}
	return mix(h)
}

// Uint64 is uniform over all 64 bits.
func (r *Rand) Uint64() uint64 {
	s1, s2, s3 := r.s1, r.s2^r.s0, r.s3^r.s1
	x := bits.RotateLeft64(r.s0+r.s3, 23) + r.s0
	r.s0 ^= s3
	r.s1 ^= s2
	r.s2 = s2 ^ s1<<17
	r.s3 = bits.RotateLeft64(s3, 45)
	return x
}

// Uint64n is uniform over [0, n), without bias; 0 for n = 0.
func (r *Rand) Uint64n(n uint64) uint64 {
	hi, lo := bits.Mul64(r.Uint64(), n)
	if lo < n {
		hi = r.retry(n, hi, lo)
	}
	return hi
}

// retry draws again for as long as the product fell among the few that would
// make some results likelier than others.
func (r *Rand) retry(n, hi, lo uint64) uint64 {
	if n == 0 {
		return 0
	}
	for least := -n % n; lo < least; {
		hi, lo = bits.Mul64(r.Uint64(), n)
	}
	return hi
}

// Float64 is uniform over [0, 1).
func (r *Rand) Float64() float64 { return float64(r.Uint64()>>11) * 0x1p-53 }

// ExpFloat64 is exponentially distributed with mean 1.
func (r *Rand) ExpFloat64() float64 { return rand.New(r).ExpFloat64() }

// NormFloat64 is normally distributed with mean 0 and standard deviation 1.
func (r *Rand) NormFloat64() float64 { return rand.New(r).NormFloat64() }
