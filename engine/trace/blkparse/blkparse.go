// Package blkparse reads the text that blkparse prints by default, with its option -t or without. Events
// become records as in package blktrace: of what was queued or of what was issued, with latencies where
// completions are there.
package blkparse

import (
	"bytes"
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

// sniff looks at up to 50 lines before the summary. A few may be blktrace's or the shell's.
func sniff(head []byte) int {
	good, lines := 0, 0
	for _, line := range scan.Head(head, 50) {
		if good > 0 && beginsSummary(line) {
			break
		}
		lines++
		if _, why := parse(line); why == "" {
			good++
		}
	}
	if good > 0 && good*4 >= lines*3 {
		return 90
	}
	return 0
}

type reader struct {
	*blk.Lines
	summary bool // what follows is about the whole run
}

// window is how many records are held back to be put in order.
const window = 256

func open(in *trace.Input, log *trace.Log, o *trace.Options) (trace.Reader, error) {
	choice, err := blk.ParseChoice(o)
	if err != nil {
		return nil, err
	}
	return trace.NewSorter(&reader{Lines: blk.NewLines(in, log, choice)}, window), nil
}

// Read gives the next record.
func (r *reader) Read(rec *trace.Record) error { return r.Lines.Read(rec, r.step) }

// step takes one line.
func (r *reader) step() error {
	line, err := r.Next()
	if err != nil {
		return err
	}
	l, why := parse(line)
	if why == "" {
		r.summary = false
		return r.Take(&l, line)
	}
	if !r.aside(line) {
		r.Bad(line, why)
	}
	return nil
}

// aside says whether a line is not meant to be an event. Where texts were put together, events follow a
// summary.
func (r *reader) aside(line []byte) bool {
	r.summary = r.summary || beginsSummary(line)
	return r.summary || len(scan.Trim(line)) == 0 || bytes.HasPrefix(line, []byte("Input file "))
}

// beginsSummary says whether a line is a heading of the summary, or (with -q, which has no other) of its end: of a CPU,
// of all of them, or, with -s, of a process: "NAME (PID)".
func beginsSummary(line []byte) bool {
	for _, heading := range []string{"CPU", "Total (", "Throughput (", "Events ("} {
		if bytes.HasPrefix(line, []byte(heading)) && bytes.Contains(line, []byte(" (")) {
			return true
		}
	}
	name := bytes.LastIndex(line, []byte(" ("))
	if name <= 0 {
		return false
	}
	pid, ends := bytes.CutSuffix(line[name+len(" ("):], []byte{')'})
	_, ok := parseUint32(pid)
	return ok && ends
}

// parse takes a line apart: "MAJ,MIN CPU SEQUENCE SECONDS PID ACTION RWBS …".
func parse(b []byte) (l blk.Line, why string) {
	device, b := scan.Field(b)
	e := &l.Event
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
	if l.PID, ok = parseUint32(pid); !ok {
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
		return l, parseIO(&l, b)
	}
	return l, ""
}

// parseIO takes apart what follows the action of an event that is an I/O's.
func parseIO(l *blk.Line, b []byte) (why string) {
	rwbs, b := scan.Field(b)
	e := &l.Event
	b, l.From, _ = e.ParseSectors(b)
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
	if l.SetComm(b); string(l.Comm) == "(null)" {
		l.Comm = nil
	}
	return ""
}

func parseUint32(b []byte) (uint32, bool) {
	n, ok := scan.Int(b)
	return uint32(n), ok && n >= 0 && n <= math.MaxUint32
}
