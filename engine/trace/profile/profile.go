// Package profile says what a captured workload is: how much, how fast, how large, where,
// in which order, and again how soon.
//
// A [Profile] takes a trace's records one after another and keeps a few tens of megabytes
// however many there are. What it counts is exact as long as it fits into its tables, and an
// estimate that says so afterwards. An I/O is a read or a write; trims, flushes and
// the rest are counted apart and have no part in sizes, places and arrivals. Not safe for
// concurrent use.
package profile

import (
	"math"

	"moonio/engine"
	"moonio/engine/hist"
	"moonio/engine/trace"
)

// Profile is a profile being made.
type Profile struct {
	ops      [engine.NumOpCodes]int64
	preflush int64 // writes that begin with a flush
	fua      int64
	trimmed  int64 // bytes
	odd      int64 // records whose place or length no storage has
	long     int64 // I/Os of which only the beginning is in the footprint
	walked   int64 // bytes of huge I/Os that are in it

	first, last int64 // times of records
	any         bool
	maxEnd      int64

	dirs     [2]direction // reads, writes
	arrivals arrivals
	places   places
	moves    moves
	flushes  flushes
	flying   flying
	files    parties
	streams  parties
}

// The directions of an I/O, as indices; trims are a third where kinds are told apart.
const (
	reading = iota
	writing
	trimming
)

// direction is what is counted of reads, or of writes.
type direction struct {
	ios, bytes int64
	sizes      sizes
	unaligned  [2]int64 // at 512 bytes and at 4 KiB
	continues  int64    // begin where another of the stream, or of the file, ended
}

// New returns an empty profile.
func New() *Profile {
	p := &Profile{}
	p.places.init()
	p.moves.init()
	return p
}

// Bounds of what is believed of a record.
const (
	farthest = int64(1) << 60 // no storage reaches beyond
	largest  = int64(1) << 44 // no operation is longer
	longest  = int64(1) << 30 // of an I/O, for the footprint: what lies behind is left out
	huge     = int64(1) << 26 // I/Os that are longer are rare; garbage can have nothing else, and takes long
	patience = int64(1) << 38 // so after so many bytes of them
	brief    = int64(1) << 20 // only this much of each is in the footprint
)

// walk is how much of an I/O is in the footprint.
func (p *Profile) walk(length int64) int64 {
	if length <= huge {
		return length
	}
	most := longest
	if p.walked > patience {
		most = brief
	}
	if length > most {
		p.long++
	}
	length = min(length, most)
	p.walked += length
	return length
}

// Add takes one more record. Its time should not go back; if it does, it counts as the latest so far.
func (p *Profile) Add(r *trace.Record) {
	if r.Op >= engine.NumOpCodes || r.Offset < trace.AtEnd || r.Offset > farthest || r.Length < 0 || r.Length > largest {
		p.odd++
		return
	}
	now := p.clock(r.Time)
	p.ops[r.Op]++
	f, s := p.files.of(r.File), p.streams.of(r.Stream)
	switch r.Op {
	case engine.Read:
		p.io(r, now, reading, f, s)
	case engine.Write, engine.Append:
		p.write(r, now, f, s)
	case engine.Fsync, engine.Fdatasync:
		p.flushes.flush(f, s)
		if r.Latency >= 0 {
			p.flying.flush.Record(min(r.Latency, hist.Highest))
		}
	default:
		f.other++
		s.other++
		if r.Op == engine.Truncate {
			f.size = r.Length
		}
		if r.Op == engine.Trim && r.Offset != trace.AtEnd {
			p.trimmed += r.Length
			p.files.tell(f)
			f.trim(r.Offset, r.Length)
		}
	}
}

// clock is a record's time, or the latest so far if it went back; none is further from the first than a
// difference can be.
func (p *Profile) clock(t int64) int64 {
	if !p.any {
		p.any, p.first, p.last = true, t, t
	}
	if p.first < 0 {
		t = min(t, math.MaxInt64+p.first)
	}
	p.last = max(p.last, t)
	return p.last
}

func (p *Profile) write(r *trace.Record, now int64, f, s *party) {
	if r.Flags&trace.Preflush != 0 {
		p.preflush++
		p.flushes.flush(f, s)
	}
	if r.Flags&trace.FUA != 0 {
		p.fua++
	}
	p.flushes.unflushed++
	p.io(r, now, writing, f, s)
}

// io counts a read or a write.
func (p *Profile) io(r *trace.Record, now int64, dir int, f, s *party) {
	off := r.Offset
	if off == trace.AtEnd {
		off = min(f.size, farthest)
	}
	end := off + r.Length
	f.end, f.size = max(f.end, end), max(f.size, end)
	p.maxEnd = max(p.maxEnd, end)

	d := &p.dirs[dir]
	d.ios++
	d.bytes += r.Length
	d.sizes.add(r.Length)
	both := off | r.Length
	aligned := both&4095 == 0
	if !aligned {
		d.unaligned[1]++
		if both&511 != 0 {
			d.unaligned[0]++
		}
	}
	p.files.tell(f)
	continues := f.continues(dir, off, end)
	f.add(dir, r.Length)
	s.add(dir, r.Length)
	p.arrivals.add(now-p.first, dir)
	if p.moves.add(r.Stream, r.File, dir, off, end) || continues {
		continues = true
		d.continues++
	}
	f.shape(dir, continues, aligned, off|r.Length, r.Length)
	p.flying.add(now, dir, r.Latency)
	f.blocks[dir] += p.places.add(now-p.first, r.File, dir, off, p.walk(r.Length))
}
