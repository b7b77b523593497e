// Package blk makes records of the events of Linux' block layer, whichever tool wrote them
// down: one for each I/O that was queued (Q), or for each request that was issued to its device
// (D), with its latency where a completion (C) was captured as well.
package blk

import (
	"math"

	"moonio/engine"
	"moonio/engine/trace"
)

// SectorSize is the block layer's unit of addresses, whatever the device's blocks are.
const SectorSize = 512

// NoSector is the address of a flush that has none.
const NoSector = math.MaxUint64

// Kind is what an I/O does.
type Kind uint8

// Zone commands, commands that pass through and drivers' data are Others.
const (
	None Kind = iota // neither data nor a flush
	Read
	Write
	Discard
	Flush // without data
	Other
)

// Event is one event. Sectors and bytes are 0 where it has none.
type Event struct {
	Time   int64 // in ns
	Sector uint64
	Bytes  uint32
	Action byte // as blkparse prints it: 'Q', 'D', 'C', 'X', …
	Kind   Kind
	Flags  trace.Flags
	Device uint32 // major<<20 | minor
	Split  uint64 // X: where the second part begins
	File   trace.ID
	Stream trace.ID
}

// Device is a device's number as it is in events.
func Device(major, minor uint32) uint32 { return major<<20 | minor }

// op is the operation of an event's kind.
func (e *Event) op() engine.OpCode {
	switch e.Kind {
	case Read:
		return engine.Read
	case Write:
		return engine.Write
	case Discard:
		return engine.Trim
	case Flush:
		return engine.Fsync
	}
	return engine.Nop
}

// Wrong says why an event cannot become a record, or "".
func (e *Event) Wrong() string {
	if e.Kind != Flush && e.Sector > (math.MaxInt64-math.MaxUint32)/SectorSize {
		return "the sector is beyond what a device can have"
	}
	return ""
}

// ParseRWBS takes apart what blkparse and the kernel's trace points print of an I/O's kind:
// [F]{R|W|D|N|F}, then F for FUA, A for read-ahead, S for synchronous, M for metadata. bytes tells a
// flush from a write that flushes.
func ParseRWBS(s []byte, bytes uint32) (kind Kind, flags trace.Flags, ok bool) {
	if len(s) == 0 {
		return None, 0, false
	}
	if s[0] == 'F' {
		flags, s = trace.Preflush, s[1:]
	}
	if len(s) == 0 {
		return Flush, 0, true
	}
	switch s[0] {
	case 'R':
		kind = Read
	case 'W':
		kind = Write
	case 'D':
		kind = Discard
	case 'N', 'F':
		kind = None
	case 'Z':
		return Other, 0, true
	default:
		return None, 0, false
	}
	for _, c := range s[1:] {
		switch c {
		case 'F':
			flags |= trace.FUA
		case 'A':
			flags |= trace.Readahead
		case 'S':
			flags |= trace.Sync
		case 'M':
			flags |= trace.Meta
		case 'B': // a barrier, of old kernels
			flags |= trace.Preflush | trace.FUA
		case 'E', 'U': // secure erase, atomic write
		default:
			return None, 0, false
		}
	}
	if s[0] == 'F' {
		flags |= trace.Preflush
	}
	return Settle(kind, flags, bytes)
}

// Settle tells what has no data from what has: a flush that carries none is only a flush.
func Settle(kind Kind, flags trace.Flags, bytes uint32) (Kind, trace.Flags, bool) {
	if bytes == 0 && kind != Other {
		if flags&trace.Preflush != 0 {
			return Flush, flags &^ (trace.Preflush | trace.FUA), true
		}
		return None, flags, true
	}
	return kind, flags, true
}
