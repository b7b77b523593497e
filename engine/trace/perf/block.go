// Package perf reads the text of two of perf's commands: "perf script" of the block layer's trace
// points, and "perf trace".
package perf

import (
	"bytes"
	"io"
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
	lines := scan.Head(head, 50)
	var l blockLine
	good := 0
	for _, line := range lines {
		if l.split(line) == "" {
			good++
		}
	}
	if good > 0 && good*2 >= len(lines) {
		return 95
	}
	return 0
}

// script makes records of one file.
type script struct {
	lines   *trace.Lines
	log     *trace.Log
	choice  blk.Choice
	insert  bool // requests are taken when they are inserted, since there are no issues
	tracker *blk.Tracker
	streams blk.Streams
	devices map[uint32]trace.ID
	picked  int64
	other   int64
	line    blockLine
	noted   bool // that devices stand on others
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
	s := &script{
		lines: trace.NewLines(in, log), log: log, choice: choice, insert: !issues,
		tracker: blk.NewTracker(choice.Event), devices: map[uint32]trace.ID{},
	}
	s.streams.Log = log
	return trace.NewSorter(s, window), nil
}

// Read gives the next record.
func (s *script) Read(rec *trace.Record) error { return s.tracker.Read(rec, s.step) }

// step takes one line.
func (s *script) step() error {
	line, err := s.lines.Next()
	if err == io.EOF {
		return s.choice.End(s.picked, s.other)
	}
	if err != nil {
		return err
	}
	if !bytes.Contains(line, mark) {
		s.aside(line)
		return nil
	}
	l := &s.line
	why := l.split(line)
	if why == "" && l.event.Action != 0 {
		why = l.parse()
	}
	if why != "" {
		s.lines.Bad(line, why)
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
	case bytes.Contains(line, []byte("] ")) && bytes.Contains(line, []byte(": ")):
		s.log.Skip("events that are not the block layer's")
	case isCallChain(line, trimmed):
		s.log.Skip("call chains")
	default:
		s.lines.Bad(line, "not an event")
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
	e := &s.line.event
	switch {
	case e.Action == 0:
		s.log.Skip("block events that are neither queued, issued nor completed I/O")
		return nil
	case e.Action == 'I' && s.insert:
		e.Action = 'D'
	case e.Action == 'I':
		return nil
	}
	if !s.choice.Wants("", e.Device) {
		if e.Action == s.choice.Event {
			s.log.Skip("of another device")
		}
		return nil
	}
	switch e.Action {
	case s.choice.Other():
		s.other++
		return nil
	case 'A':
		s.remapped()
		return nil
	case s.choice.Event:
		s.picked++
		if ok, err := s.accept(line); !ok {
			return err
		}
	}
	s.tracker.Add(e)
	return nil
}

// accept says whether an event becomes a record, and fills in whose it is.
func (s *script) accept(line []byte) (ok bool, err error) {
	e := &s.line.event
	if why := e.Reason(); why != "" {
		s.log.Skip(why)
		return false, nil
	}
	if why := e.Wrong(); why != "" {
		s.lines.Bad(line, why)
		return false, nil
	}
	if e.File, err = s.file(e.Device); err != nil {
		return false, err
	}
	if len(s.line.comm) > 0 {
		s.streams.Name(s.line.pid, s.line.comm)
	}
	e.Stream, err = s.streams.Of(s.line.pid)
	return err == nil, err
}

// file is a device's number among the trace's files.
func (s *script) file(device uint32) (trace.ID, error) {
	if id, ok := s.devices[device]; ok {
		return id, nil
	}
	id, err := s.log.Files.ID([]byte(blk.DeviceName(device)))
	if err == nil {
		s.devices[device] = id
	}
	return id, err
}

// remapped notes that a device's I/O comes from another that is in the trace as well.
func (s *script) remapped() {
	from, device := s.line.from, s.line.event.Device
	_, above := s.devices[from]
	_, here := s.devices[device]
	if above && here && from != device && !s.noted {
		s.noted = true
		s.log.Note("%s stands on %s, so the same I/O is in the trace for each of them: choose one with device=MAJOR:MINOR", blk.DeviceName(from), blk.DeviceName(device))
	}
}

// blockLine is one line: "comm tid [cpu] s.us: block:EVENT: maj,min RWBS …".
type blockLine struct {
	event blk.Event
	pid   uint32
	comm  []byte // in brackets at the line's end
	from  uint32 // of a remapped I/O, the device above
	rest  []byte // from the device on
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
	l.event.Action = action(name)
	l.rest = rest
	at, before := scan.Last(line[:i])
	if len(at) > 0 && at[len(at)-1] != ':' { // the event's period
		at, before = scan.Last(before)
	}
	if l.event.Time, ok = scan.Decimal(bytes.TrimSuffix(at, []byte{':'}), 9); !ok {
		return "not a time"
	}
	word, before := scan.Last(before)
	if len(word) > 0 && word[0] == '[' {
		word, _ = scan.Last(before)
	}
	pid, ok := scan.Int(word[bytes.LastIndexByte(word, '/')+1:])
	if !ok || pid < -1 || pid > math.MaxInt32 {
		return "not a thread's number"
	}
	l.pid = uint32(max(pid, 0))
	return ""
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
	e := &l.event
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
	if b, l.from, ok = e.ParseSectors(b); !ok {
		return "not a sector and a number of sectors"
	}
	if e.Kind, e.Flags, ok = blk.ParseRWBS(rwbs, e.Bytes); !ok {
		return "the kind of the I/O is unknown"
	}
	if command && e.Bytes == 0 {
		e.Kind = blk.Other
	}
	open, shut := bytes.IndexByte(b, '['), bytes.LastIndexByte(b, ']')
	if open >= 0 && shut > open && e.Action != 'C' {
		l.comm = b[open+1 : shut]
	}
	return ""
}
