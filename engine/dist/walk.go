package dist

import (
	"fmt"
	"math/bits"
	"strconv"
	"sync/atomic"

	"moonio/engine/units"
)

// Uniform is every position alike.
type Uniform struct{}

// String is the pattern as a script writes it.
func (Uniform) String() string { return "random()" }

// Compile prepares the pattern for a region.
func (Uniform) Compile(r Region, _ uint64) (Sampler, error) {
	g, err := r.grid()
	if err != nil {
		return nil, err
	}
	return &uniform{g, g.positions(g.unit)}, nil
}

type uniform struct {
	grid
	count uint64 // positions of a transfer of one unit
}

func (s *uniform) Next(r *Rand, n int64) int64 {
	count := s.count
	if n != s.unit {
		count = s.positions(n)
	}
	return s.start + int64(r.Uint64n(count))*s.unit
}

// Sequential is one transfer behind the other, leaving Gap bytes out after
// each, and from the start again when the next no longer fits. Transfers that are no
// multiple of the unit are followed by a hole up to the next multiple.
type Sequential struct{ Gap int64 }

// String is the pattern as a script writes it.
func (p Sequential) String() string {
	if p.Gap == 0 {
		return "sequential()"
	}
	return "sequential{ gap = " + size(p.Gap) + " }"
}

// Compile prepares the pattern for a region. The sampler is a Passer.
func (p Sequential) Compile(r Region, _ uint64) (Sampler, error) {
	g, err := r.grid()
	if err != nil {
		return nil, err
	}
	if p.Gap < 0 || p.Gap > r.Size {
		return nil, fmt.Errorf("%s: the gap must be between 0 and the region's %s", p, units.FormatSize(r.Size))
	}
	return newForward(g, r.Alone, p.Gap, 0), nil
}

// Strided is transfers whose beginnings lie Stride bytes apart, and from the start again
// when the next no longer fits.
type Strided struct{ Stride int64 }

// String is the pattern as a script writes it.
func (p Strided) String() string { return "strided(" + size(p.Stride) + ")" }

// Compile prepares the pattern for a region. The sampler is a Passer.
func (p Strided) Compile(r Region, _ uint64) (Sampler, error) {
	g, err := r.grid()
	switch {
	case err != nil:
		return nil, err
	case p.Stride <= 0 || p.Stride > r.Size:
		return nil, fmt.Errorf("%s: the stride must be above 0 and at most the region's %s", p, units.FormatSize(r.Size))
	case p.Stride%r.Unit != 0:
		return nil, fmt.Errorf("%s: the stride must be a multiple of the %s that offsets are", p, units.FormatSize(r.Unit))
	}
	return newForward(g, r.Alone, 0, p.Stride), nil
}

// Reverse is sequential from the end of the region to its start.
type Reverse struct{}

// String is the pattern as a script writes it.
func (Reverse) String() string { return "reverse()" }

// Compile prepares the pattern for a region. The sampler is a Passer.
func (Reverse) Compile(r Region, _ uint64) (Sampler, error) {
	g, err := r.grid()
	if err != nil {
		return nil, err
	}
	return &reverse{grid: g, cursor: newCursor(g.size, r.Alone)}, nil
}

// Permute is every block of one unit once in a random order, then all again in
// another, with memory that does not grow with the region. Bytes behind the last whole
// unit are left out. Where transfers are longer than a unit, the sampler is a Fitter, which makes
// some of them shorter so that they too visit each byte once.
type Permute struct{}

// String is the pattern as a script writes it.
func (Permute) String() string { return "permute()" }

// Compile prepares the pattern for a region. The sampler is a Passer.
func (p Permute) Compile(r Region, seed uint64) (Sampler, error) {
	g, err := r.grid()
	switch {
	case err != nil:
		return nil, err
	case g.size < g.unit:
		return nil, fmt.Errorf("permute(): a region of %s holds no block of %s", units.FormatSize(g.size), units.FormatSize(g.unit))
	}
	if r.Max > r.Unit {
		return newCover(g, r.Max, seed), nil
	}
	return &permute{grid: g, cursor: newCursor(int64(g.blocks), r.Alone), perm: newPermutation(g.blocks), seed: seed}, nil
}

// size is a number of bytes as a script writes it.
func size(n int64) string { return strconv.Quote(units.FormatSize(n)) }

// cursor is a position and the pass it belongs to in one word, so that several
// goroutines can move through a region together without a lock.
type cursor struct {
	state atomic.Uint64 // pass << width | position
	own   uint64        // the same, if only one goroutine moves it
	alone bool
	width uint8
}

// newCursor makes a cursor whose positions go up to limit. The passes that the
// other bits can count come to 2^62 bytes or more for any limit.
func newCursor(limit int64, alone bool) cursor {
	return cursor{width: uint8(bits.Len64(uint64(limit))), alone: alone}
}

func (c *cursor) load() (state uint64, pass, pos int64) {
	if state = c.own; !c.alone {
		state = c.state.Load()
	}
	return state, int64(state >> c.width), int64(state & (1<<c.width - 1))
}

func (c *cursor) move(state uint64, pass, pos int64) bool {
	next := uint64(pass)<<c.width | uint64(pos)
	if c.alone {
		c.own = next
		return true
	}
	return c.state.CompareAndSwap(state, next)
}

type forward struct {
	grid
	cursor
	gap, stride int64
	step        int64 // from one transfer of a unit to the next
}

func newForward(g grid, alone bool, gap, stride int64) *forward {
	f := &forward{grid: g, gap: gap, stride: stride}
	f.step = f.stepOf(g.unit)
	f.cursor = newCursor(g.size, alone)
	return f
}

func (s *forward) stepOf(n int64) int64 {
	if s.stride > 0 {
		return s.stride
	}
	return s.roundUp(n + s.gap)
}

func (s *forward) Next(r *Rand, n int64) int64 {
	off, _ := s.NextPass(r, n)
	return off
}

func (s *forward) NextPass(_ *Rand, n int64) (off, pass int64) {
	step := s.step
	if n != s.unit {
		step = s.stepOf(n)
	}
	for {
		state, pass, pos := s.load()
		if pos+n > s.size && pos > 0 {
			pass, pos = pass+1, 0
		}
		if s.move(state, pass, min(pos+step, s.size)) {
			return s.start + pos, pass
		}
	}
}

// Fit makes what would reach beyond the region's end as long as there is room, in whole units.
func (s *forward) Fit(_ *Rand, n int64) (off, fits, pass int64) {
	for {
		state, pass, pos := s.load()
		rest := s.size - pos
		if fits = min(n, rest-rest%s.unit); fits == 0 {
			pass, pos = pass+1, 0
			fits = min(n, s.size)
		}
		if s.move(state, pass, min(pos+s.stepOf(fits), s.size)) {
			return s.start + pos, fits, pass
		}
	}
}

type reverse struct {
	grid
	cursor // position: how many bytes at the end are done
}

func (s *reverse) Next(r *Rand, n int64) int64 {
	off, _ := s.NextPass(r, n)
	return off
}

func (s *reverse) NextPass(_ *Rand, n int64) (off, pass int64) {
	for {
		state, pass, done := s.load()
		if done+n > s.size && done > 0 {
			pass, done = pass+1, 0
		}
		off := max(0, s.size-done-n)
		off -= off % s.unit
		if s.move(state, pass, s.size-off) {
			return s.start + off, pass
		}
	}
}

type permute struct {
	grid
	cursor // position: how many blocks of the pass are done
	perm   permutation
	seed   uint64
	last   order // of the pass that it is in, if only one goroutine draws
	pass   int64 // which has the last order, counted from 1
}

func (s *permute) Next(r *Rand, n int64) int64 {
	off, _ := s.NextPass(r, n)
	return off
}

func (s *permute) NextPass(_ *Rand, n int64) (off, pass int64) {
	for {
		state, pass, done := s.load()
		if done == int64(s.blocks) {
			pass, done = pass+1, 0
		}
		if s.move(state, pass, done+1) {
			o := s.order(pass)
			return s.start + int64(s.perm.apply(&o, uint64(done)))*s.unit, pass
		}
	}
}

// order is that in which a pass visits the blocks.
func (s *permute) order(pass int64) order {
	if !s.alone {
		return newOrder(s.seed ^ mix(uint64(pass)))
	}
	if s.pass != pass+1 {
		s.last, s.pass = newOrder(s.seed^mix(uint64(pass))), pass+1
	}
	return s.last
}
