package dist

import (
	"fmt"
	"sync"

	"moonio/engine/units"
)

// Either takes Percent of the offsets from one pattern and the others from another.
type Either struct {
	Percent float64
	A, B    Pattern
}

// String is the pattern as a script writes it.
func (p Either) String() string {
	return "either(" + number(p.Percent) + ", " + p.A.String() + ", " + p.B.String() + ")"
}

// Compile prepares the pattern for a region.
func (p Either) Compile(r Region, seed uint64) (Sampler, error) {
	if !(p.Percent >= 0 && p.Percent <= 100) {
		return nil, fmt.Errorf("%s: the share of the first must be from 0 to 100 per cent", p)
	}
	a, err := p.A.Compile(r, Derive(seed, 0))
	if err != nil {
		return nil, err
	}
	b, err := p.B.Compile(r, Derive(seed, 1))
	if err != nil {
		return nil, err
	}
	return &either{p.Percent / 100, a, b}, nil
}

type either struct {
	share float64
	a, b  Sampler
}

func (s *either) Next(r *Rand, n int64) int64 {
	if r.Float64() < s.share {
		return s.a.Next(r, n)
	}
	return s.b.Next(r, n)
}

// ZoneStrided stays in a zone of the region until it has moved Bytes there, and goes on to the
// next, which begins Skip bytes after the zone's end; after the last whole zone it goes back to the
// first. Where in a zone it goes is for another pattern; a plain Sequential begins each zone at its
// start.
type ZoneStrided struct {
	Bytes int64 // moved in a zone before the next
	Range int64 // length of a zone; 0: as many as are moved in it
	Skip  int64
	Of    Pattern
}

// String is the pattern as a script writes it.
func (p ZoneStrided) String() string {
	s := "zone_strided{ size = " + size(p.Bytes)
	if p.Range > 0 {
		s += ", range = " + size(p.Range)
	}
	if p.Skip > 0 {
		s += ", skip = " + size(p.Skip)
	}
	return s + ", of = " + p.Of.String() + " }"
}

// Compile prepares the pattern for a region.
func (p ZoneStrided) Compile(r Region, seed uint64) (Sampler, error) {
	g, err := r.grid()
	if err != nil {
		return nil, err
	}
	length := p.Range
	if length == 0 {
		length = p.Bytes
	}
	switch {
	case p.Bytes <= 0 || p.Range < 0 || p.Skip < 0:
		return nil, fmt.Errorf("%s: sizes must be above 0", p)
	case length > r.Size:
		return nil, fmt.Errorf("%s: a zone of %s does not fit into a region of %s", p, units.FormatSize(length), units.FormatSize(r.Size))
	case length%r.Unit != 0 || p.Skip%r.Unit != 0:
		return nil, fmt.Errorf("%s: zones and what is skipped must be multiples of %s, the step between offsets", p, units.FormatSize(r.Unit))
	}
	of, err := p.Of.Compile(Region{Size: length, Unit: r.Unit, Max: r.Max, Alone: r.Alone}, seed)
	if err != nil {
		return nil, err
	}
	inOrder := p.Of == Pattern(Sequential{})
	return &zoneStrided{grid: g, of: of, inOrder: inOrder, bytes: p.Bytes, length: length, step: length + p.Skip}, nil
}

type zoneStrided struct {
	grid
	of                  Sampler
	inOrder             bool
	bytes, length, step int64

	mu   sync.Mutex
	zone int64 // where it begins, from the region's start
	done int64 // bytes moved in it
	next int64 // where in it a sequence goes on
}

func (s *zoneStrided) Next(r *Rand, n int64) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done >= s.bytes {
		s.done, s.next = 0, 0
		if s.zone += s.step; s.zone+s.length > s.size {
			s.zone = 0
		}
	}
	s.done += n
	if !s.inOrder {
		return s.start + s.zone + s.of.Next(r, n)
	}
	if s.next+n > s.length {
		s.next = 0
	}
	off := s.next
	s.next += s.roundUp(n)
	return s.start + s.zone + off
}

// Gaussian draws around a centre with a standard deviation, both of the region; what would fall
// outside of it is drawn again. Blocks lie where the bell has them.
type Gaussian struct {
	Dev    float64 // per cent of the region, above 0 and up to 100
	Centre float64 // 0 the region's start, 1 its end
}

// String is the pattern as a script writes it.
func (p Gaussian) String() string {
	return "gaussian(" + number(p.Dev) + ", " + number(p.Centre) + ")"
}

// Compile prepares the pattern for a region.
func (p Gaussian) Compile(r Region, _ uint64) (Sampler, error) {
	switch {
	case !(p.Dev > 0 && p.Dev <= 100):
		return nil, fmt.Errorf("%s: the deviation must be above 0 and at most 100 per cent of the region", p)
	case !(p.Centre >= 0 && p.Centre <= 1):
		return nil, fmt.Errorf("%s: the centre must be from 0, the region's start, to 1, its end", p)
	}
	g, err := r.grid()
	if err != nil {
		return nil, err
	}
	return &gaussian{g, p.Dev / 100, p.Centre}, nil
}

type gaussian struct {
	grid
	dev, centre float64
}

func (s *gaussian) Next(r *Rand, n int64) int64 {
	for {
		if x := s.centre + s.dev*r.NormFloat64(); x >= 0 && x < 1 {
			return s.at(uint64(x*float64(s.blocks)), n)
		}
	}
}
