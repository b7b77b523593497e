package dist

import (
	"math/bits"
	"sync"
)

// Fitter is a Passer that makes transfers shorter where they would otherwise overlap: it visits
// each byte once though transfers differ in length.
type Fitter interface {
	Passer
	// Fit is NextPass, and says how many of the n bytes the transfer is to have.
	Fit(r *Rand, n int64) (off, fits, pass int64)
}

// cover visits every byte once in transfers of differing lengths, multiples of the unit. It cuts
// the region into pieces of the longest transfer, goes through these in a random order, and
// fills each from its start. Many pieces are open at a time, and each transfer goes to one of them
// by chance, so that neighbours are visited far apart. What a transfer finds left of its
// piece is all that it gets.
type cover struct {
	grid
	piece  int64  // bytes
	pieces uint64 // the last may be shorter
	end    int64  // of the last, from the region's start
	perm   permutation
	seed   uint64

	mu     sync.Mutex
	pass   int64
	opened uint64 // of this pass
	open   []stretch
}

// stretch is what is left of a piece.
type stretch struct{ from, to int64 }

// openPieces is how many pieces are open at a time, where there are so many.
const openPieces = 1024

func newCover(g grid, longest int64, seed uint64) *cover {
	s := &cover{grid: g, piece: g.roundUp(longest), seed: seed}
	s.end = int64(g.blocks) * g.unit
	s.pieces = uint64((s.end + s.piece - 1) / s.piece)
	s.perm = newPermutation(s.pieces)
	s.open = make([]stretch, 0, min(openPieces, s.pieces))
	return s
}

func (s *cover) Fit(r *Rand, n int64) (off, fits, pass int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fill()
	i, _ := bits.Mul64(r.Uint64(), uint64(len(s.open)))
	p := &s.open[i]
	off, fits = p.from, min(n, p.to-p.from)
	if p.from += s.roundUp(fits); p.from >= p.to {
		last := len(s.open) - 1
		*p, s.open = s.open[last], s.open[:last]
	}
	return s.start + off, fits, s.pass
}

// fill opens pieces while the pass has some.
func (s *cover) fill() {
	if len(s.open) == 0 && s.opened == s.pieces {
		s.pass, s.opened = s.pass+1, 0
	}
	for s.opened < s.pieces && len(s.open) < cap(s.open) {
		o := newOrder(s.seed ^ mix(uint64(s.pass)))
		from := int64(s.perm.apply(&o, s.opened)) * s.piece
		s.open = append(s.open, stretch{from, min(from+s.piece, s.end)})
		s.opened++
	}
}

// NextPass is for transfers that cannot be made shorter: one that does not fit begins earlier, and
// overlaps what was visited before.
func (s *cover) NextPass(r *Rand, n int64) (off, pass int64) {
	off, fits, pass := s.Fit(r, n)
	return max(s.start, off-s.roundUp(n-fits)), pass
}

func (s *cover) Next(r *Rand, n int64) int64 {
	off, _ := s.NextPass(r, n)
	return off
}
