package replay

import (
	"math"
	"math/bits"

	"moonio/engine"
)

// Target is where the records of one of the trace's files go.
type Target struct {
	Index int   // of the target, for the steps; below 0: nowhere, what goes there is left out
	Base  int64 // where its part of the target begins, in bytes; a multiple of Block
	Size  int64 // of its part
	Align int64 // what offsets and lengths must be multiples of; 0 or 1: nothing
}

// piece is a range in a target.
type piece struct{ off, n int64 }

// place is a target as records are mapped into it.
type place struct {
	Target
	address Address
	align   Alignment
	end     int64 // how far the trace reaches in its file
	chunks  *chunks
}

// Reasons why a record is left out.
const (
	whyBeyond    = "beyond the target's end"
	whyUnaligned = "not aligned"
	whyUnmapped  = "trims what nothing reads or writes"
	whyNowhere   = "its file is left out"
	whyResized   = "changes the size of a file whose addresses are mapped"
)

// maxTrim is how many chunks a trim is followed through.
const maxTrim = 1 << 16

// put maps a range into the target, as one piece or several. extra is how many bytes
// alignment has added.
func (p *place) put(code engine.OpCode, off, n int64, out []piece) (pieces []piece, extra int64, why string) {
	if !code.Transfers() {
		pieces, why = p.trim(off, n, out)
		return pieces, 0, why
	}
	if p.Align <= 1 || off%p.Align == 0 && n%p.Align == 0 {
		pieces, why = p.move(off, n, out)
		return pieces, 0, why
	}
	var parts [3]piece
	ends := p.aligned(off, n, parts[:0])
	if len(ends) == 0 {
		return out, 0, whyUnaligned
	}
	extra = -n
	for _, e := range ends {
		extra += e.n
		if out, why = p.move(e.off, e.n, out); why != "" {
			return out, 0, why
		}
	}
	return out, extra, ""
}

// aligned is what becomes of a range that is not aligned.
func (p *place) aligned(off, n int64, out []piece) []piece {
	a := p.Align
	down, up := off/a*a, upTo(off+n, a)
	if p.align == Drop || up < off+n { // no whole block is left at the end of what can be
		return out
	}
	switch p.align {
	case Nearest:
		start, length := (min(off, math.MaxInt64-a)+a/2)/a*a, max((n+a/2)/a*a, a)
		return append(out, piece{min(start, (math.MaxInt64-length)/a*a), length})
	case Split:
		if first := down + a; down < off && first < up {
			out, down = append(out, piece{down, a}), first
		}
		if last := up - a; off+n < up && last > down {
			return append(out, piece{down, last - down}, piece{last, a})
		}
	}
	return append(out, piece{down, up - down})
}

// move maps an aligned range.
func (p *place) move(off, n int64, out []piece) ([]piece, string) {
	switch p.address {
	case Wrap:
		return p.wrap(off, n, out), ""
	case Scale:
		return p.fit(p.scaled(off), n, out), ""
	case Compact:
		return p.compact(off, n, out)
	case Clamp:
		return p.fit(off, n, out), ""
	}
	if off+n > p.Size {
		return out, whyBeyond
	}
	return append(out, piece{p.Base + off, n}), ""
}

// upTo is n, or the next multiple of a if there is one that an int64 holds, or else the last.
func upTo(n, a int64) int64 {
	if n > math.MaxInt64-a {
		return math.MaxInt64 / a * a
	}
	return (n + a - 1) / a * a
}

func (p *place) wrap(off, n int64, out []piece) []piece {
	for off %= p.Size; n > 0; off = 0 {
		k := min(n, p.Size-off)
		out = append(out, piece{p.Base + off, k})
		n -= k
	}
	return out
}

// fit moves a range back by whole blocks until it lies within the target. What is larger than
// that goes over it as often as need be.
func (p *place) fit(off, n int64, out []piece) []piece {
	for ; n > p.Size; n -= p.Size {
		out = append(out, piece{p.Base, p.Size})
	}
	if over := off + n - p.Size; over > 0 {
		off -= (over + Block - 1) / Block * Block
		if off < 0 {
			off = 0
		}
	}
	return append(out, piece{p.Base + off, n})
}

// scaled is an offset in proportion to the target's size, by whole blocks.
func (p *place) scaled(off int64) int64 {
	from, to := uint64(max(upTo(p.end, Block)/Block, 1)), uint64(p.Size/Block)
	hi, lo := bits.Mul64(uint64(off/Block), to)
	q, _ := bits.Div64(hi%from, lo, from)
	return int64(q)*Block + off%Block
}

// compact follows a range through the chunks that it lies in.
func (p *place) compact(off, n int64, out []piece) ([]piece, string) {
	first := len(out)
	for n > 0 {
		to, left, ok := p.chunks.find(off)
		if !ok || to+min(n, left) > p.Size {
			return out[:first], whyBeyond
		}
		k := min(n, left)
		if last := len(out) - 1; last >= first && out[last].off+out[last].n == p.Base+to {
			out[last].n += k
		} else {
			out = append(out, piece{p.Base + to, k})
		}
		off, n = off+k, n-k
	}
	return out, ""
}

// trim maps a range that is trimmed or allocated: no further than the target has
// what is read or written.
func (p *place) trim(off, n int64, out []piece) ([]piece, string) {
	if p.address == Compact {
		return p.trimCompact(off, n, out)
	}
	if p.address == Wrap || p.address == Scale || p.address == Clamp {
		if n > p.Size {
			n = p.Size
		}
		return p.move(off, n, out)
	}
	if off >= p.Size {
		return out, whyUnmapped
	}
	return append(out, piece{p.Base + off, min(n, p.Size-off)}), ""
}

func (p *place) trimCompact(off, n int64, out []piece) ([]piece, string) {
	if n/p.chunks.unit > maxTrim {
		return out, "trims more than can be followed through the moved extents"
	}
	first := len(out)
	for n > 0 {
		to, left, ok := p.chunks.find(off)
		k := min(n, left)
		last := len(out) - 1
		switch {
		case !ok || to+k > p.Size:
		case last >= first && out[last].off+out[last].n == p.Base+to:
			out[last].n += k
		default:
			out = append(out, piece{p.Base + to, k})
		}
		off, n = off+k, n-k
	}
	if len(out) == first {
		return out, whyUnmapped
	}
	return out, ""
}
