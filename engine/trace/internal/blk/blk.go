// Package blk makes records of the events of Linux' block layer, whichever tool wrote them
// down: one for each I/O that was queued (Q), or for each request that was issued to its device
// (D), with its latency where a completion (C) was captured as well.
package blk

import (
	"math"

	"moonio/engine"
	"moonio/engine/trace"
	"moonio/engine/trace/internal/scan"
)

// SectorSize is the block layer's unit of addresses, whatever the device's blocks are.
const SectorSize = 512

// noSector is the address of a flush that has none.
const noSector = math.MaxUint64

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

// deviceNumber is a device's number as it is in events.
func deviceNumber(major, minor uint32) uint32 { return major<<20 | minor }

// Op is the operation of a kind, or Nop.
func (k Kind) Op() engine.OpCode {
	switch k {
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

// ParseRWBS takes apart what blkparse prints of an I/O's kind, as scan.RWBS does; it knows zone commands (Z)
// and what has no data (N) besides.
func ParseRWBS(s []byte, bytes uint32) (kind Kind, flags trace.Flags, ok bool) {
	op, flags, ok := scan.RWBS(s, int64(sectors(bytes)))
	if !ok {
		if len(s) == 0 {
			return None, 0, false
		}
		kind, ok = map[byte]Kind{'N': None, 'Z': Other}[s[0]]
		return kind, 0, ok
	}
	switch op {
	case engine.Read:
		kind = Read
	case engine.Write:
		kind = Write
	case engine.Trim:
		kind = Discard
	case engine.Fsync:
		return Flush, flags, true
	}
	kind, flags = Settle(kind, flags, bytes)
	return kind, flags, true
}

// Settle tells what has no data from what has: a flush that carries none is only a flush.
func Settle(kind Kind, flags trace.Flags, bytes uint32) (Kind, trace.Flags) {
	switch {
	case bytes > 0 || kind == Other:
		return kind, flags
	case flags&trace.Preflush != 0:
		return Flush, flags &^ (trace.Preflush | trace.FUA)
	}
	return None, flags
}
