package hist

import (
	"math"
	"math/bits"
)

// Sum adds up durations in nanoseconds. It has 128 bits: what waits behind a schedule that cannot be met
// adds up to more than 64 hold within minutes. The zero value is 0.
type Sum struct{ high, low uint64 }

// Add adds one duration, which must not be negative.
func (s *Sum) Add(ns int64) {
	var carry uint64
	s.low, carry = bits.Add64(s.low, uint64(ns), 0)
	s.high += carry
}

// AddN adds the same duration, which must not be negative, n times.
func (s *Sum) AddN(ns, n int64) {
	high, low := bits.Mul64(uint64(ns), uint64(n))
	s.Join(Sum{high, low})
}

// Join adds another sum.
func (s *Sum) Join(o Sum) {
	var carry uint64
	s.low, carry = bits.Add64(s.low, o.low, 0)
	s.high += o.high + carry
}

// Float is the sum, exact up to 2^53 ns.
func (s Sum) Float() float64 { return float64(s.high)*(1<<64) + float64(s.low) }

// sumOf is the sum that is nearest to ns.
func sumOf(ns float64) Sum {
	ns = math.Round(ns)
	high := math.Floor(ns / (1 << 64))
	return Sum{uint64(high), uint64(ns - high*(1<<64))}
}
