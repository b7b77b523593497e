// Package columns reads traces that are tables: a line an I/O, and a column each for
// what is known of it. The public traces' formats are descriptions of such tables; a
// table that has no name is described by the user.
package columns

import (
	"bytes"
	"fmt"

	"moonio/engine"
	"moonio/engine/trace"
	"moonio/engine/trace/internal/scan"
)

// maxColumns bounds how many columns of a line are looked at.
const maxColumns = 32

// blanks, as a separator, is any number of blanks and tabs.
const blanks = ' '

// layout describes a table. Columns count from 1; negative ones from the line's end,
// -1 being the last; 0 is a column that the table does not have.
type layout struct {
	separator byte
	columns   int  // a line has this many
	more      bool // or more
	header    bool // the first line is one; without it, that is seen by its time
	quoted    bool // a field in double quotes can hold the separator
	telling   bool // it can be told by its columns even if there are more behind them
	time      clock
	op        column
	codes     codes
	blankOp   string // reason to skip a line whose op is blank; "" if that is an error
	offset    column
	length    column
	latency   clock
	file      []int // what names the file: these columns, joined by join
	stream    []int
	join      byte
	unix      bool   // times count from 1970
	note      string // what the user should know of such traces
	head      []byte // the file's beginning, while a user's description is read
}

// column is where a number stands, and its unit in bytes.
type column struct {
	name string // what the user would call it
	at   int
	unit int64
}

// parse is a number in bytes. A fraction is allowed if it is of zeros: programs that know only one kind
// of number write them.
func (c column) parse(b []byte) (int64, bool) {
	n, ok := scan.Scaled(b, c.unit)
	if ok {
		return n, true
	}
	whole, fraction, point := bytes.Cut(b, []byte{'.'})
	if !point || len(fraction) == 0 || len(bytes.Trim(fraction, "0")) > 0 {
		return 0, false
	}
	return scan.Scaled(whole, c.unit)
}

// clock is where a time stands, and its unit.
type clock struct {
	name string
	at   int
	timeUnit
}

// timeUnit is a power of ten of nanoseconds, or factor times that. A time that counts from base,
// in its unit, is a whole number.
type timeUnit struct {
	places int
	base   int64
	factor int64 // 0 is 1
}

func (u timeUnit) parse(b []byte) (int64, bool) {
	if u.base == 0 {
		t, ok := scan.Decimal(b, u.places)
		if ok && u.factor > 1 {
			return scan.Mul(t, u.factor)
		}
		return t, ok
	}
	n, ok := scan.Uint(b)
	if !ok {
		return 0, false
	}
	unit := int64(1)
	for range u.places {
		unit *= 10
	}
	return scan.Mul(n-u.base, unit)
}

var (
	ns = timeUnit{places: 0}
	us = timeUnit{places: 3}
	ms = timeUnit{places: 6}
	s  = timeUnit{places: 9}

	// Windows counts 100 ns from 1601 on, which is base before 1970.
	ticks    = timeUnit{places: 2}
	filetime = timeUnit{places: 2, base: 116444736000000000}
)

// codes are what the op column holds for each operation, in lower case.
type codes []code

type code struct {
	text string
	op   engine.OpCode
}

// find is the operation of a code, whatever its case.
func (c codes) find(b []byte) (engine.OpCode, bool) {
	for i := range c {
		if sameFold(b, c[i].text) {
			return c[i].op, true
		}
	}
	return 0, false
}

func sameFold(b []byte, lower string) bool {
	if len(b) != len(lower) {
		return false
	}
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// errSkip is why a line is no I/O to replay.
type errSkip string

func (e errSkip) Error() string { return string(e) }

const errEmpty = errSkip("transfers of 0 bytes")

// fault is why a line cannot be parsed. Its text is made when it is shown.
type fault struct {
	column string
	why    string
}

func (f *fault) Error() string { return fmt.Sprintf("column %s: %s", f.column, f.why) }

// parse reads all but the names. Errors are *fault or errSkip.
func (l *layout) parse(f *fields, r *trace.Record) error {
	if f.n < l.columns || f.n > l.columns && !l.more {
		return &fault{"count", fmt.Sprintf("the line has %d columns, not %d", f.n, l.columns)}
	}
	var ok bool
	if r.Time, ok = l.time.parse(f.at(l.time.at)); !ok {
		return &fault{l.time.name, "not a time"}
	}
	op := f.at(l.op.at)
	if len(op) == 0 && l.blankOp != "" {
		return errSkip(l.blankOp)
	}
	if r.Op, ok = l.codes.find(op); !ok {
		return &fault{l.op.name, "not an operation"}
	}
	if r.Offset, ok = l.offset.parse(f.at(l.offset.at)); !ok {
		return &fault{l.offset.name, "not an address from 0 to 2^63-1"}
	}
	if r.Length, ok = l.length.parse(f.at(l.length.at)); !ok {
		return &fault{l.length.name, "not a length from 0 to 2^63-1"}
	}
	if !trace.Fits(r.Offset, r.Length) {
		return &fault{l.length.name, "address and length reach beyond 2^63-1"}
	}
	return l.parseLatency(f, r)
}

func (l *layout) parseLatency(f *fields, r *trace.Record) error {
	r.Latency = trace.Unknown
	if took := f.at(l.latency.at); len(took) > 0 {
		latency, ok := l.latency.parse(took)
		if !ok {
			return &fault{l.latency.name, "not a duration"}
		}
		r.Latency = max(latency, trace.Unknown)
	}
	if r.Length == 0 && r.Op.Transfers() {
		return errEmpty
	}
	return nil
}

// name is the columns at, joined, in buf if it is not one column alone.
func (l *layout) name(f *fields, at []int, buf []byte) []byte {
	if len(at) == 1 {
		return f.at(at[0])
	}
	buf = buf[:0]
	for i, column := range at {
		if i > 0 {
			buf = append(buf, l.join)
		}
		buf = append(buf, f.at(column)...)
	}
	return buf
}
