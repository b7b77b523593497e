// Package perf reads the text of two of perf's commands: "perf script" of the block layer's trace
// points, and "perf trace".
package perf

import (
	"bytes"
	"math"

	"moonio/engine/trace"
	"moonio/engine/trace/internal/blk"
	"moonio/engine/trace/internal/scan"
)

// Formats are the formats of this package.
var Formats = []*trace.Format{Script, Trace}

// Script reads perf script's lines of block events. Of bio_queue and rq_issue it takes the
// first that the capture begins with, unless it is told.
var Script = &trace.Format{
	Name:  "perf-script",
	Help:  "perf script, of perf record -e block:block_rq_issue -e block:block_rq_complete and their like",
	Args:  blk.Args,
	Sniff: sniffScript,
	Open:  openScript,
}

var mark = []byte("block:block_")

func sniffScript(head []byte) int {
	good, lines, records := 0, 0, 0
	for _, line := range scan.Head(head, 1000) {
		switch trimmed := scan.Trim(line); {
		case len(trimmed) == 0, trimmed[0] == '#':
		case bytes.Contains(line, mark):
			good++
			lines++
		case isRecord(line):
			records++
		case isCallChain(line, trimmed):
		default:
			lines++
		}
		if lines == 50 {
			break
		}
	}
	switch {
	case good > 0 && good*2 >= lines:
		return 95
	case lines == 0 && records > 0: // those of what was there before can fill the beginning
		return 50
	}
	return 0
}

// isRecord says whether a line is of perf's own records, such as those of --show-task-events.
func isRecord(line []byte) bool { return bytes.Contains(line, []byte(" PERF_RECORD_")) }

// script makes records of one file.
type script struct {
	*blk.Lines
	log    *trace.Log
	insert bool // requests are taken when they are inserted, since there are no issues
	line   blockLine
}

// window is how many records are held back to be put in order.
const window = 256

func openScript(in *trace.Input, log *trace.Log, o *trace.Options) (trace.Reader, error) {
	choice, err := blk.ParseChoice(o)
	if err != nil {
		return nil, err
	}
	head, _ := in.Peek(in.Size())
	issues := bytes.Contains(head, []byte("block:block_rq_issue:"))
	if o.Arg("event") == "" && !bytes.Contains(head, []byte("block:block_bio_queue:")) {
		choice.Event = 'D'
	}
	return trace.NewSorter(&script{Lines: blk.NewLines(in, log, choice), log: log, insert: !issues}, window), nil
}

// Read gives the next record.
func (s *script) Read(rec *trace.Record) error { return s.Lines.Read(rec, s.step) }

// step takes one line.
func (s *script) step() error {
	line, err := s.Next()
	if err != nil {
		return err
	}
	if !bytes.Contains(line, mark) || line[0] == '#' {
		s.aside(line)
		return nil
	}
	l := &s.line
	why := l.split(line)
	if why == "" && l.Action != 0 {
		why = l.parse()
	}
	if why != "" {
		s.Bad(line, why)
		return nil
	}
	return s.take(line)
}

// aside counts a line that is no block event.
func (s *script) aside(line []byte) {
	if _, lost, ok := bytes.Cut(line, []byte("PERF_RECORD_LOST lost ")); ok {
		word, _ := scan.Field(lost)
		n, _ := scan.Uint(word)
		s.log.Lost += n
		return
	}
	trimmed := scan.Trim(line)
	switch {
	case len(trimmed) == 0 || trimmed[0] == '#':
		s.log.Skip("empty lines and comments")
	case isRecord(line):
		s.log.Skip("records of perf's own")
	case bytes.Contains(line, []byte("] ")) && bytes.Contains(line, []byte(": ")):
		s.log.Skip("events that are not the block layer's")
	case isCallChain(line, trimmed):
		s.log.Skip("call chains")
	default:
		s.Bad(line, "not an event")
	}
}

// isCallChain says whether a line is one of those that -g adds: an address, and a function.
func isCallChain(line, trimmed []byte) bool {
	word, rest := scan.Field(trimmed)
	for _, c := range word {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return len(trimmed) < len(line) && len(rest) > 0
}

// take gives the line's event to the tracker.
func (s *script) take(line []byte) error {
	e := &s.line.Line
	switch {
	case e.Action == 0:
		s.log.Skip("block events that are neither queued, issued nor completed I/O")
		return nil
	case e.Action == 'I' && s.insert:
		e.Action = 'D'
	}
	return s.Take(e, line)
}

// blockLine is one line: "comm tid [cpu] s.us: block:EVENT: maj,min RWBS …".
type blockLine struct {
	blk.Line
	rest []byte // from the device on
}

// split takes apart what is before the device. The event's Action is 0 if it is of no interest.
func (l *blockLine) split(line []byte) (why string) {
	*l = blockLine{}
	i := bytes.Index(line, mark)
	if i < 0 {
		return "not a block event"
	}
	name, rest, ok := bytes.Cut(line[i+len(mark):], []byte{':'})
	if !ok {
		return "no event"
	}
	l.Action = action(name)
	l.rest = rest
	at, before := scan.Last(line[:i])
	if len(at) > 0 && at[len(at)-1] != ':' { // the event's period
		at, before = scan.Last(before)
	}
	if l.Time, ok = scan.Decimal(bytes.TrimSuffix(at, []byte{':'}), 9); !ok {
		return "not a time"
	}
	word, before := scan.Last(before)
	if len(word) > 0 && isFlags(word) {
		word, before = scan.Last(before)
	}
	if len(word) > 0 && word[0] == '[' {
		word, _ = scan.Last(before)
	}
	return l.thread(word)
}

// thread takes the number of a thread from the word where it is: "tid" or "pid/tid". It is 0 where perf was told not
// to print it, and something else is there.
func (l *blockLine) thread(word []byte) (why string) {
	pid, _ := scan.Int(word[bytes.LastIndexByte(word, '/')+1:])
	if pid < -1 || pid > math.MaxInt32 {
		return "not a thread's number"
	}
	l.PID = uint32(max(pid, 0))
	return ""
}

// isFlags says whether a word is what the kernel's own tracer prints of interrupts and preemption, such
// as d..1 or dNh2.
func isFlags(word []byte) bool {
	for _, c := range word {
		if c == '.' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' {
			return true
		}
	}
	return false
}

// action is an event's, as blkparse prints it; 0 for one of no interest.
func action(name []byte) byte {
	switch string(name) {
	case "bio_queue":
		return 'Q'
	case "rq_insert":
		return 'I'
	case "rq_issue":
		return 'D'
	case "rq_complete", "bio_complete":
		return 'C'
	case "split":
		return 'X'
	case "bio_remap":
		return 'A'
	}
	return 0
}

// parse takes apart what follows the event's name: "maj,min RWBS [bytes] [(command)] S + N …".
func (l *blockLine) parse() (why string) {
	e := &l.Event
	device, b := scan.Field(l.rest)
	var ok bool
	if e.Device, ok = blk.ParseDevice(device); !ok {
		return "not a device"
	}
	rwbs, b := scan.Field(b)
	var command bool
	if open := bytes.IndexByte(b, '('); open >= 0 && e.Action != 'A' && e.Action != 'Q' && e.Action != 'X' {
		shut := bytes.IndexByte(b[open:], ')')
		if shut < 0 {
			return "a command that does not end"
		}
		command, b = shut > 1, b[open+shut+1:]
	}
	if b, l.From, ok = e.ParseSectors(b); !ok {
		return "not a sector and a number of sectors"
	}
	if e.Kind, e.Flags, ok = blk.ParseRWBS(rwbs, e.Bytes); !ok {
		return "the kind of the I/O is unknown"
	}
	if command && e.Bytes == 0 {
		e.Kind = blk.Other
	}
	if e.Action != 'C' {
		l.SetComm(b)
	}
	return ""
}
