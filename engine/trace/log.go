package trace

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Log is what a reader says of a trace besides its records. One Log serves all the files
// of a trace. Its methods are for the goroutine that reads.
type Log struct {
	Files   Names
	Streams Names

	// Epoch is the wall-clock time of a Record's Time 0, where the trace says it.
	Epoch time.Time

	Lines    int64            // lines, or events of a binary format, that were met
	Records  int64            // records that they gave; counted where the inputs are merged, not by a Reader
	Bad      int64            // of the lines, those that could not be parsed
	First    []BadLine        // the first few of them
	Skipped  map[string]int64 // lines that are no I/O to replay, by reason
	Lost     int64            // events that the capture itself lost
	Disorder int64            // records whose time went back further than the reader's window; counted like Records
	Notes    []string         // what the user should know, each once
}

// BadLine is a line that could not be parsed.
type BadLine struct {
	Input string // name of the file
	Line  int64  // from 1; of a binary format, the event's number
	Text  string // its beginning
	Why   string
}

// maxFirst is how many bad lines are kept, and maxText how much of each.
const (
	maxFirst = 5
	maxText  = 120
)

// BadLine counts a line that could not be parsed; its reader has counted it in Lines too.
func (l *Log) BadLine(input string, line int64, text []byte, why string) {
	l.Bad++
	if len(l.First) < maxFirst {
		l.First = append(l.First, BadLine{input, line, string(text[:min(len(text), maxText)]), why})
	}
}

// MaxBad is the share of bad lines up to which a trace can be trusted without the user's
// word for it.
const MaxBad = 0.01

// ErrBad is what Check's errors wrap.
var ErrBad = errors.New("too much of the trace cannot be read")

// Check refuses a trace of whose lines more than the share max, such as MaxBad, could not
// be parsed. Call it when all of the trace has been read, before anything is done
// with it that cannot be undone.
func (l *Log) Check(max float64) error {
	if float64(l.Bad) <= max*float64(l.Lines) {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d lines cannot be parsed", l.Bad, l.Lines)
	for _, line := range l.First {
		b.WriteString("\n  " + line.String())
	}
	return fmt.Errorf("%w: %s", ErrBad, b.String())
}

// Damage is what of the trace is not as it should be, a line each: what could not be parsed, with the first few of those lines
// indented; what the capture lost; and what is out of order. It is nil for a sound trace.
func (l *Log) Damage() []string {
	var lines []string
	if l.Bad > 0 {
		lines = append(lines, fmt.Sprintf("%d of %d lines could not be parsed:", l.Bad, l.Lines))
		for _, first := range l.First {
			lines = append(lines, "  "+first.String())
		}
	}
	if l.Lost > 0 {
		lines = append(lines, fmt.Sprintf("%d events were lost by the capture", l.Lost))
	}
	if l.Disorder > 0 {
		lines = append(lines, fmt.Sprintf("%d records were out of order", l.Disorder))
	}
	return lines
}

// String is "file:line: why: text", with nothing in it that a terminal would obey.
func (b BadLine) String() string {
	s := fmt.Sprintf("%s:%d: %s", b.Input, b.Line, b.Why)
	if b.Text != "" {
		s += fmt.Sprintf(": %q", b.Text)
	}
	return s
}

// maxSkipped and maxNotes bound what a hostile trace can make a Log hold.
const (
	maxSkipped = 256
	maxNotes   = 32
)

// Skip counts a line, or an event, that is nothing to replay.
func (l *Log) Skip(reason string) { l.SkipMany(reason, 1) }

// SkipMany is Skip for n of them.
func (l *Log) SkipMany(reason string, n int64) {
	if l.Skipped == nil {
		l.Skipped = map[string]int64{}
	}
	if _, known := l.Skipped[reason]; !known && len(l.Skipped) >= maxSkipped {
		reason = "other reasons"
	}
	l.Skipped[reason] += n
}

// Note keeps a remark, once.
func (l *Log) Note(format string, args ...any) {
	if len(l.Notes) == maxNotes {
		return
	}
	text := fmt.Sprintf(format, args...)
	for _, n := range l.Notes {
		if n == text {
			return
		}
	}
	l.Notes = append(l.Notes, text)
}

// MaxNames bounds how many names a trace may have, and maxNameBytes how long they are
// together: a hostile one must not fill the memory.
const (
	MaxNames     = 1 << 18
	maxNameBytes = 64 << 20
)

// Names numbers the names of files or streams.
type Names struct {
	ids   map[string]ID
	names []string
	last  ID // that ID returned last: most records have the name of the one before
	bytes int
}

// ID is the number of a name; an error once there are more than MaxNames, or they are too long.
func (n *Names) ID(name []byte) (ID, error) {
	if len(n.names) > 0 && n.names[n.last] == string(name) {
		return n.last, nil
	}
	if id, ok := n.ids[string(name)]; ok {
		n.last = id
		return id, nil
	}
	if len(n.names) == MaxNames {
		return 0, fmt.Errorf("more than %d files or streams in one trace", MaxNames)
	}
	if n.bytes += len(name); n.bytes > maxNameBytes {
		return 0, fmt.Errorf("the names of files or streams in one trace are longer than %d MiB together", maxNameBytes>>20)
	}
	if n.ids == nil {
		n.ids = map[string]ID{}
	}
	id := ID(len(n.names))
	n.names = append(n.names, string(name))
	n.ids[n.names[id]] = id
	return id, nil
}

// Len is how many names there are.
func (n *Names) Len() int { return len(n.names) }

// Name is the name of a number that ID returned.
func (n *Names) Name(id ID) string { return n.names[id] }
