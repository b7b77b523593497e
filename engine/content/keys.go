package content

import "moonio/engine/dist"

// Keys draws the keys of one writer's blocks: each a new one or, where the
// description wants blocks to repeat, that of an earlier block. One goroutine owns it.
type Keys struct {
	rand   *dist.Rand
	next   uint64
	dedupe float64 // share of repeated ones
	pool   []uint64
	used   int // of pool
	oldest int
}

// Keys makes a writer's keys; different seeds give different blocks.
func (s *Source) Keys(seed uint64) *Keys {
	k := &Keys{rand: dist.NewRand(seed), dedupe: s.spec.Dedupe / 100}
	k.next = k.rand.Uint64()
	if k.dedupe > 0 {
		k.pool = make([]uint64, max(1, s.spec.Pool))
	}
	return k
}

// Next is the next block's key.
func (k *Keys) Next() uint64 {
	if k.used > 0 && k.rand.Float64() < k.dedupe {
		return k.pool[k.rand.Uint64n(uint64(k.used))]
	}
	k.next += keyStep
	if len(k.pool) > 0 {
		k.pool[k.oldest] = k.next
		k.oldest = (k.oldest + 1) % len(k.pool)
		k.used = min(k.used+1, len(k.pool))
	}
	return k.next
}

// keyStep is odd, so that no key comes again, and unrelated to the step from one word of a
// block to the next, so that blocks do not overlap.
const keyStep = 0xd1342543de82ef95
