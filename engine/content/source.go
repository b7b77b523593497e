package content

import (
	"encoding/binary"
	"math/bits"

	"moonio/engine/dist"
)

// Source makes the contents of blocks.
type Source struct {
	spec Spec
	seed uint64
	step int    // a stamp stands in front of every so many bytes
	tape []byte // random data that buffers are primed with
	rand int    // of a chunk, how many bytes are random
	size int    // of a chunk
}

// defaultStep is how far the stamps of plain data are apart.
const defaultStep = 4096

// maxTape is after how many bytes random data that is not refilled comes again.
const maxTape = 4 << 20

// New compiles a description for blocks of up to largest bytes. Random data that is not
// refilled has a stamp every step bytes, by which blocks differ; 0 is defaultStep.
func New(spec Spec, seed uint64, largest int64, step int) (*Source, error) {
	if err := spec.Check(); err != nil {
		return nil, err
	}
	if step == 0 {
		step = defaultStep
	}
	s := &Source{spec: spec, seed: dist.Derive(seed, 0xc047e47), step: step}
	if spec.Kind != Random {
		return s, nil
	}
	s.size = int(spec.Chunk)
	if s.size == 0 {
		s.size = defaultChunk
	}
	s.rand = s.size
	if spec.Compress > 0 {
		s.rand = s.size * (100 - spec.Compress) / 100
		s.step = s.size
	}
	if !spec.Refill {
		s.tape = make([]byte, (min(largest, maxTape)+7)&^7)
		random(s.tape, s.seed)
	}
	return s, nil
}

// Prime puts into a buffer what all blocks have in common.
func (s *Source) Prime(b []byte) {
	switch s.spec.Kind {
	case Zero:
		clear(b)
	case Repeat:
		s.spec.Pattern.prime(b)
	default:
		for rest := b; len(rest) > 0 && len(s.tape) > 0; {
			rest = rest[copy(rest, s.tape):]
		}
		s.fixed(b)
	}
}

// fixed puts into every chunk what compresses of it.
func (s *Source) fixed(b []byte) {
	s.eachFixed(b, func(part []byte) {
		if s.spec.Pattern.Len() > 0 {
			s.spec.Pattern.prime(part)
		} else {
			clear(part)
		}
	})
}

// eachFixed calls f with the part of every chunk that compresses, if there is one.
func (s *Source) eachFixed(b []byte, f func(part []byte)) {
	for ; s.rand < s.size && len(b) > s.rand; b = b[min(s.size, len(b)):] {
		f(b[s.rand:min(s.size, len(b))])
	}
}

// Fill makes a primed buffer the block at off with that key.
func (s *Source) Fill(b []byte, off int64, key uint64) {
	switch {
	case s.spec.Kind == Zero:
	case s.spec.Kind == Repeat:
		s.spec.Pattern.place(b, off)
	case !s.spec.Refill:
		s.Stamp(b, s.Mask(key))
	case s.rand == s.size:
		random(b, s.seed^key)
	default:
		s.chunks(b, s.seed^key)
	}
	if s.rand < s.size && len(s.spec.Pattern.offsets) > 0 {
		s.eachFixed(b, func(part []byte) { s.spec.Pattern.place(part, off) })
	}
}

// Stamped says whether the block with a key is what Stamp makes with the key's Mask.
func (s *Source) Stamped() bool {
	return s.spec.Kind == Random && !s.spec.Refill && s.rand >= 8 && len(s.spec.Pattern.offsets) == 0
}

// Mask is by what the stamps of the block with that key differ from a primed buffer.
func (s *Source) Mask(key uint64) uint64 { return scramble(s.seed ^ key) }

// Stamp makes a primed buffer one whose every step begins with 8 bytes that differ from the primed
// ones by the mask. The mask is all in which it differs from another.
func (s *Source) Stamp(b []byte, mask uint64) {
	if s.rand < 8 {
		return // too little is random for a stamp
	}
	at := 0
	for ; len(b) >= 8; b = b[min(s.step, len(b)):] {
		word := mask
		if at+8 <= len(s.tape) {
			word ^= binary.LittleEndian.Uint64(s.tape[at:])
		}
		binary.LittleEndian.PutUint64(b, word)
		if at += s.step; at >= len(s.tape) {
			at %= len(s.tape)
		}
	}
}

// chunks makes the random part of every chunk.
func (s *Source) chunks(b []byte, key uint64) {
	for ; len(b) > 0; b = b[min(s.size, len(b)):] {
		random(b[:min(s.rand, len(b))], key)
		key += golden * uint64(s.size)
	}
}

// Make is Prime and Fill.
func (s *Source) Make(b []byte, off int64, key uint64) {
	s.Prime(b)
	s.Fill(b, off, key)
}

const golden = 0x9e3779b97f4a7c15 // 2^64 over the golden ratio

// scramble is a number that says nothing of x to whoever compresses it.
func scramble(x uint64) uint64 {
	hi, lo := bits.Mul64(x, x^0xa0761d6478bd642f)
	return hi ^ lo
}

// random fills b with data that does not compress. Four words are made at a time: they
// do not wait for one another.
func random(b []byte, key uint64) {
	for ; len(b) >= 32; b = b[32:] {
		k1, k2, k3 := key+golden, key+golden2, key+golden3
		binary.LittleEndian.PutUint64(b, scramble(key))
		binary.LittleEndian.PutUint64(b[8:], scramble(k1))
		binary.LittleEndian.PutUint64(b[16:], scramble(k2))
		binary.LittleEndian.PutUint64(b[24:], scramble(k3))
		key += golden4
	}
	for ; len(b) > 0; key += golden {
		var le [8]byte
		binary.LittleEndian.PutUint64(le[:], scramble(key))
		b = b[copy(b, le[:]):]
	}
}

// Multiples of golden, modulo 2^64.
const (
	golden2 = golden << 1 & (1<<64 - 1)
	golden3 = golden * 3 & (1<<64 - 1)
	golden4 = golden << 2 & (1<<64 - 1)
)
