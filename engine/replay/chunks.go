package replay

import "math"

// chunks numbers the chunks of a file in the order in which they are first touched.
type chunks struct {
	unit  int64 // bytes in one
	index map[int64]uint32
}

// maxChunks is how many chunks of a trace's files are told apart, so that memory is bounded.
const maxChunks = 1 << 19

func newChunks(unit int64) *chunks { return &chunks{unit: unit, index: map[int64]uint32{}} }

// touch numbers the chunks of a range. It says false if there would be more than most.
func (c *chunks) touch(off, n int64, most int) bool {
	for k := off / c.unit; k <= (off+n-1)/c.unit; k++ {
		if _, ok := c.index[k]; ok {
			continue
		}
		if len(c.index) >= most {
			return false
		}
		c.index[k] = uint32(len(c.index))
	}
	return true
}

// widen makes the chunks twice as large. What was touched first stays first.
func (c *chunks) widen() {
	order := make([]int64, len(c.index))
	for k, i := range c.index {
		order[i] = k
	}
	c.unit *= 2
	c.index = make(map[int64]uint32, len(order)/2)
	for _, k := range order {
		if _, ok := c.index[k/2]; !ok {
			c.index[k/2] = uint32(len(c.index))
		}
	}
}

// size is what all touched chunks take together, in bytes, as far as a file can be that large.
func (c *chunks) size() int64 {
	if n := int64(len(c.index)); n <= math.MaxInt64/c.unit {
		return n * c.unit
	}
	return math.MaxInt64 / Block * Block
}

// find is where a byte's chunk lies now, and how far it is to the chunk's end.
func (c *chunks) find(off int64) (to, left int64, ok bool) {
	i, ok := c.index[off/c.unit]
	in := off % c.unit
	return int64(i)*c.unit + in, c.unit - in, ok
}
