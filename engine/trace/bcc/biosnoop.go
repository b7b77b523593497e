// Package bcc reads what BCC's tools and their libbpf versions print: biosnoop's block I/O,
// and ext4slower's and xfsslower's calls with -j.
package bcc

import (
	"bytes"
	"errors"
	"math"

	"moonio/engine"
	"moonio/engine/trace"
	"moonio/engine/trace/internal/blk"
	"moonio/engine/trace/internal/scan"
)

// Formats are the formats of this package.
var Formats = []*trace.Format{Biosnoop, BiosnoopBT, Slower}

// window is how many completions are sorted by when they were issued.
const window = 1 << 14

// Biosnoop reads biosnoop's lines, which say when an I/O completed and how long it took.
var Biosnoop = &trace.Format{
	Name: "biosnoop", Help: "biosnoop, of BCC or libbpf-tools",
	Sniff: sniffBiosnoop,
	Open: func(in *trace.Input, log *trace.Log, _ *trace.Options) (trace.Reader, error) {
		r := &biosnoop{lines: trace.NewLines(in, log), log: log,
			files: &log.Files, streams: &log.Streams}
		return trace.NewSorter(r, window), nil
	},
}

// BiosnoopBT knows bpftrace's biosnoop.bt, to say why it cannot be replayed.
var BiosnoopBT = &trace.Format{
	Name: "biosnoop.bt", Help: "bpftrace's biosnoop: recognised, but it has no addresses to replay",
	Sniff: func(head []byte) int {
		for _, line := range scan.Head(head, 3) {
			if bytes.Contains(line, []byte("LAT(ms)")) && bytes.Contains(line, []byte("TIME(ms)")) {
				return 95
			}
		}
		return 0
	},
	Open: func(*trace.Input, *trace.Log, *trace.Options) (trace.Reader, error) {
		return nil, errors.New("biosnoop.bt: bpftrace's biosnoop prints neither addresses nor lengths, so there is nothing to replay: capture with BCC's biosnoop, or with perf record -e block:block_rq_issue -e block:block_rq_complete")
	},
}

func sniffBiosnoop(head []byte) int {
	for _, line := range scan.Head(head, 3) {
		if bytes.HasPrefix(line, []byte("TIME(s)")) && bytes.Contains(line, []byte("SECTOR")) {
			return 95
		}
	}
	var io event
	return sure(80, head, func(line []byte) bool { return io.parse(line) == "" })
}

// sure is n if nearly all of a text's lines are good.
func sure(n int, head []byte, is func(line []byte) bool) int {
	if good, lines := scan.Good(head, is); good > 0 && good*10 > lines*9 {
		return n
	}
	return 0
}

// biosnoop decodes lines of TIME COMM PID DISK T SECTOR BYTES [P] [QUE] LAT.
type biosnoop struct {
	lines          *trace.Lines
	log            *trace.Log
	files, streams *trace.Names
	event          event
	name           []byte
}

// maxWords bounds how many words of a line are looked at: a process's name is 15
// bytes at most, so it has no more than 8.
const maxWords = 24

// event is one line, split.
type event struct {
	words                  [maxWords][]byte
	n                      int
	comm                   []byte // of the line, with its blanks
	pid, disk, rwbs        []byte
	sector, bytes, latency int64
	time                   int64 // of completion
}

// Read gives the next line's record.
func (b *biosnoop) Read(r *trace.Record) error {
	for {
		line, err := b.lines.Next()
		if err != nil {
			return err
		}
		if reason := passOver(line); reason != "" {
			b.log.Skip(reason)
			continue
		}
		why := b.event.parse(line)
		if why == "" {
			why = b.event.record(r)
		}
		switch why {
		case "":
			return b.names(r)
		case whyEmpty, whyOther:
			b.log.Skip(why)
		default:
			b.lines.Bad(line, why)
		}
	}
}

const (
	whyEmpty = "transfers of 0 bytes"
	whyOther = "requests that are neither read, write, discard nor flush"
)

func passOver(line []byte) string {
	switch {
	case len(scan.Bare(line)) == 0:
		return "empty lines"
	case bytes.HasPrefix(line, []byte("TIME(s)")):
		return "headers"
	case bytes.HasPrefix(line, []byte("Tracing ")), bytes.Equal(line, []byte("^C")):
		return "messages"
	}
	return ""
}

// parse splits a line, and says why it cannot. A process's name can hold blanks, and the
// columns at the end vary: what the line turns on is the letters before two numbers.
func (e *event) parse(line []byte) string {
	e.n = 0
	for rest := line; e.n < maxWords; e.n++ {
		if e.words[e.n], rest = scan.Field(rest); len(e.words[e.n]) == 0 {
			break
		}
	}
	t := e.letters()
	if t == 0 {
		return "no letter such as R or W before a sector and a length"
	}
	e.rwbs, e.disk, e.pid = e.words[t], e.words[t-1], e.words[t-2]
	_, ok := scan.Int(e.pid)
	if !ok { // the disk is not known, and its column blank
		e.disk, e.pid = []byte("?"), e.words[t-1]
		_, ok = scan.Int(e.pid)
	}
	if !ok {
		return "not a process id"
	}
	e.comm = between(line, e.words[0], e.pid)
	if e.time, ok = scan.Decimal(e.words[0], 9); !ok {
		return "not a time"
	}
	e.sector, ok = scan.Int(e.words[t+1])
	if !ok {
		e.sector = -1
	}
	if e.bytes, ok = scan.Uint(e.words[t+2]); !ok {
		return "not a length"
	}
	if e.latency, ok = scan.Decimal(e.words[e.n-1], 6); !ok || e.latency < 0 {
		return "not a latency"
	}
	return ""
}

// letters is where the letters for the operation are, or 0: the last that can be, for what stands
// behind has none, and a process can be called anything.
func (e *event) letters() int {
	for i := e.n - 4; i >= 3; i-- {
		if isLetters(e.words[i]) && isNumber(e.words[i+1]) && isNumber(e.words[i+2]) {
			return i
		}
	}
	return 0
}

func isLetters(b []byte) bool {
	for _, c := range b {
		if c < 'A' || c > 'Z' {
			return false
		}
	}
	return len(b) <= 6
}

func isNumber(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return len(b) == 2 && b[0] == '-' && b[1] == '1'
		}
	}
	return true
}

// between is what is in line between two of its parts, without the blanks around it.
func between(line, from, to []byte) []byte {
	start := cap(line) - cap(from) + len(from)
	return scan.Bare(line[start : cap(line)-cap(to)])
}

// record makes the line's record but for its names, and says why it cannot.
func (e *event) record(r *trace.Record) string {
	kind, flags, ok := blk.ParseRWBS(e.rwbs, uint32(min(e.bytes, math.MaxUint32)))
	op := kind.Op()
	switch {
	case ok && kind == blk.None && e.bytes == 0:
		return whyEmpty
	case !ok || op == engine.Nop:
		return whyOther
	}
	*r = trace.Record{Op: op, Flags: flags, Latency: e.latency, Time: e.time - e.latency, Length: e.bytes}
	if kind == blk.Flush {
		r.Length = 0
		return ""
	}
	const maxSector = 1<<54 - 1
	if e.sector < 0 || e.sector > maxSector || !trace.Fits(e.sector*blk.SectorSize, e.bytes) {
		return "sector and length reach beyond 2^63-1 bytes"
	}
	r.Offset = e.sector * blk.SectorSize
	return ""
}

func (b *biosnoop) names(r *trace.Record) (err error) {
	if r.File, err = b.files.ID(b.event.disk); err != nil {
		return err
	}
	b.name = append(append(append(b.name[:0], b.event.comm...), '/'), b.event.pid...)
	r.Stream, err = b.streams.ID(b.name)
	return err
}
