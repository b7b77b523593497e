package dist

import (
	"fmt"
	"math"
)

// Centre says where in the region the hottest block of a skewed pattern lies.
// The zero value says nowhere in particular: blocks of all degrees of heat are scattered
// over the whole region, as hot rows are over a table.
type Centre struct {
	set bool
	at  float64
}

// At puts the hottest block at a fraction of the region, 0 its start and 1 its
// end. The others lie around it, the hotter the nearer, and go on at the other end of the
// region where it stops.
func At(fraction float64) Centre { return Centre{true, fraction} }

// args is the arguments of a pattern with its parameter and centre.
func (c Centre) args(parameter float64) string {
	if c.set {
		return "(" + number(parameter) + ", " + number(c.at) + ")"
	}
	return "(" + number(parameter) + ")"
}

// placement turns ranks, 0 the hottest, into blocks. Each block has one rank.
type placement struct {
	grid
	centred bool
	centre  uint64
	perm    permutation
	order   order
}

func (c Centre) place(r Region, seed uint64) (placement, error) {
	g, err := r.grid()
	if err != nil {
		return placement{}, err
	}
	if !(c.at >= 0 && c.at <= 1) {
		return placement{}, fmt.Errorf("the centre is %v: it must be from 0, the region's start, to 1, its end", c.at)
	}
	return placement{
		grid:    g,
		centred: c.set,
		centre:  min(uint64(c.at*float64(g.blocks)), g.blocks-1),
		perm:    newPermutation(g.blocks),
		order:   newOrder(seed),
	}, nil
}

func (p *placement) block(rank uint64) uint64 {
	if !p.centred {
		return p.perm.apply(&p.order, rank)
	}
	// Right and left of the centre by turns.
	b := p.centre + (rank+1)/2
	if rank%2 == 0 {
		b = p.centre + p.blocks - rank/2
	}
	if b >= p.blocks {
		b -= p.blocks
	}
	return b
}

// Zipf makes the k-th hottest block 1/k^Theta times as likely as the hottest.
type Zipf struct {
	Theta float64 // above 0 and at most 10; the larger, the more skewed
	Centre
}

const maxTheta = 10

// String is the pattern as a script writes it.
func (p Zipf) String() string { return "zipf" + p.args(p.Theta) }

// Compile prepares the pattern for a region.
func (p Zipf) Compile(r Region, seed uint64) (Sampler, error) {
	if !(p.Theta > 0 && p.Theta <= maxTheta) {
		return nil, fmt.Errorf("%s: theta must be above 0 and at most %d", p, maxTheta)
	}
	place, err := p.place(r, seed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p, err)
	}
	return &zipf{place, newZipfRank(p.Theta, place.blocks)}, nil
}

type zipf struct {
	placement
	rank zipfRank
}

func (s *zipf) Next(r *Rand, n int64) int64 { return s.at(s.block(s.rank.next(r)), n) }

// Pareto sends 1-H of the accesses to the hottest H of the blocks, and the same
// again within each part: pareto(0.2) is 80/20.
type Pareto struct {
	H float64 // above 0 and below 1
	Centre
}

// String is the pattern as a script writes it.
func (p Pareto) String() string { return "pareto" + p.args(p.H) }

// Compile prepares the pattern for a region.
func (p Pareto) Compile(r Region, seed uint64) (Sampler, error) {
	if !(p.H > 0 && p.H < 1) {
		return nil, fmt.Errorf("%s: the share must be above 0 and below 1", p)
	}
	place, err := p.place(r, seed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p, err)
	}
	return &pareto{place, math.Log(p.H) / math.Log1p(-p.H)}, nil
}

type pareto struct {
	placement
	power float64
}

// Next raises a uniform number to the power: minus its logarithm is
// exponentially distributed.
func (s *pareto) Next(r *Rand, n int64) int64 {
	x := math.Exp(-s.power * r.ExpFloat64())
	rank := min(uint64(x*float64(s.blocks)), s.blocks-1)
	return s.at(s.block(rank), n)
}

// Normal draws around the centre: a bell with a standard deviation of a twelfth of the
// region, widened by a shift that is uniform over Dev per cent of it. Dev
// counts up to 50. Without a Centre the blocks of the bell are scattered over the region.
type Normal struct {
	Dev float64 // from 0 to 100
	Centre
}

// String is the pattern as a script writes it.
func (p Normal) String() string { return "normal" + p.args(p.Dev) }

const (
	bell     = 1.0 / 12
	maxShift = 0.5
)

// Compile prepares the pattern for a region.
func (p Normal) Compile(r Region, seed uint64) (Sampler, error) {
	if !(p.Dev >= 0 && p.Dev <= 100) {
		return nil, fmt.Errorf("%s: the deviation must be from 0 to 100 per cent of the region", p)
	}
	place, err := p.place(r, seed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p, err)
	}
	return &normal{place, min(p.Dev/100, maxShift)}, nil
}

type normal struct {
	placement
	shift float64
}

func (s *normal) Next(r *Rand, n int64) int64 {
	// How far from the centre, as a fraction of the region: nearly always within a half.
	x := 1.0
	for math.Abs(x) >= 0.5 {
		x = r.NormFloat64()*bell + (r.Float64()-0.5)*s.shift
	}
	rank := uint64(math.Abs(x) * 2 * float64(s.blocks))
	return s.at(s.block(min(rank, s.blocks-1)), n)
}
