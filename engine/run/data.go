package run

import (
	"encoding/binary"

	"moonio/engine/dist"
)

// stampBlocks puts a number of its own into every 4 KiB of b, counting on from
// n, so that nothing beneath can store two blocks as one. It returns the last number.
func stampBlocks(b []byte, n uint64) uint64 {
	for ; len(b) >= 8; b = b[min(4096, len(b)):] {
		n++
		binary.LittleEndian.PutUint64(b, n*0x9e3779b97f4a7c15)
	}
	return n
}

// fillRandom makes b incompressible.
func fillRandom(b []byte, r *dist.Rand) {
	for ; len(b) >= 8; b = b[8:] {
		binary.LittleEndian.PutUint64(b, r.Uint64())
	}
}
