package dist

import (
	"fmt"
	"strconv"
	"sync"
)

// Runs takes a new offset from another pattern for every Length-th transfer
// only. Those between follow it without a gap, or go to the same offset if Same. A run
// ends early where the next transfer would not fit.
type Runs struct {
	Of     Pattern
	Length int // 1 or more
	Same   bool
}

// String is the pattern as a script writes it.
func (p Runs) String() string {
	s := "runs(" + p.Of.String() + ", " + strconv.Itoa(p.Length)
	if p.Same {
		s += `, "same"`
	}
	return s + ")"
}

// Compile prepares the pattern for a region.
func (p Runs) Compile(r Region, seed uint64) (Sampler, error) {
	if p.Length < 1 {
		return nil, fmt.Errorf("%s: a run has at least 1 transfer", p)
	}
	g, err := r.grid()
	if err != nil {
		return nil, err
	}
	of, err := p.Of.Compile(r, seed)
	if err != nil {
		return nil, err
	}
	return &runs{grid: g, of: of, length: p.Length, same: p.Same}, nil
}

type runs struct {
	grid
	of     Sampler
	length int
	same   bool

	mu   sync.Mutex
	left int   // transfers that the run still has
	next int64 // where the next one goes
}

func (s *runs) Next(r *Rand, n int64) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left == 0 || s.next+n > s.start+s.size {
		s.next, s.left = s.of.Next(r, n), s.length
	}
	off := s.next
	s.left--
	if !s.same {
		s.next += s.roundUp(n)
	}
	return off
}
