// Package trace is what a captured workload is to everything that reads,
// profiles, plays or writes one: a stream of records in the order of their
// times.
//
// A [Reader] decodes one format, in memory that does not grow with the trace. The
// formats are in packages beneath this one; engine/trace/format knows them all and opens
// files. What a reader meets besides records (lines that it cannot parse, calls that
// are no I/O, events that were lost) it tells its [Log].
package trace

import (
	"errors"
	"math"

	"moonio/engine"
)

// Record is one operation of a captured workload.
type Record struct {
	Time    int64 // when it was issued, in nanoseconds on the trace's own clock
	Offset  int64 // in bytes; AtEnd: at the end of the file, wherever that is
	Length  int64 // in bytes; 0 where the operation has none
	Latency int64 // from issue to completion, in nanoseconds; Unknown if it was not captured
	File    ID    // what it went to, of the Log's Files: a file, device or volume
	Stream  ID    // who issued it, of the Log's Streams: a process, thread or host
	Op      engine.OpCode
	Flags   Flags
}

// Special values.
const (
	AtEnd   = -1 // as an Offset
	Unknown = -1 // as a Latency
)

// Flags say more of how an operation was issued.
type Flags uint8

// A write with Preflush is a flush, then the write; one with FUA is durable when
// it completes.
const (
	Preflush Flags = 1 << iota
	FUA
	Sync // somebody waited for it
	Meta
	Readahead
	Direct   // it went past the page cache: the file was open with O_DIRECT
	Buffered // it went through the page cache; of what a device did neither is set
)

// ID is the number of a name: they count from 0 in the order of first use.
type ID uint32

// Fits says whether a range is one that a file can have: neither is negative, and the
// end is not beyond the largest offset. AtEnd fits with any length.
func Fits(offset, length int64) bool {
	return length >= 0 && (offset == AtEnd || offset >= 0 && offset <= math.MaxInt64-length)
}

// ErrTruncated is what a Reader's last error wraps where an input ends before its
// format says that it may, or cannot be decompressed further. The records before it are good.
var ErrTruncated = errors.New("the trace is cut off")

// Reader gives a trace's records, one after another.
//
// Read fills r and returns nil, or io.EOF after the last record. Any other error is
// final: the input cannot be read on. Times never go back by more than the format's own
// disorder, which readers mend as far as a bounded window allows; the rest the
// Log counts. Not safe for concurrent use.
type Reader interface {
	Read(r *Record) error
}

// Writer takes records in the order of their times. Close writes what is left, and
// closes nothing beneath.
type Writer interface {
	Write(r *Record) error
	Close() error
}
