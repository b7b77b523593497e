package columns

import (
	"bytes"

	"moonio/engine/trace/internal/scan"
)

// fields are a line's columns, without blanks around them.
type fields struct {
	all [maxColumns][]byte
	n   int
}

// split takes a line apart. A field can stand in double quotes if l says so; two of them within are
// one.
func (f *fields) split(l *layout, line []byte) {
	f.n = 0
	for more := true; more && f.n < maxColumns; {
		var field []byte
		if l.separator == blanks {
			if line = scan.Trim(line); len(line) == 0 {
				return
			}
		}
		if l.quoted {
			field, line, more = quotedField(line, l.separator)
		}
		if field == nil {
			field, line, more = bareField(line, l.separator)
		}
		f.all[f.n] = field
		f.n++
	}
}

// bareField is the first field of a line, and what follows its separator, if there is one.
func bareField(line []byte, separator byte) (field, rest []byte, more bool) {
	if separator == blanks {
		field, rest = scan.Field(line)
		return field, rest, true
	}
	i := bytes.IndexByte(line, separator)
	if i < 0 {
		return scan.Bare(line), nil, false
	}
	return scan.Bare(line[:i]), line[i+1:], true
}

// quotedField is a first field that stands in quotes, without them; nil if it does not.
func quotedField(line []byte, separator byte) (field, rest []byte, more bool) {
	b := indented(line, separator)
	if len(b) == 0 || b[0] != '"' {
		return nil, line, true
	}
	end, pairs := closing(b)
	if end < 0 {
		return nil, line, true
	}
	behind := b[end+1:]
	rest = indented(behind, separator)
	switch {
	case len(rest) == 0:
	case rest[0] == separator:
		rest, more = rest[1:], true
	case separator == blanks && len(rest) < len(behind):
		more = true
	default: // the quote is of the field itself
		return nil, line, true
	}
	if field = scan.Bare(b[1:end]); pairs {
		field = bytes.ReplaceAll(field, []byte(`""`), []byte(`"`))
	}
	return field, rest, more
}

// indented is b without the blanks at its beginning that are no separators.
func indented(b []byte, separator byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') && (b[0] != separator || separator == blanks) {
		b = b[1:]
	}
	return b
}

// closing is where the quote is that ends b's field, or -1, and whether there are pairs of them before.
func closing(b []byte) (end int, pairs bool) {
	for i := 1; i < len(b); i++ {
		switch {
		case b[i] != '"':
		case i+1 < len(b) && b[i+1] == '"':
			i, pairs = i+1, true
		default:
			return i, pairs
		}
	}
	return -1, false
}

// at is a column, or nil if the line has none such.
func (f *fields) at(column int) []byte {
	if column < 0 {
		column += f.n + 1
	}
	if column < 1 || column > f.n {
		return nil
	}
	return f.all[column-1]
}
