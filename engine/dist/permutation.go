package dist

import "math/bits"

// permutation is a bijection of [0, n) onto itself in a random order, in
// constant memory. It permutes the next power of two and walks on along the
// cycle while the image is not below n, fewer than two steps on average.
type permutation struct {
	n     uint64
	mask  uint64
	shift uint8
}

func newPermutation(n uint64) permutation {
	width := max(1, bits.Len64(n-1))
	return permutation{n: n, mask: 1<<width - 1, shift: uint8(width+1) / 2}
}

// order is the keys of one particular permutation.
type order struct{ add, mul1, mul2, mul3 uint64 }

func newOrder(seed uint64) order {
	a := mix(seed + golden)
	b := mix(a + golden)
	return order{a, b | 1, a>>32 | 1, b>>32 | 1}
}

// apply is the image of x, x < n. Multiplying by an odd number carries changes
// upwards and is invertible modulo a power of two; shifting brings them down
// again. Three turns of both make every bit depend on every other.
func (p *permutation) apply(o *order, x uint64) uint64 {
	for {
		x = (x + o.add) & p.mask
		x = x * o.mul1 & p.mask
		x ^= x >> p.shift
		x = x * o.mul2 & p.mask
		x ^= x >> p.shift
		x = x * o.mul3 & p.mask
		x ^= x >> p.shift
		if x < p.n {
			return x
		}
	}
}
