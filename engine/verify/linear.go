package verify

import (
	"encoding/binary"
	"hash/crc64"
)

// linear computes the checksums of blocks that differ in their stamps alone. A cyclic redundancy
// check is linear: what one more bit of the mask changes in it is the same for all blocks. So a
// write is not hashed but looked up; a read is hashed.
type linear struct {
	base uint64 // of the block with mask 0
	tab  [8][256]uint64
}

// longestLinear bounds how long the tables take to make.
const longestLinear = 1 << 20

// newLinear makes the tables; nil where checksums are not linear, or contents differ in more.
func (f *File) newLinear() *linear {
	if m := f.Method; m != CRC32C && m != CRC32 && m != CRC64 && m != CRC16 && m != CRC7 || !f.source.Stamped() || f.Interval > longestLinear {
		return nil
	}
	b := make([]byte, f.Interval)
	f.source.Prime(b)
	sum := func(mask uint64) uint64 {
		var s [crc64.Size]byte
		f.source.Stamp(b, mask)
		f.Method.sum(s[:], b[f.size:])
		return binary.LittleEndian.Uint64(s[:])
	}
	l := &linear{base: sum(0)}
	for bit := range 64 {
		l.tab[bit/8][1<<(bit%8)] = sum(1<<bit) ^ l.base
	}
	for i := range l.tab {
		t := &l.tab[i]
		for v := range t {
			t[v] = t[v&-v] ^ t[v&(v-1)]
		}
	}
	return l
}

// sum is the checksum of the block with that mask.
func (l *linear) sum(mask uint64) uint64 {
	s := l.base
	for i := range l.tab {
		s ^= l.tab[i][byte(mask>>(8*i))]
	}
	return s
}
