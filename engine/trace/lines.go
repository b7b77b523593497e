package trace

import (
	"bufio"
	"bytes"
	"io"
)

// Lines gives the lines of a text format, and counts them. A line that is longer than the
// Input's buffer is counted as bad and passed over, so that no input can fill the memory.
type Lines struct {
	in  *Input
	log *Log
	n   int64
}

// NewLines begins with the input's next line, as number 1.
func NewLines(in *Input, log *Log) *Lines { return &Lines{in: in, log: log} }

// Next is the next line, without its end (LF or CRLF), valid until the following call; or
// io.EOF, or the input's error.
func (l *Lines) Next() ([]byte, error) {
	for {
		line, err := l.in.ReadSlice('\n')
		if len(line) == 0 && err != nil {
			return nil, err
		}
		l.n++
		l.log.Lines++
		switch err {
		case nil, io.EOF:
			line = bytes.TrimSuffix(line, []byte("\n"))
			return bytes.TrimSuffix(line, []byte("\r")), nil
		case bufio.ErrBufferFull:
			l.Bad(line, "the line is too long")
			if err := l.skip(); err != nil {
				return nil, err
			}
		default:
			return nil, err
		}
	}
}

// skip passes over the rest of a line.
func (l *Lines) skip() error {
	for {
		_, err := l.in.ReadSlice('\n')
		if err != bufio.ErrBufferFull {
			return err
		}
	}
}

// Number is the number of the line that Next gave last, from 1.
func (l *Lines) Number() int64 { return l.n }

// Bad counts that line as one that cannot be parsed.
func (l *Lines) Bad(line []byte, why string) { l.log.BadLine(l.in.Name, l.n, line, why) }
