package format

import (
	"errors"
	"fmt"
	"io"

	"moonio/engine/internal/heap"
	"moonio/engine/trace"
)

// merged gives the records of several readers in the order of their times; of equal
// times the earlier reader's first.
type merged struct {
	heap    heap.Heap[*head] // the readers that have more, by their next record
	started bool
	err     error   // to be returned once what was read before it has been
	cut     []error // of the readers that are cut off: the others go on
}

type head struct {
	next   trace.Record
	closed bool // of next, only the time is known yet
	r      trace.Reader
	index  int
}

func (a *head) Before(b *head) bool {
	return a.next.Time < b.next.Time || a.next.Time == b.next.Time && a.index < b.index
}

// merge is the one reader itself if there is only one.
func merge(readers []head) trace.Reader {
	if len(readers) == 1 {
		return readers[0].r
	}
	m := &merged{}
	for i := range readers {
		readers[i].index = i
		m.heap = append(m.heap, &readers[i])
	}
	return m
}

func (m *merged) Read(r *trace.Record) error {
	if !m.started {
		m.started = true
		m.err = m.start()
	}
	for m.err == nil && len(m.heap) > 0 && m.heap[0].closed {
		m.err = m.advance()
	}
	if m.err != nil {
		return m.err
	}
	if len(m.heap) == 0 {
		return m.end()
	}
	*r = m.heap[0].next
	m.err = m.advance()
	return nil
}

// advance reads the first reader's next record, and puts it in its place.
func (m *merged) advance() error {
	top := m.heap[0]
	top.closed = false
	switch err := top.r.Read(&top.next); {
	case err == nil:
		m.heap.Down(0)
	case m.ends(err):
		m.heap.Pop()
	default:
		return err
	}
	return nil
}

// ends says whether an error is only the end of one reader.
func (m *merged) ends(err error) bool {
	if errors.Is(err, trace.ErrTruncated) {
		m.cut = append(m.cut, err)
		return true
	}
	return err == io.EOF
}

// end is io.EOF, unless readers were cut off.
func (m *merged) end() error {
	switch len(m.cut) {
	case 0:
		return io.EOF
	case 1:
		return m.cut[0]
	}
	return fmt.Errorf("%w; and %d other files are cut off", m.cut[0], len(m.cut)-1)
}

// start reads the first record of every reader that is open.
func (m *merged) start() error {
	all := m.heap
	m.heap = nil
	for _, h := range all {
		if !h.closed {
			switch err := h.r.Read(&h.next); {
			case err == nil:
			case m.ends(err):
				continue
			default:
				return err
			}
		}
		m.heap.Push(h)
	}
	return nil
}

// maxTime bounds times on both sides, so that the difference of two does not overflow.
const maxTime = 1 << 62

// checked is the last stage: it counts records and disorder, lets nothing pass that a
// reader should have refused, and calls no reader that has ended.
type checked struct {
	r    trace.Reader
	log  *trace.Log
	last int64
	any  bool
	err  error
}

func (c *checked) Read(r *trace.Record) error {
	for {
		if c.err != nil {
			return c.err
		}
		if c.err = c.r.Read(r); c.err != nil {
			return c.err
		}
		if !trace.Fits(r.Offset, r.Length) || r.Time < -maxTime || r.Time >= maxTime {
			c.log.BadLine("record", c.log.Records+1, fmt.Appendf(nil, "%d %s %d %d", r.Time, r.Op, r.Offset, r.Length), "its time or range is out of bounds")
			continue
		}
		if r.Latency < 0 {
			r.Latency = trace.Unknown
		}
		c.log.Records++
		if c.any && r.Time < c.last {
			c.log.Disorder++
		}
		c.last, c.any = max(r.Time, c.last), true
		return nil
	}
}
