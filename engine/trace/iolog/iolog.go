// Package iolog reads fio's I/O logs, versions 2 and 3, and writes version 3.
//
// Version 3 gives every line a time, in µs since the log was opened. Version 2 has no times but
// what its "wait" lines say: what follows a wait is issued that long after the start.
//
// Every job of a run appends to the same log, in pieces of its buffer's size. So the header comes
// again in the middle, often of a line, and times start over. Lines that were torn are put
// together again. Records are put in order of time as far as a window allows, which is what
// interleaved jobs need; where a header comes after more than that, another run was
// appended, and goes on where the last one ended. A record's stream is the job that
// added its file.
package iolog

import (
	"bytes"
	"fmt"
	"path/filepath"

	"moonio/engine"
	"moonio/engine/trace"
	"moonio/engine/trace/internal/scan"
)

// Format is fio's log.
var Format = &trace.Format{
	Name: "iolog",
	Help: "fio's --write_iolog, versions 2 and 3",
	Args: []trace.Arg{{Name: "wait", Help: `what version 2 waits from: "start" (as fio does it) or "previous" (as its manual says, in µs)`}},
	Sniff: func(head []byte) int {
		if version(firstLine(head)) > 0 {
			return 100
		}
		return 0
	},
	Open:   open,
	Create: NewWriter,
}

// window is how many records are held back to be put in order.
const window = 16 << 10

// header is how a log begins, around its version.
const (
	headerStart = "fio version "
	headerEnd   = " iolog"
)

// reader reads one log. Its records are in the log's order.
type reader struct {
	pieces
	log      *trace.Log
	input    string // the log's name as the user gave it
	name     string // its last element, for its streams
	version  int
	relative bool // version 2: waits are µs from the previous one

	base    int64 // time of the section's 0
	clock   int64 // version 2: the time that waits have come to
	latest  int64 // the latest time of a record so far
	count   int   // records so far
	section int
	files   map[string]file
	last    []byte // the name of the latest line, and what it stands for
	lastHit file
	err     error
}

// file is a name that lines have mentioned.
type file struct {
	id     trace.ID
	stream trace.ID
}

func open(in *trace.Input, log *trace.Log, o *trace.Options) (trace.Reader, error) {
	r := &reader{log: log, input: in.Name, name: filepath.Base(in.Name), files: map[string]file{}}
	r.pieces = pieces{lines: trace.NewLines(in, log), edge: pieceSize, torn: map[trace.ID][]byte{}}
	switch o.Arg("wait") {
	case "", "start":
	case "previous":
		r.relative = true
	default:
		return nil, fmt.Errorf(`option wait: %q is neither "start" nor "previous"`, o.Arg("wait"))
	}
	line, err := r.lines.Next()
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	if r.version = version(line); r.version != 2 && r.version != 3 {
		return nil, fmt.Errorf(`header: %.60q is not "fio version 2 iolog", nor 3`, line)
	}
	return trace.NewSorter(r, window), nil
}

// Read gives the record of the next line that has one.
func (r *reader) Read(rec *trace.Record) error {
	for {
		line, err := r.next()
		if err != nil {
			return err
		}
		why, ok := r.line(line, rec)
		if r.err != nil {
			return r.err
		}
		if why != "" {
			r.log.BadLine(r.input, r.number, line, why)
		}
		if ok {
			r.count++
			r.latest = max(r.latest, rec.Time)
			return nil
		}
	}
}

// line takes one line. why says what is wrong with it; ok, that it gave a record.
func (r *reader) line(line []byte, rec *trace.Record) (why string, ok bool) {
	if len(line) == 0 {
		return "", false
	}
	if bytes.HasSuffix(line, []byte(headerEnd)) {
		return r.header(line), false
	}
	rest := line
	rec.Time = r.base + r.clock
	if r.version == 3 {
		var field []byte
		field, rest = scan.Field(line)
		us, ok := scan.Int(field)
		if !ok || us < 0 || us > maxMicroseconds {
			return "the time is not a number of µs", false
		}
		rec.Time = r.base + us*1000
	}
	return r.action(rest, rec)
}

// maxMicroseconds keeps times, and sums of two, far from overflowing.
const maxMicroseconds = 1 << 51

// action takes what follows the time: FILE ACTION, or FILE ACTION OFFSET LENGTH.
func (r *reader) action(b []byte, rec *trace.Record) (why string, ok bool) {
	third, before := scan.Last(b)
	switch string(third) {
	case "add", "open", "close":
		f, why := r.file(before, string(third) == "add")
		r.job, r.closed = f.stream, string(third) == "close"
		return why, false
	}
	length, okLength := scan.Int(third)
	second, before := scan.Last(before)
	offset, okOffset := scan.Int(second)
	action, name := scan.Last(before)
	if !okLength || !okOffset {
		return "there is no action, or no offset and length", false
	}
	if string(action) == "wait" {
		return r.wait(offset), false
	}
	if rec.Op, ok = opcode(action); !ok {
		return "the action is unknown", false
	}
	if offset < 0 || !trace.Fits(offset, length) {
		return "the range is not one that a file can have", false
	}
	rec.Offset, rec.Length, rec.Latency, rec.Flags = offset, length, trace.Unknown, 0
	if rec.Op == engine.Fsync || rec.Op == engine.Fdatasync {
		rec.Offset, rec.Length = 0, 0 // the log repeats an earlier offset
	}
	f, why := r.file(name, false)
	rec.File, rec.Stream, r.job = f.id, f.stream, f.stream
	return why, why == ""
}

// opcode is the operation of an action that is one.
func opcode(action []byte) (engine.OpCode, bool) {
	switch string(action) {
	case "read":
		return engine.Read, true
	case "write":
		return engine.Write, true
	case "sync":
		return engine.Fsync, true
	case "datasync":
		return engine.Fdatasync, true
	case "trim":
		return engine.Trim, true
	case "sync_file_range":
		return engine.SyncRange, true
	}
	return 0, false
}

// wait moves the clock of version 2.
func (r *reader) wait(n int64) (why string) {
	switch {
	case r.version == 3:
		return "version 3 has no waits"
	case n < 0 || n > maxMicroseconds/1000:
		return "the wait is not a time"
	case r.relative:
		r.clock = min(r.clock+n*1000, maxMicroseconds*1000)
		return ""
	}
	if at := n * 1_000_000; at >= r.clock {
		r.clock = at
	} else {
		r.log.Note(`%s: its waits go back, so they may be meant from the previous one: if so, say wait=previous`, r.name)
	}
	return ""
}

// file looks a name up. A name with blanks in it has to have been added, for two lines that ran
// into each other look like one.
func (r *reader) file(name []byte, add bool) (f file, why string) {
	if bytes.Equal(name, r.last) && !add && r.last != nil {
		return r.lastHit, ""
	}
	f, known := r.files[string(name)]
	if !known || add {
		if len(name) == 0 || !add && bytes.ContainsAny(name, " \t") {
			return f, "the file's name is not one that was added"
		}
		f = r.add(name)
	}
	r.last, r.lastHit = append(r.last[:0], name...), f
	return f, ""
}

// add numbers a file and the job that adds it.
func (r *reader) add(name []byte) (f file) {
	if f.id, r.err = r.log.Files.ID(name); r.err == nil {
		f.stream, r.err = r.log.Streams.ID(r.stream())
	}
	r.files[string(name)] = f
	return f
}

// stream names the job that the log is at: by the log's name, and from the second on a number.
func (r *reader) stream() []byte {
	if r.section == 0 {
		return []byte(r.name)
	}
	return fmt.Appendf(nil, "%s:%d", r.name, r.section+1)
}

// header begins the next job's section. What stands before it is what another job had still to
// write of its line.
func (r *reader) header(line []byte) (why string) {
	at := bytes.LastIndex(line, []byte(headerStart))
	if at < 0 || version(line[at:]) != r.version {
		return "the header is not that of the log's beginning"
	}
	r.section++
	r.clock = 0
	if r.count >= window {
		r.base, r.count = r.latest, 0
		r.log.Note("%s: it holds several runs' logs, of which each is played after the one before", r.name)
	}
	if at > 0 {
		return "the line is cut off"
	}
	return ""
}

// firstLine is the first line of a file's beginning.
func firstLine(head []byte) []byte {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r"))
}

// version is the version that a header says, or 0 if it is none.
func version(line []byte) int {
	s, ok := bytes.CutPrefix(line, []byte(headerStart))
	if !ok {
		return 0
	}
	if s, ok = bytes.CutSuffix(s, []byte(headerEnd)); !ok {
		return 0
	}
	n, _ := scan.Int(s)
	return int(n)
}
