package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"moonio/engine"
	"moonio/engine/internal/heap"
	"moonio/engine/trace"
)

// Survey is what one reading of a trace says about playing it. Counts are of one
// pass through the window.
type Survey struct {
	Records int64                    // in the window, whether they can be played or not
	Counts  [engine.NumOpCodes]int64 // of them, by operation
	Bytes   [engine.NumOpCodes]int64 // by operation
	Flushes int64                    // that writes carry with them
	Span    int64                    // from the first record to the last, in ns; idle time cut, not scaled
	Files   []File                   // by the trace's numbers of files
	Streams int
	Longest int64 // of the transfers, in bytes

	// What is known if completions were captured.
	Latencies int64   // records that have one
	Depth     float64 // mean in flight
	MostDepth int

	Log *trace.Log

	numbered int   // chunks of all files
	trims    int64 // bytes of the chunks that only trims touch
}

// File is one of the files, devices or volumes that a trace is of.
type File struct {
	Name    string
	Records int64
	End     int64 // of what is read and written at a known place, in bytes
	Reach   int64 // likewise, and of the trims that have a place in targets
	Touched int64 // bytes of the chunks that are touched: what Compact needs
	Grows   int64 // bytes appended at an unknown end
	Writes  bool

	// Transfers that are known to have gone past the page cache, and through it.
	Direct, Buffered int64

	Unaligned512, Unaligned4K int64 // transfers whose offset or length is no multiple of that

	chunks  *chunks
	trimmed int64 // where what is trimmed ends
	calls   bool  // the trace says of some files how they were used
}

// Cached says whether the file was used through the page cache. A device was not; of a file that nothing
// was transferred to it is taken to be so.
func (f *File) Cached() bool { return f.Buffered > f.Direct || f.calls && f.Direct == 0 }

// longest is the most that one record may transfer, in bytes.
const longest = 1 << 30

// maxFiles bounds for how many files chunks are kept.
const maxFiles = 1 << 16

// Look reads the trace once.
func Look(ctx context.Context, open Opener, o *Options) (*Survey, error) {
	t, err := open()
	if err != nil {
		return nil, err
	}
	defer t.Close()
	s := &Survey{Log: t.Log}
	w := window{trace: t, o: o}
	var r trace.Record
	var now inFlight
	for {
		err := w.read(&r)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if err := s.add(&r, o); err != nil {
			return nil, err
		}
		s.MostDepth = max(s.MostDepth, now.add(&r))
		if s.Records%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	s.finish(&w, now.total)
	return s, nil
}

func (s *Survey) add(r *trace.Record, o *Options) error {
	s.Records++
	s.Counts[r.Op]++
	s.Bytes[r.Op] = Sum(s.Bytes[r.Op], r.Length)
	if r.Flags&trace.Preflush != 0 && r.Op != engine.Fsync && r.Op != engine.Fdatasync {
		s.Flushes++
	}
	s.Streams = max(s.Streams, int(r.Stream)+1)
	for int(r.File) >= len(s.Files) {
		if len(s.Files) == maxFiles {
			return fmt.Errorf("the trace is of more than %d files or devices: choose some of them, with map or with moonio trace convert --device", maxFiles)
		}
		s.Files = append(s.Files, File{chunks: newChunks(o.chunk())})
	}
	f := &s.Files[r.File]
	f.Records++
	if r.Latency >= 0 {
		s.Latencies++
	}
	if unplayable(r) != "" {
		return nil
	}
	if r.Op == engine.Trim {
		s.trim(f, r)
	}
	if !r.Op.Transfers() {
		return nil
	}
	s.Longest = max(s.Longest, r.Length)
	f.alignment(r)
	f.Writes = f.Writes || r.Op != engine.Read
	switch {
	case r.Flags&trace.Direct != 0:
		f.Direct++
	case r.Flags&trace.Buffered != 0:
		f.Buffered++
	}
	if r.Offset == trace.AtEnd {
		f.Grows = Sum(f.Grows, r.Length)
		return nil
	}
	f.End = max(f.End, r.Offset+r.Length)
	s.touch(f, r)
	return nil
}

// Sum is a and b together, or the most that an int64 holds: garbage can be of any length.
func Sum(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// touch numbers the chunks of a record. When there are too many, those of all files become larger.
func (s *Survey) touch(f *File, r *trace.Record) {
	before := len(f.chunks.index)
	for !f.chunks.touch(r.Offset, r.Length, maxChunks-s.numbered+before) {
		s.numbered = 0
		for i := range s.Files {
			s.Files[i].chunks.widen()
			s.numbered += len(s.Files[i].chunks.index)
		}
		before = len(f.chunks.index)
	}
	s.numbered += len(f.chunks.index) - before
}

// mostTrimmed is how much space targets are given, in bytes, for what is only trimmed: it must be there to
// be trimmed, and a trim of all free space must not make them as large as what it was captured on.
const mostTrimmed = 64 << 20

// trim makes space for what is trimmed.
func (s *Survey) trim(f *File, r *trace.Record) {
	if r.Length > mostTrimmed-s.trims {
		return
	}
	before := f.chunks.size()
	s.touch(f, r)
	s.trims += max(f.chunks.size()-before, 0)
	f.trimmed = max(f.trimmed, r.Offset+r.Length)
}

func (f *File) alignment(r *trace.Record) {
	at := r.Length
	if r.Offset != trace.AtEnd {
		at |= r.Offset
	}
	if at%512 != 0 {
		f.Unaligned512++
	}
	if at%Block != 0 {
		f.Unaligned4K++
	}
}

func (s *Survey) finish(w *window, latency int64) {
	s.Span = w.out
	if s.Latencies > 0 && s.Span > 0 {
		s.Depth = float64(latency) / float64(s.Span)
	}
	names, calls := &s.Log.Files, false
	for i := range s.Files {
		calls = calls || s.Files[i].Direct+s.Files[i].Buffered > 0
	}
	for i := range s.Files {
		f := &s.Files[i]
		f.calls = calls
		if i < names.Len() {
			f.Name = names.Name(trace.ID(i))
		}
		f.Touched = f.chunks.size()
		f.Reach = max(f.End, f.trimmed)
		if f.trimmed-f.End <= mostTrimmed {
			f.End = f.Reach
		}
	}
}

// unplayable is why a record cannot be played whatever the target is; "" if it can.
func unplayable(r *trace.Record) string {
	switch r.Op {
	case engine.Read, engine.Write, engine.Append:
		switch {
		case r.Length == 0:
			return "transfers nothing"
		case r.Length > longest:
			return "longer than 1 GiB"
		case r.Op == engine.Read && r.Offset == trace.AtEnd:
			return "reads at no known place"
		}
	case engine.Trim, engine.Allocate:
		if r.Length == 0 || r.Offset == trace.AtEnd {
			return "covers nothing"
		}
	case engine.Fsync, engine.Fdatasync, engine.SyncRange, engine.Truncate:
	default:
		return r.Op.String() + " is not played"
	}
	return ""
}

// inFlight counts the operations that were in flight when each was issued.
type inFlight struct {
	ends  heap.Heap[ending]
	total int64 // of the latencies
}

// mostInFlight bounds how many are counted.
const mostInFlight = 1 << 20

// add takes a record and says how many are in flight with it.
func (f *inFlight) add(r *trace.Record) int {
	for len(f.ends) > 0 && int64(f.ends[0]) <= r.Time {
		f.ends.Pop()
	}
	if r.Latency < 0 || len(f.ends) == mostInFlight {
		return len(f.ends)
	}
	f.total += r.Latency
	f.ends.Push(ending(r.Time + r.Latency))
	return len(f.ends)
}

// ending is when an operation completes.
type ending int64

func (a ending) Before(b ending) bool { return a < b }
