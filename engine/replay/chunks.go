package replay

// chunks numbers the chunks of a file in the order in which they are first touched. When
// there are too many it goes over to larger ones, so that its memory is bounded.
type chunks struct {
	unit  int64 // bytes in one
	index map[int64]uint32
}

// maxChunks is how many chunks of a file are told apart.
const maxChunks = 1 << 20

func newChunks(unit int64) *chunks { return &chunks{unit: unit, index: map[int64]uint32{}} }

// touch numbers the chunks of a range.
func (c *chunks) touch(off, n int64) {
	for k := off / c.unit; k <= (off+n-1)/c.unit; k++ {
		if _, ok := c.index[k]; ok {
			continue
		}
		if len(c.index) == maxChunks {
			c.widen()
			c.touch(off, n)
			return
		}
		c.index[k] = uint32(len(c.index))
	}
}

// widen makes the chunks twice as large. What was touched first stays first.
func (c *chunks) widen() {
	order := make([]int64, len(c.index))
	for k, i := range c.index {
		order[i] = k
	}
	c.unit *= 2
	c.index = make(map[int64]uint32, maxChunks)
	for _, k := range order {
		if _, ok := c.index[k/2]; !ok {
			c.index[k/2] = uint32(len(c.index))
		}
	}
}

// size is what all touched chunks take together, in bytes.
func (c *chunks) size() int64 { return int64(len(c.index)) * c.unit }

// find is where a byte's chunk lies now, and how far it is to the chunk's end.
func (c *chunks) find(off int64) (to, left int64, ok bool) {
	i, ok := c.index[off/c.unit]
	in := off % c.unit
	return int64(i)*c.unit + in, c.unit - in, ok
}
