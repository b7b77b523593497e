package dist

import (
	"errors"
	"fmt"
	"math"
)

// Zone is a part of the region with its share of the accesses.
type Zone struct {
	Accesses float64 // per cent of the accesses
	Space    float64 // per cent of the region, or
	Bytes    int64   // bytes, if Space is 0
}

// Zoned is zones one behind the other, uniform within each. What the zones
// leave of the accesses goes to what they leave of the region.
type Zoned []Zone

// String is the pattern as a script writes it.
func (p Zoned) String() string {
	s := "zoned{"
	for i, z := range p {
		if i > 0 {
			s += ","
		}
		space := number(z.Space)
		if z.Space == 0 {
			space = size(z.Bytes)
		}
		s += " {" + number(z.Accesses) + ", " + space + "}"
	}
	return s + " }"
}

// Compile prepares the pattern for a region.
func (p Zoned) Compile(r Region, _ uint64) (Sampler, error) {
	g, err := r.grid()
	if err != nil {
		return nil, err
	}
	if len(p) == 0 {
		return nil, errors.New("zoned{} has no zones")
	}
	s := &zoned{grid: g}
	weights, err := s.lay(p)
	if err == nil {
		s.choice, err = NewChoice(weights...)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p, err)
	}
	return s, nil
}

type zoned struct {
	grid
	choice *Choice
	zones  []span
}

// span is blocks [first, end).
type span struct{ first, end uint64 }

// tolerated is how far sums of per cents may be off by rounding.
const tolerated = 1e-9

// lay cuts the region into the zones and returns their weights.
func (s *zoned) lay(p Zoned) ([]float64, error) {
	var weights []float64
	accesses, space, first := 0.0, 0.0, uint64(0)
	for i, z := range p {
		share := z.Space / 100
		if z.Space == 0 {
			share = float64(z.Bytes) / float64(s.size)
		}
		if !(z.Accesses >= 0 && share > 0) {
			return nil, fmt.Errorf("zone %d: the accesses may not be negative, and the space must be above 0", i+1)
		}
		accesses, space = accesses+z.Accesses, space+share
		end := min(s.blocks, uint64(math.Round(space*float64(s.blocks))))
		if end == first && space < 1+tolerated {
			return nil, fmt.Errorf("zone %d is smaller than a block", i+1)
		}
		s.zones = append(s.zones, span{first, end})
		weights = append(weights, z.Accesses)
		first = end
	}
	return s.layRest(weights, accesses, space)
}

// layRest checks the sums, and gives what is left of the accesses to what is left of the region.
func (s *zoned) layRest(weights []float64, accesses, space float64) ([]float64, error) {
	switch {
	case accesses > 100+tolerated:
		return nil, fmt.Errorf("the zones have %s per cent of the accesses", number(accesses))
	case space > 1+tolerated:
		return nil, errors.New("the zones are larger than the region")
	case accesses > 100-tolerated:
		return weights, nil
	}
	last := s.zones[len(s.zones)-1].end
	if last == s.blocks {
		return nil, fmt.Errorf("the zones fill the region but have only %s per cent of the accesses", number(accesses))
	}
	s.zones = append(s.zones, span{last, s.blocks})
	return append(weights, 100-accesses), nil
}

func (s *zoned) Next(r *Rand, n int64) int64 {
	z := s.zones[s.choice.Next(r)]
	if n > s.unit {
		// A longer transfer begins early enough to end in the region.
		z.end = min(z.end, s.positions(n))
		z.first = min(z.first, z.end-1)
	}
	return s.start + int64(z.first+r.Uint64n(z.end-z.first))*s.unit
}

// Hotspot sends Accesses per cent of the accesses to the first Space per cent of
// the region and the others to the rest.
type Hotspot struct{ Accesses, Space float64 }

// String is the pattern as a script writes it.
func (p Hotspot) String() string {
	return "hotspot(" + number(p.Accesses) + ", " + number(p.Space) + ")"
}

// Compile prepares the pattern for a region.
func (p Hotspot) Compile(r Region, seed uint64) (Sampler, error) {
	if !(p.Accesses >= 0 && p.Accesses <= 100 && p.Space > 0 && p.Space < 100) {
		return nil, fmt.Errorf("%s: accesses must be from 0 to 100 per cent, the space between 0 and 100", p)
	}
	return Zoned{{Accesses: p.Accesses, Space: p.Space}, {Accesses: 100 - p.Accesses, Space: 100 - p.Space}}.Compile(r, seed)
}
