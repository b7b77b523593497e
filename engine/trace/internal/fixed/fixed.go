// Package fixed reads formats whose records all have the same size.
package fixed

import (
	"fmt"
	"io"

	"moonio/engine/trace"
)

// Rows gives the records of an input, and counts them.
type Rows struct {
	in   *trace.Input
	log  *trace.Log
	size int
	held int
	n    int64
}

// NewRows begins with the input's next byte.
func NewRows(in *trace.Input, log *trace.Log, size int) *Rows {
	return &Rows{in: in, log: log, size: size}
}

// Next is the next record, valid until the following call; or io.EOF, or the input's error. A
// last one that is cut off counts as bad.
func (r *Rows) Next() ([]byte, error) {
	r.in.Discard(r.held)
	r.held = 0
	b, err := r.in.Peek(r.size)
	if len(b) > 0 {
		r.n++
		r.log.Lines++
	}
	if len(b) == r.size {
		r.held = r.size
		return b, nil
	}
	r.in.Discard(len(b))
	if err == io.EOF && len(b) > 0 {
		r.Bad(nil, fmt.Sprintf("the last record is cut off after %d of %d bytes", len(b), r.size))
	}
	if err != io.EOF {
		err = fmt.Errorf("trace %s, after %d bytes: %w", r.in.Name, (r.n-1)*int64(r.size)+int64(len(b)), err)
	}
	return nil, err
}

// Bad counts the record that Next gave last as one that makes no sense.
func (r *Rows) Bad(b []byte, why string) {
	var text []byte
	if b != nil && len(r.log.First) == 0 {
		text = fmt.Appendf(nil, "% x", b)
	}
	r.log.BadLine(r.in.Name, r.n, text, why)
}
