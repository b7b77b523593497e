// Package native reads and writes moonio's own trace format. It holds all that a record says, in about
// a dozen bytes, and is read and written as a stream.
//
// A file is the magic, then blocks. A block is, little endian, the length of its payload (u32), the
// CRC-32C of that (u32), and the payload, whose first byte is its kind: records, or the end. The end
// says how many records there are, so that a file that was cut off is noticed.
//
// A record is a tag, and what the tag does not say to be as it was in the record before. Numbers are
// varints, and differences from what they probably are:
//
//	tag      the operation in bits 0 to 4; bits 5, 6, 7: the file, the stream, the flags are as before
//	flags    one byte; bit 7 says that the offset is the file's end
//	file     its number; the next that is free is new, and followed by the name's length and the name
//	stream   likewise
//	time     ns since the record before, signed
//	offset   bytes from where the file's record before ended, signed; absent where it is the file's end
//	length   minus that of the operation's record before, signed
//	latency  in ns, plus 1; 0 if unknown
package native

import (
	"bytes"
	"hash/crc32"

	"moonio/engine"
	"moonio/engine/trace"
)

// Format is moonio's own.
var Format = &trace.Format{
	Name: "moonio",
	Help: "moonio's own, from --record and moonio trace convert",
	Sniff: func(head []byte) int {
		if bytes.HasPrefix(head, []byte(magic)) {
			return 100
		}
		return 0
	},
	Open:   open,
	Create: NewWriter,
}

// magic is followed by the version in one byte.
const (
	magic   = "moonio trace\n\x1a\x00"
	version = 1
)

// Kinds of blocks.
const (
	kindRecords = 1
	kindEnd     = 2
)

// Bits of a tag, and of the flags.
const (
	opMask     = 1<<5 - 1
	sameFile   = 1 << 5
	sameStream = 1 << 6
	sameFlags  = 1 << 7

	atEnd = 1 << 7
)

// Sizes in bytes. A block is written once it is blockSize long; a record adds maxRecord at the most.
const (
	blockHeader = 8
	blockSize   = 64 << 10
	maxName     = 16 << 10
	maxRecord   = 2*maxName + 128
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// state is what records are written in relation to.
type state struct {
	time    int64
	file    trace.ID
	stream  trace.ID
	flags   byte
	lengths [engine.NumOpCodes]int64
	ends    []int64 // by the file's number here
}

// zigzag makes small numbers of small differences of either sign.
func zigzag(n int64) uint64 { return uint64(n<<1) ^ uint64(n>>63) }

func unzigzag(n uint64) int64 { return int64(n>>1) ^ -int64(n&1) }
