package verify

import (
	"bytes"
	"fmt"
	"math/bits"
	"strings"
)

// puzzle finds out which contents a damaged block was put together from.
type puzzle struct {
	have   []byte
	pieces []piece
}

// piece is a content that parts of the block may be from.
type piece struct {
	generation uint32
	right      bool // it would be the right one
	zero       bool
	image      []byte
	matches    []bool // by sector
	count      int    // of sectors that match
}

func newPuzzle(have []byte) *puzzle { return &puzzle{have: have} }

func (p *puzzle) sectors() int { return (len(p.have) + sector - 1) / sector }

func (p *puzzle) sector(b []byte, i int) []byte { return b[i*sector : min((i+1)*sector, len(b))] }

// try compares the block with a content, sector by sector.
func (p *puzzle) try(c piece, image []byte) {
	c.image, c.matches = image, make([]bool, p.sectors())
	for i := range c.matches {
		if bytes.Equal(p.sector(p.have, i), p.sector(image, i)) {
			c.matches[i] = true
			c.count++
		}
	}
	if c.count > 0 || c.right || len(p.pieces) == 0 {
		p.pieces = append(p.pieces, c)
	}
}

// base is the content that most of the block is from, rather one that would be right.
func (p *puzzle) base() *piece {
	best := &p.pieces[0]
	for i := range p.pieces {
		c := &p.pieces[i]
		if c.count > best.count || c.count == best.count && c.right && !best.right {
			best = c
		}
	}
	return best
}

// wanted is the content to compare with.
func (p *puzzle) wanted(base *piece) *piece {
	if base.right {
		return base
	}
	for i := range p.pieces {
		if p.pieces[i].right {
			return &p.pieces[i]
		}
	}
	return base
}

// solve names what is wrong.
func (p *puzzle) solve(m *Mismatch) {
	base := p.base()
	m.compare(p.wanted(base).image, p.have)
	parts, odd := p.assign(base)
	flipped := p.flipped(base)
	switch {
	case base.zero && base.count == p.sectors():
		m.Kind, m.Detail = Lost, "it holds nothing but zeros"
	case len(odd) == 0:
		m.Kind, m.Detail = Torn, p.describe(parts)
		m.pardoned = p.allRight(parts)
	case flipped > 0 && flipped <= flippedMost && !base.zero:
		m.compare(base.image, p.have)
		m.Kind, m.Detail = Flipped, p.flips(flipped, m)
	case len(odd) == p.sectors():
		m.Kind, m.Detail = Other, "it holds nothing that was written there"
	case len(odd) == 1 && p.mixed(odd[0]) != "":
		m.Kind, m.Detail = Torn, p.mixed(odd[0])
	case odd[len(odd)-1]-odd[0]+1 == len(odd) && (odd[0] == 0 || odd[len(odd)-1] == p.sectors()-1):
		m.Kind, m.Detail = Torn, p.describe(parts)
	default:
		m.Kind, m.Detail = Corrupt, fmt.Sprintf("%d of its %d sectors hold nothing that was written there", len(odd), p.sectors())
	}
}

// assign finds a content for every sector, the base where that fits; nil for the odd ones
// that nothing fits.
func (p *puzzle) assign(base *piece) (parts []*piece, odd []int) {
	for i := range p.sectors() {
		var from *piece
		if base.matches[i] {
			from = base
		}
		for k := range p.pieces {
			if from == nil && p.pieces[k].matches[i] {
				from = &p.pieces[k]
			}
		}
		if parts = append(parts, from); from == nil {
			odd = append(odd, i)
		}
	}
	return parts, odd
}

func (p *puzzle) allRight(parts []*piece) bool {
	for _, c := range parts {
		if !c.right {
			return false
		}
	}
	return true
}

// describe says which sectors are from where.
func (p *puzzle) describe(parts []*piece) string {
	var s []string
	for i := 0; i < len(parts); {
		from := i
		for i < len(parts) && parts[i] == parts[from] {
			i++
		}
		if len(s) == maxRuns {
			s = append(s, "and so on")
			break
		}
		s = append(s, fmt.Sprintf("bytes %d to %d are %s", from*sector, min(i*sector, len(p.have))-1, parts[from].name()))
	}
	return strings.Join(s, ", ")
}

// maxRuns bounds how many parts of a block are described.
const maxRuns = 6

func (c *piece) name() string {
	switch {
	case c == nil:
		return "of something older"
	case c.zero:
		return "zero"
	}
	return fmt.Sprintf("of generation %d", c.generation)
}

// flipped counts the bits that differ from a content.
func (p *puzzle) flipped(c *piece) int {
	n := 0
	for i := range p.have {
		n += bits.OnesCount8(p.have[i] ^ c.image[i])
	}
	return n
}

func (p *puzzle) flips(n int, m *Mismatch) string {
	if n > 1 {
		return fmt.Sprintf("%d bits are wrong", n)
	}
	x := p.have[m.At] ^ m.Want[m.At]
	return fmt.Sprintf("bit %d of byte %d is wrong", bits.TrailingZeros8(x), m.At)
}

// mixed says how a sector is made of two contents, if it is.
func (p *puzzle) mixed(i int) string {
	have := p.sector(p.have, i)
	for a := range p.pieces {
		n := common(have, p.sector(p.pieces[a].image, i))
		for b := range p.pieces {
			if n > 0 && a != b && bytes.Equal(have[n:], p.sector(p.pieces[b].image, i)[n:]) {
				return fmt.Sprintf("within a sector, at byte %d, it changes from what is %s to what is %s", i*sector+n, p.pieces[a].name(), p.pieces[b].name())
			}
		}
	}
	return ""
}

// common is how many bytes two sectors begin with alike.
func common(a, b []byte) int {
	n := 0
	for n < len(a) && a[n] == b[n] {
		n++
	}
	return n
}
