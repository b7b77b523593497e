package verify

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
)

// flippedMost is how many wrong bits are still called flipped ones.
const flippedMost = 8

// marked says whether a block has, but for a few bits, the mark of a header.
func marked(b []byte) bool {
	return bits.OnesCount64(binary.LittleEndian.Uint64(b)^magic) <= flippedMost
}

// explain says what is wrong with a block that is not whole.
func (f *File) explain(b []byte, unit int64, low, high uint32) Mismatch {
	m := Mismatch{File: f.Name, Block: unit, Offset: unit * f.Interval}
	if f.Method == Pattern {
		f.explainPattern(&m, b)
		return m
	}
	h, ok := parse(b)
	switch {
	case ok && int(h.length) == len(b) && h.method.matches(b):
		f.misplaced(&m, b, h, low, high)
	case !ok && f.repaired(&m, b):
	default:
		f.damaged(&m, b, h, ok, low, high)
	}
	return m
}

// misplaced explains a block that is whole, and not the one that it must be.
func (f *File) misplaced(m *Mismatch, b []byte, h header, low, high uint32) {
	want := make([]byte, len(b))
	f.source.Prime(want)
	f.build(want, m.Block, high, h.sequence)
	m.compare(want, b)
	switch {
	case h.seed != f.seed:
		m.Kind, m.Detail = Other, fmt.Sprintf("it is the block at offset %d of another file, or of a run with another seed", h.offset)
		if name := f.whose(h.seed); name != "" {
			m.Kind, m.Detail = Swapped, fmt.Sprintf("it is the block at offset %d of %q", h.offset, name)
		}
		m.show(atSeed, want, b)
	case h.offset != m.Offset:
		m.Kind, m.Detail = Swapped, fmt.Sprintf("it is the block at offset %d, generation %d", h.offset, h.generation)
		m.show(atOffset, want, b)
	case int32(h.generation-low) < 0:
		m.Kind, m.Detail = Stale, fmt.Sprintf("it is generation %d, and %s", h.generation, f.due(low, high))
		m.show(atGeneration, want, b)
	default:
		m.Kind, m.Detail = Other, fmt.Sprintf("it is generation %d, and only %d were written", h.generation, high)
		m.show(atGeneration, want, b)
	}
}

// due says which generations would be right.
func (f *File) due(low, high uint32) string {
	s := fmt.Sprintf("generation %d was written", low)
	if low != high {
		s = fmt.Sprintf("generations %d to %d were written last", low, high)
	}
	if f.State == nil {
		return s
	}
	switch {
	case f.State.powerCut:
		return s + " and acknowledged as durable before the machine went down"
	case f.State.crashed:
		return s + " and acknowledged before the program died"
	}
	return s
}

func (f *File) whose(seed uint64) string {
	if f.Whose == nil {
		return ""
	}
	return f.Whose(seed)
}

// repaired says whether a single bit of the header is what is wrong with the block.
func (f *File) repaired(m *Mismatch, b []byte) bool {
	c := append([]byte(nil), b...)
	for i := range min(len(c), atSum+64) * 8 {
		c[i/8] ^= 1 << (i % 8)
		if h, ok := parse(c); ok && h.method.matches(c) {
			m.compare(c, b)
			m.Kind, m.Detail = Flipped, fmt.Sprintf("bit %d of byte %d is wrong, in the header", i%8, i/8)
			return true
		}
		c[i/8] ^= 1 << (i % 8)
	}
	return false
}

// A search tries more generations than can be right: what is left of a torn write is older.
const (
	triedRight = 16
	triedOld   = 16
)

// damaged explains a block of which at least a part is wrong.
func (f *File) damaged(m *Mismatch, b []byte, h header, ok bool, low, high uint32) {
	p := newPuzzle(b)
	tried := map[uint32]bool{}
	try := func(g uint32) {
		if g == 0 || tried[g] {
			return
		}
		tried[g] = true
		img := make([]byte, len(b))
		f.source.Prime(img)
		f.build(img, m.Block, g, h.sequence)
		p.try(piece{generation: g, right: g-low <= high-low}, img)
	}
	if ok || h.seed == f.seed || h.offset == m.Offset {
		try(h.generation)
	}
	if high-low < 1<<31 {
		for g := range uint32(min(triedRight, int64(high-low)+1)) {
			try(high - g)
		}
	}
	for g := uint32(1); g <= triedOld && g < low; g++ {
		try(low - g)
	}
	p.try(piece{zero: true}, make([]byte, len(b)))
	p.solve(m)
}

// explainPattern explains a block without a header.
func (f *File) explainPattern(m *Mismatch, b []byte) {
	want := make([]byte, len(b))
	f.source.Make(want, m.Offset, 0)
	if off, ok := f.Data.Pattern.Offset(b); ok && off != m.Offset {
		img := make([]byte, len(b))
		f.source.Make(img, off, 0)
		if bytes.Equal(img, b) {
			m.compare(want, b)
			m.Kind, m.Detail = Swapped, fmt.Sprintf("it is the block at offset %d", off)
			return
		}
	}
	p := newPuzzle(b)
	p.try(piece{generation: 1, right: true}, want)
	p.try(piece{zero: true}, make([]byte, len(b)))
	p.solve(m)
	m.pardoned = false
}
