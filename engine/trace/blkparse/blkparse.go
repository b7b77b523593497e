// Package blkparse reads the text that blkparse prints by default, with its option -t or without. Events
// become records as in package blktrace: of what was queued or of what was issued, with latencies where
// completions are there.
package blkparse

import (
	"bytes"
	"io"
	"math"

	"moonio/engine/trace"
	"moonio/engine/trace/internal/blk"
	"moonio/engine/trace/internal/scan"
)

// Format is blkparse's text.
var Format = &trace.Format{
	Name:  "blkparse",
	Help:  "blkparse's text, as it is by default",
	Args:  blk.Args,
	Sniff: sniff,
	Open:  open,
}

// sniff looks at up to 50 lines. A few may be blktrace's or the shell's.
func sniff(head []byte) int {
	good, lines := 0, 0
	for lines < 50 && len(head) > 0 {
		line, rest, whole := bytes.Cut(head, []byte("\n"))
		if !whole && lines > 0 {
			break
		}
		head = rest
		lines++
		if _, why := parse(bytes.TrimSuffix(line, []byte("\r"))); why == "" {
			good++
		}
	}
	if good > 0 && good*4 >= lines*3 {
		return 90
	}
	return 0
}

type reader struct {
	lines   *trace.Lines
	log     *trace.Log
	choice  blk.Choice
	tracker *blk.Tracker
	streams blk.Streams
	devices map[uint32]trace.ID
	picked  int64
	other   int64
	summary bool // what follows is about the whole run
}

// window is how many records are held back to be put in order.
const window = 256

func open(in *trace.Input, log *trace.Log, o *trace.Options) (trace.Reader, error) {
	choice, err := blk.ParseChoice(o)
	if err != nil {
		return nil, err
	}
	r := &reader{lines: trace.NewLines(in, log), log: log, choice: choice, tracker: blk.NewTracker(choice.Event), devices: map[uint32]trace.ID{}}
	r.streams.Log = log
	return trace.NewSorter(r, window), nil
}

// Read gives the next record.
func (r *reader) Read(rec *trace.Record) error { return r.tracker.Read(rec, r.step) }

// step takes one line.
func (r *reader) step() error {
	line, err := r.lines.Next()
	switch {
	case err == io.EOF:
		return r.choice.End(r.picked, r.other)
	case err != nil:
		return err
	case r.aside(line):
		return nil
	}
	l, why := parse(line)
	if why != "" {
		r.lines.Bad(line, why)
		return nil
	}
	return r.take(&l, line)
}

// aside says whether a line is not meant to be an event.
func (r *reader) aside(line []byte) bool {
	if bytes.HasPrefix(line, []byte("CPU")) && bytes.Contains(line, []byte(" (")) || bytes.HasPrefix(line, []byte("Total (")) {
		r.summary = true
	}
	return r.summary || len(scan.Trim(line)) == 0 || bytes.HasPrefix(line, []byte("Input file "))
}

// take gives an event to the tracker.
func (r *reader) take(l *line, text []byte) error {
	e := &l.event
	switch e.Action {
	case r.choice.Other():
		if r.choice.Wants("", e.Device) {
			r.other++
		}
		return nil
	case r.choice.Event:
		if !r.choice.Wants("", e.Device) {
			r.log.Skip("of another device")
			return nil
		}
		r.picked++
		if ok, err := r.accept(l, text); !ok {
			return err
		}
	case 'A':
		r.remapped(l)
		return nil
	case 'C', 'X':
	default:
		return nil
	}
	r.tracker.Add(e)
	return nil
}

// accept says whether an event becomes a record, and fills in whose it is.
func (r *reader) accept(l *line, text []byte) (ok bool, err error) {
	e := &l.event
	if why := e.Reason(); why != "" {
		r.log.Skip(why)
		return false, nil
	}
	if why := e.Wrong(); why != "" {
		r.lines.Bad(text, why)
		return false, nil
	}
	if e.File, err = r.file(e.Device); err != nil {
		return false, err
	}
	if len(l.comm) > 0 {
		r.streams.Name(l.pid, l.comm)
	}
	e.Stream, err = r.streams.Of(l.pid)
	return err == nil, err
}

// file is a device's number among the trace's files.
func (r *reader) file(device uint32) (trace.ID, error) {
	if id, ok := r.devices[device]; ok {
		return id, nil
	}
	id, err := r.log.Files.ID([]byte(blk.DeviceName(device)))
	if err == nil {
		r.devices[device] = id
	}
	return id, err
}

// remapped notes that a device's I/O comes from another that is in the trace as well.
func (r *reader) remapped(l *line) {
	_, above := r.devices[l.from]
	_, here := r.devices[l.event.Device]
	if above && here && l.from != l.event.Device {
		r.log.Note("%s stands on %s, so the same I/O is in the trace for each of them: choose one with device=MAJOR:MINOR", blk.DeviceName(l.from), blk.DeviceName(l.event.Device))
	}
}

// line is one event as it is printed.
type line struct {
	event blk.Event
	pid   uint32
	comm  []byte
	from  uint32 // of a remapped I/O, the device above
}

// parse takes a line apart: "MAJ,MIN CPU SEQUENCE SECONDS PID ACTION RWBS …".
func parse(b []byte) (l line, why string) {
	device, b := scan.Field(b)
	e := &l.event
	var ok bool
	if e.Device, ok = blk.ParseDevice(device); !ok {
		return l, "it does not begin with a device"
	}
	for range 2 { // CPU, sequence
		var f []byte
		f, b = scan.Field(b)
		if _, ok := scan.Int(f); !ok {
			return l, "the CPU or the sequence is not a number"
		}
	}
	at, b := scan.Field(b)
	pid, b := scan.Field(b)
	if e.Time, ok = scan.Decimal(at, 9); !ok || e.Time > math.MaxInt64/2 {
		return l, "the time is not a number of seconds"
	}
	if l.pid, ok = parseUint32(pid); !ok {
		return l, "the process is not a number"
	}
	action, b := scan.Field(b)
	if len(action) == 0 || len(action) > 2 {
		return l, "there is no action"
	}
	if len(action) == 1 {
		e.Action = action[0]
	}
	switch e.Action {
	case 'Q', 'D', 'C', 'X', 'A':
		return l, l.io(b)
	}
	return l, ""
}

// io takes apart what follows the action of an event that is an I/O's.
func (l *line) io(b []byte) (why string) {
	rwbs, b := scan.Field(b)
	e := &l.event
	b, l.from, _ = e.ParseSectors(b)
	var ok bool
	if e.Kind, e.Flags, ok = blk.ParseRWBS(rwbs, e.Bytes); !ok {
		return "the kind of the I/O is unknown"
	}
	if e.Action == 'C' {
		return ""
	}
	if bytes.HasPrefix(b, []byte("(")) && e.Bytes == 0 { // a command's bytes
		e.Kind = blk.Other
	}
	open, shut := bytes.IndexByte(b, '['), bytes.LastIndexByte(b, ']')
	if open >= 0 && shut > open {
		l.comm = b[open+1 : shut]
		if string(l.comm) == "(null)" {
			l.comm = nil
		}
	}
	return ""
}

func parseUint32(b []byte) (uint32, bool) {
	n, ok := scan.Int(b)
	return uint32(n), ok && n >= 0 && n <= math.MaxUint32
}
