package columns

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"moonio/engine"
	"moonio/engine/suggest"
	"moonio/engine/trace"
	"moonio/engine/trace/internal/scan"
	"moonio/engine/units"
)

// Columns reads a table that the user describes.
var Columns = &trace.Format{
	Name: "columns", Help: "any table: say where its columns are",
	Args: []trace.Arg{
		{Name: "time", Help: "column and unit of the time of issue, such as 1:us (ns us ms s filetime, or a duration such as 100ns). Columns have numbers, or the names that the first line says, here and below"},
		{Name: "op", Help: "column of the operation, and its codes for reads and writes, then trims and flushes, such as 2:R/W or 2:28|88/2a|8a"},
		{Name: "offset", Help: "column and unit of the address, such as 4:sectors (bytes, sectors, KiB, pages or a number of bytes)"},
		{Name: "length", Help: "column and unit of the length, such as 5:bytes"},
		{Name: "latency", Help: "column and unit of the time from issue to completion, such as 7:ms"},
		{Name: "file", Help: "column of the file, device or volume"},
		{Name: "stream", Help: "column of the process, thread or host"},
		{Name: "header", Help: "1: the first line is a header"},
		{Name: "separator", Help: `between columns: comma (else), tab, semicolon, space, or the character`},
	},
	Sniff: func([]byte) int { return 0 },
	Open: func(in *trace.Input, log *trace.Log, o *trace.Options) (trace.Reader, error) {
		head, _ := in.Peek(in.Size())
		l, err := described(o, head)
		if err != nil {
			return nil, fmt.Errorf("columns: %w", err)
		}
		return open(l, in, log), nil
	},
}

// described is the layout that the arguments describe, for a file that begins with head.
func described(o *trace.Options, head []byte) (*layout, error) {
	l := &layout{separator: ',', more: true, quoted: true, head: head}
	for _, part := range []struct {
		name  string
		parse func(*layout, string) error
		must  string // what to say, if it must be said
	}{
		{"separator", (*layout).setSeparator, ""},
		{"header", (*layout).setHeader, ""},
		{"time", (*layout).setTime, "time=1:us"},
		{"op", (*layout).setOp, "op=2:R/W"},
		{"offset", (*layout).setOffset, "offset=3:bytes"},
		{"length", (*layout).setLength, "length=4:bytes"},
		{"latency", (*layout).setLatency, ""},
		{"file", (*layout).setFile, ""},
		{"stream", (*layout).setStream, ""},
	} {
		value := o.Arg(part.name)
		if value == "" {
			if part.must != "" {
				return nil, fmt.Errorf("column %s is missing: say where it is, such as %s", part.name, part.must)
			}
			continue
		}
		if err := part.parse(l, value); err != nil {
			return nil, fmt.Errorf("%s=%s: %w", part.name, value, err)
		}
	}
	l.head = nil
	return l, nil
}

func (l *layout) setSeparator(value string) error {
	names := map[string]byte{"comma": ',', "tab": '\t', "semicolon": ';', "space": blanks, `\t`: '\t', "pipe": '|'}
	if b, ok := names[value]; ok {
		l.separator = b
		return nil
	}
	if len(value) != 1 || value[0] < ' ' && value[0] != '\t' || value[0] >= 0x7f {
		return errors.New("not one character, nor comma, tab, semicolon, pipe or space")
	}
	l.separator = value[0]
	return nil
}

func (l *layout) setHeader(value string) (err error) {
	l.header, err = strconv.ParseBool(value)
	if err != nil {
		return errors.New("not 0 or 1")
	}
	return nil
}

// place parses a column's number or name, and gives what follows it after a colon.
func (l *layout) place(value string) (at int, rest string, err error) {
	word, rest, _ := strings.Cut(value, ":")
	if at, err = strconv.Atoi(word); err != nil {
		at, err = l.named(word)
		return at, rest, err
	}
	if at == 0 || at > maxColumns || at < -maxColumns {
		return 0, "", fmt.Errorf("%q is no column: they count from 1 to %d, and from the end from -1", word, maxColumns)
	}
	l.columns = max(l.columns, at, -at)
	return at, rest, nil
}

// named is the column that the file's first line calls so, whatever the case. That line is a header then.
func (l *layout) named(name string) (int, error) {
	lines := slices.DeleteFunc(scan.Head(l.head, sniffed), aside)
	if len(lines) == 0 {
		return 0, fmt.Errorf("%q is no column's number, and there is no line that could name columns", name)
	}
	var f fields
	f.split(l, lines[0])
	var known []string
	for _, field := range f.all[:f.n] {
		known = append(known, strings.ToLower(string(field)))
	}
	i := slices.Index(known, strings.ToLower(strings.TrimSpace(name)))
	if i < 0 || name == "" {
		return 0, fmt.Errorf("%q is no column's number, and none that the first line names%s: it has %.200q", name, suggest.Hint(name, known), strings.Join(known, ", "))
	}
	l.header = true
	l.columns = max(l.columns, i+1)
	return i + 1, nil
}

func (l *layout) setTime(value string) (err error) {
	l.time, err = l.clock("time", value)
	l.unix = l.time.base != 0
	return err
}

func (l *layout) setLatency(value string) (err error) {
	l.latency, err = l.clock("latency", value)
	l.latency.base = 0
	return err
}

func (l *layout) clock(name, value string) (c clock, err error) {
	c.name = name
	var unit string
	if c.at, unit, err = l.place(value); err == nil {
		c.timeUnit, err = unitOfTime(unit)
	}
	return c, err
}

func (l *layout) setOffset(value string) (err error) {
	l.offset, err = l.size("offset", value)
	return err
}

func (l *layout) setLength(value string) (err error) {
	l.length, err = l.size("length", value)
	return err
}

func (l *layout) size(name, value string) (c column, err error) {
	at, unit, err := l.place(value)
	if err != nil {
		return c, err
	}
	c = column{name: name, at: at}
	c.unit, err = unitOfSize(unit)
	return c, err
}

func (l *layout) setFile(value string) (err error) {
	l.file, err = l.only(value)
	return err
}

func (l *layout) setStream(value string) (err error) {
	l.stream, err = l.only(value)
	return err
}

func (l *layout) only(value string) ([]int, error) {
	at, rest, err := l.place(value)
	if err == nil && rest != "" {
		err = fmt.Errorf("%q after the column's number", rest)
	}
	return []int{at}, err
}

// setOp parses codes such as R/W or 28|88/2a|8a, in the order of ops.
func (l *layout) setOp(value string) error {
	at, all, err := l.place(value)
	if err != nil {
		return err
	}
	l.op = column{name: "op", at: at}
	ops := []engine.OpCode{engine.Read, engine.Write, engine.Trim, engine.Fsync}
	parts := strings.Split(all, "/")
	if len(parts) < 2 || len(parts) > len(ops) {
		return errors.New("say the codes of reads and of writes, such as 2:R/W")
	}
	for i, part := range parts {
		for _, text := range strings.Split(part, "|") {
			if _, twice := l.codes.find([]byte(text)); twice || text == "" {
				return fmt.Errorf("code %q: a code is not empty, and stands for one operation", text)
			}
			l.codes = append(l.codes, code{strings.ToLower(text), ops[i]})
		}
	}
	return nil
}

var timeUnits = []string{"ns", "us", "ms", "s", "filetime"}

// unitOfTime is the unit of a name.
func unitOfTime(name string) (timeUnit, error) {
	switch name {
	case "ns":
		return ns, nil
	case "us", "µs":
		return us, nil
	case "ms":
		return ms, nil
	case "s":
		return s, nil
	case "filetime":
		return filetime, nil
	case "":
		return timeUnit{}, fmt.Errorf("unit is missing: say one of %s, or a duration, after a colon", strings.Join(timeUnits, ", "))
	}
	if d, err := units.Duration(name); err == nil && d > 0 {
		return multiple(int64(d)), nil
	}
	return timeUnit{}, fmt.Errorf("unit %q is none of %s, nor a duration such as 100ns%s", name, strings.Join(timeUnits, ", "), suggest.Hint(name, timeUnits))
}

// multiple is a unit of any number of nanoseconds.
func multiple(ns int64) (u timeUnit) {
	for ; ns%10 == 0; ns /= 10 {
		u.places++
	}
	u.factor = ns
	return u
}

var sizeUnits = []string{"bytes", "sectors", "KiB", "pages"}

// unitOfSize is a unit in bytes.
func unitOfSize(name string) (int64, error) {
	units := []int64{1, sector, 1 << 10, 4 << 10}
	if i := slices.Index(sizeUnits, name); i >= 0 {
		return units[i], nil
	}
	if n, err := strconv.ParseInt(name, 10, 32); err == nil && n > 0 {
		return n, nil
	}
	if name == "" {
		return 0, fmt.Errorf("unit is missing: say one of %s, or a number of bytes, after a colon", strings.Join(sizeUnits, ", "))
	}
	return 0, fmt.Errorf("unit %q is none of %s, nor a number of bytes%s", name, strings.Join(sizeUnits, ", "), suggest.Hint(name, sizeUnits))
}
