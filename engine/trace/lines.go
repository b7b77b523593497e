package trace

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
)

// Lines gives the lines of a text format, and counts them. A line that is longer than 1 MiB
// is counted as bad and passed over, so that no input can fill the memory.
type Lines struct {
	in   *Input
	log  *Log
	n    int64
	long []byte // a line that does not fit in the Input's buffer

	start, end int64 // of the line that Next gave last, in bytes from where the Lines began
	open       bool  // that line has no end
}

// maxLine is in bytes, with the line's end.
const maxLine = 1 << 20

// NewLines begins with the input's next line, as number 1.
func NewLines(in *Input, log *Log) *Lines { return &Lines{in: in, log: log} }

// Next is the next line, without its end (LF or CRLF), valid until the following call; or
// io.EOF, or the input's error and where it came.
func (l *Lines) Next() ([]byte, error) {
	for {
		line, err := l.in.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			line, err = l.rest(line)
		}
		if len(line) == 0 && err != nil {
			return nil, l.failed(err)
		}
		l.n++
		l.log.Lines++
		l.start, l.end = l.end, l.end+int64(len(line))
		switch {
		case err != nil && err != io.EOF:
			return nil, l.failed(err)
		case len(line) > maxLine:
			l.Bad(line, "the line is too long")
		default:
			line, ended := bytes.CutSuffix(line, []byte("\n"))
			l.open = !ended
			return bytes.TrimSuffix(line, []byte("\r")), nil
		}
	}
}

// failed is an input's error with its place; io.EOF stays what it is.
func (l *Lines) failed(err error) error {
	if err == io.EOF {
		return err
	}
	return fmt.Errorf("trace %s, after %d lines: %w", l.in.Name, l.n, err)
}

// rest is a whole line that begins with part. What is far beyond maxLine is forgotten.
func (l *Lines) rest(part []byte) ([]byte, error) {
	if l.long == nil {
		l.long = make([]byte, 0, maxLine+l.in.Size())
	}
	l.long = append(l.long[:0], part...)
	for {
		part, err := l.in.ReadSlice('\n')
		if len(l.long) <= maxLine {
			l.long = append(l.long, part...)
		} else {
			l.end += int64(len(part))
		}
		if err != bufio.ErrBufferFull {
			return l.long, err
		}
	}
}

// Open says that the line that Next gave last has no end: it is the input's last, and may be cut off.
func (l *Lines) Open() bool { return l.open }

// Offset is where the line that Next gave last begins, in bytes from where the Lines began.
func (l *Lines) Offset() int64 { return l.start }

// Number is the number of the line that Next gave last, from 1.
func (l *Lines) Number() int64 { return l.n }

// Bad counts that line as one that cannot be parsed.
func (l *Lines) Bad(line []byte, why string) { l.log.BadLine(l.in.Name, l.n, line, why) }
