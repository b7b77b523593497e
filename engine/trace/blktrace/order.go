package blktrace

import (
	"encoding/binary"
	"math/bits"
)

// order is the byte order of a file: that of the machine on which it was captured.
type order bool

const (
	little order = false
	big    order = true
)

// orderOf is the order in which a file begins with an event.
func orderOf(head []byte) (o order, ok bool) {
	if len(head) < 4 {
		return little, false
	}
	for _, o := range []order{little, big} {
		if o.u32(head)&^0xff == magic {
			return o, true
		}
	}
	return little, false
}

func (o order) u16(b []byte) uint16 {
	v := binary.LittleEndian.Uint16(b)
	if o == big {
		v = bits.ReverseBytes16(v)
	}
	return v
}

func (o order) u32(b []byte) uint32 {
	v := binary.LittleEndian.Uint32(b)
	if o == big {
		v = bits.ReverseBytes32(v)
	}
	return v
}

func (o order) u64(b []byte) uint64 {
	v := binary.LittleEndian.Uint64(b)
	if o == big {
		v = bits.ReverseBytes64(v)
	}
	return v
}
