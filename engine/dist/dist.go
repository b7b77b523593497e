// Package dist draws what a workload chooses: where an operation goes, how large
// it is, which operation it is.
//
// Choices are described by plain values ([Pattern], [Sizes], [Mix]) that
// print as a script would write them, and are compiled once into something that
// draws in a few nanoseconds without allocating. Every draw takes a [Rand] that
// belongs to the caller's goroutine; what is compiled may be shared by
// several. One seed, split with [Derive], gives every job, worker and
// client a stream of its own, so that a run can be repeated.
//
// Shares and weights are per cent where a script writes per cent; offsets and sizes are bytes.
package dist

import (
	"errors"
	"fmt"
	"math"

	"moonio/engine/units"
)

// Region is the part of a file that a pattern is compiled for.
type Region struct {
	Start int64 // first byte
	Size  int64 // length
	Unit  int64 // offsets are Start plus a multiple of it
	Max   int64 // the longest transfer; 0 means Unit
	Alone bool  // only one goroutine draws
}

// Pattern says where operations go. It is plain data; the types of this
// package that implement it are all there are.
type Pattern interface {
	// String is the pattern as a script writes it.
	String() string
	// Compile prepares the pattern for a region. The seed decides which blocks
	// a skewed pattern makes hot and in which orders a permutation visits them:
	// the same seed gives the same.
	Compile(r Region, seed uint64) (Sampler, error)
}

// Sampler draws offsets. Several goroutines may share one unless Region.Alone, each with its own
// Rand; a pattern that has an order then still visits one sequence.
type Sampler interface {
	// Next returns the offset of a transfer of n bytes, 0 < n ≤ Region.Max. It lies
	// in the region whole.
	Next(r *Rand, n int64) int64
}

// Passer is a Sampler that goes through its region in passes: sequential,
// reverse, strided and permute are.
type Passer interface {
	Sampler
	// NextPass is Next, and says which pass the offset belongs to, counted from
	// 0. To visit everything once, stop at the first offset of pass 1.
	NextPass(r *Rand, n int64) (off, pass int64)
}

// grid is a region that was checked.
type grid struct {
	start, size, unit int64
	blocks            uint64 // whole units; at least 1
}

func (r Region) grid() (grid, error) {
	longest := r.Max
	if longest == 0 {
		longest = r.Unit
	}
	switch {
	case r.Start < 0 || r.Size <= 0 || r.Unit <= 0 || r.Max < 0:
		return grid{}, fmt.Errorf("region of %d bytes from %d in units of %d: sizes must be above 0", r.Size, r.Start, r.Unit)
	case r.Start > math.MaxInt64-r.Size:
		return grid{}, fmt.Errorf("region of %d bytes from %d ends beyond the largest offset", r.Size, r.Start)
	case longest > r.Size:
		return grid{}, fmt.Errorf("transfers of %s do not fit into a region of %s", units.FormatSize(longest), units.FormatSize(r.Size))
	}
	return grid{start: r.Start, size: r.Size, unit: r.Unit, blocks: uint64(max(1, r.Size/r.Unit))}, nil
}

// positions is how many offsets a transfer of n bytes may have.
func (g *grid) positions(n int64) uint64 {
	return uint64(max(1, (g.size-n)/g.unit+1))
}

// at is the offset of a block. A transfer that would reach past the end goes to
// another block, spread over those it fits at.
func (g *grid) at(block uint64, n int64) int64 {
	if off := int64(block) * g.unit; n <= g.unit || off+n <= g.size {
		return g.start + off
	}
	return g.start + int64(block%g.positions(n))*g.unit
}

// roundUp is the least multiple of the unit that is not below n.
func (g *grid) roundUp(n int64) int64 {
	if n == g.unit {
		return n
	}
	return (n + g.unit - 1) / g.unit * g.unit
}

var errNotANumber = errors.New("not a finite number")

// finite refuses what arithmetic on it could not survive.
func finite(x float64) error {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return errNotANumber
	}
	return nil
}
