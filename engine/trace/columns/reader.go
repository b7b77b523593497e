package columns

import (
	"bytes"
	"errors"
	"slices"
	"time"

	"moonio/engine/trace"
	"moonio/engine/trace/internal/scan"
)

// window is how many records are put in order of time.
const window = 4096

// oneFile is the file's name where the table does not tell files apart.
const oneFile = "device"

// reader decodes the lines of one table.
type reader struct {
	layout  *layout
	lines   *trace.Lines
	log     *trace.Log
	fields  fields
	files   *trace.Names
	streams *trace.Names
	buf     []byte
	header  []byte // the first line, if it is one
	digits  int    // of the time of the last record
	last    int64  // that time
	begun   bool   // a line that is neither empty nor a comment was met
}

// open reads a table as l describes it.
func open(l *layout, in *trace.Input, log *trace.Log) trace.Reader {
	head, _ := in.Peek(in.Size())
	l, _ = l.fitted(head)
	if l.unix {
		log.Epoch = time.Unix(0, 0).UTC()
	}
	if l.note != "" {
		log.Note("%s", l.note)
	}
	r := &reader{layout: l, lines: trace.NewLines(in, log), log: log,
		files: &log.Files, streams: &log.Streams}
	return trace.NewSorter(r, window)
}

// Read gives the next line's record.
func (r *reader) Read(rec *trace.Record) error {
	for {
		line, err := r.lines.Next()
		if err != nil {
			return err
		}
		if reason := r.passOver(line); reason != "" {
			r.log.Skip(reason)
			continue
		}
		r.fields.split(r.layout, line)
		*rec = trace.Record{}
		err = r.layout.parse(&r.fields, rec)
		if err == nil && r.cutOff(rec) {
			err = &fault{r.layout.time.name, "the line has no end, and its time fewer digits than the one before: the trace is cut off"}
		}
		if err == nil {
			return r.names(rec)
		}
		r.count(line, err)
	}
}

// cutOff says whether a line is cut off within its time: the time's first digits alone would be a time long ago.
func (r *reader) cutOff(rec *trace.Record) bool {
	at := r.layout.time.at
	digits := len(r.fields.at(at))
	cut := r.lines.Open() && digits < r.digits && rec.Time < r.last && (at == r.fields.n || at == -1)
	r.digits, r.last = digits, rec.Time
	return cut
}

// count counts a line that gives no record.
func (r *reader) count(line []byte, err error) {
	var skip errSkip
	if errors.As(err, &skip) {
		r.log.Skip(string(skip))
		return
	}
	r.lines.Bad(line, err.Error())
}

// passOver is the reason why a line is not looked at: headers recur where files were put
// together.
func (r *reader) passOver(line []byte) string {
	if aside(line) {
		return "empty lines and comments"
	}
	first := !r.begun
	r.begun = true
	if first && (r.layout.header || r.layout.isHeader(line)) {
		r.header = bytes.Clone(line)
		return "headers"
	}
	if len(r.header) > 0 && bytes.Equal(line, r.header) {
		return "headers"
	}
	return ""
}

// aside says whether a line is empty, or a comment.
func aside(line []byte) bool {
	line = scan.Bare(line)
	return len(line) == 0 || line[0] == '#'
}

// isHeader says whether a line's time begins with no digit.
func (l *layout) isHeader(line []byte) bool {
	var f fields
	f.split(l, line)
	t := f.at(l.time.at)
	return len(t) > 0 && (t[0] < '0' || t[0] > '9') && t[0] != '-' && t[0] != '.'
}

func (r *reader) names(rec *trace.Record) (err error) {
	file := []byte(oneFile)
	if len(r.layout.file) > 0 {
		file = r.layout.name(&r.fields, r.layout.file, r.buf)
	}
	if rec.File, err = r.files.ID(file); err != nil {
		return err
	}
	stream := file
	if len(r.layout.stream) > 0 {
		stream = r.layout.name(&r.fields, r.layout.stream, r.buf)
	}
	rec.Stream, err = r.streams.ID(stream)
	return err
}

// fit says how sure it is that the lines at a file's beginning are of the table l: sure, if
// it has the columns that l says, and less if it has more.
func (l *layout) fit(head []byte, sure int) int {
	switch fitted, ok := l.fitted(head); {
	case !ok, fitted != l && !l.telling:
		return 0
	case fitted != l:
		return sure - wider
	}
	return sure
}

// wider is how much less sure a table with too many columns is.
const wider = 40

// fitted is l, or a layout for what is like it but has more columns. ok says whether the lines of a
// file's beginning fit it.
func (l *layout) fitted(head []byte) (fitted *layout, ok bool) {
	lines := l.data(head)
	if l.fits(lines) {
		return l, true
	}
	if len(lines) == 0 || l.more {
		return l, false
	}
	var f fields
	f.split(l, lines[0])
	if f.n <= l.columns {
		return l, false
	}
	more := *l
	more.columns = f.n
	if more.fits(lines) {
		return &more, true
	}
	return l, false
}

// data is the first lines that are neither headers nor comments.
func (l *layout) data(head []byte) [][]byte {
	lines := slices.DeleteFunc(scan.Head(head, sniffed), aside)
	if len(lines) > 0 && (l.header || l.isHeader(lines[0])) {
		lines = lines[1:]
	}
	return lines
}

// fits says whether fewer than one line in ten is not of the table.
func (l *layout) fits(lines [][]byte) bool {
	var f fields
	var good, bad int
	for _, line := range lines {
		f.split(l, line)
		var r trace.Record
		var wrong *fault
		if errors.As(l.parse(&f, &r), &wrong) {
			bad++
		} else {
			good++
		}
	}
	return good > 0 && bad*10 < good+bad
}

// sniffed is how many lines a table is told by.
const sniffed = 50
