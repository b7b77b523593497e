package fiojob

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Error is something wrong with what was written. Its text is a line that says where and
// what, the line as it was written, if it is at hand, and a mark beneath the part that is wrong.
type Error struct {
	Pos  Pos
	What string // the option and its value, or what else is wrong
	Why  string
	Mark string // the part to mark, which Pos.Text holds; all of it if it does not
	From int    // where to look for it in Pos.Text
}

func (e *Error) Error() string {
	text := fmt.Sprintf("%s: %s: %s", e.Pos, e.What, e.Why)
	if e.Pos.Text == "" {
		return text
	}
	return text + "\n" + e.excerpt()
}

func (e *Error) excerpt() string {
	text := strings.Map(printable, e.Pos.Text)
	at, mark := 0, strings.Map(printable, e.Mark)
	if i := strings.Index(text[min(e.From, len(text)):], mark); i >= 0 && mark != "" {
		at = min(e.From, len(text)) + i
	} else {
		mark = strings.TrimSpace(text)
		at = strings.Index(text, mark)
	}
	blank := strings.Repeat(" ", utf8.RuneCountInString(text[:at]))
	return "    " + text + "\n    " + blank + strings.Repeat("^", max(1, utf8.RuneCountInString(mark)))
}

// printable keeps a mark beneath what it marks, and a terminal from taking text for a command.
func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return ' '
	}
	return r
}

// String is the place in the words of an error.
func (p Pos) String() string {
	switch {
	case p.File != "":
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	case p.Line > 0:
		return fmt.Sprintf("argument %d", p.Line)
	}
	return "command line"
}

// Fail is an error of an option's value. part is what of it is wrong, or all of it if
// that is "".
func (o Option) Fail(part, format string, args ...any) error {
	e := &Error{Pos: o.Pos, What: o.String(), Why: fmt.Sprintf(format, args...), Mark: part}
	if part == "" {
		e.Mark = o.Value
	}
	if o.Given {
		e.From = valueAt(o.Pos)
	}
	return e
}

// valueAt is where the value begins in an option as it was written.
func valueAt(p Pos) int {
	between := "="
	if p.File == "" {
		between = "= "
	}
	return strings.IndexAny(p.Text, between) + 1
}

// String is the option as fio's users write it.
func (o Option) String() string {
	if !o.Given {
		return o.Name
	}
	return o.Name + "=" + o.Value
}
