// Package luaerr tells people what is wrong with their script: which file and
// line, the line itself with a mark under the offending part, and a hint where
// there is one.
//
// Whatever ends a script, a syntax error, a run-time error or a panic in Go beneath
// it, becomes one [Error].
package luaerr

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	lua "github.com/yuin/gopher-lua"

	"moonio/vm/luafix"
)

// Error is a fault of a script.
type Error struct {
	File      string
	Line      int    // from 1; 0 if unknown
	Column    int    // of the offending part's first byte in Source, from 1; 0 if unknown
	Width     int    // of the offending part in bytes; 0 if Column is unknown
	Message   string // in Lua's words, without the place
	Source    string // the line itself; empty if unknown
	Hint      string // what to do; empty if nothing is known
	Traceback string // the calls that led there, one a line; empty if unknown
}

// Place is the file and line, as Lua writes them.
func (e *Error) Place() string {
	if e.Line == 0 {
		return e.File
	}
	return e.File + ":" + strconv.Itoa(e.Line)
}

// Error is everything that there is to say, over several lines.
func (e *Error) Error() string {
	var b strings.Builder
	if p := e.Place(); p != "" {
		fmt.Fprintf(&b, "%s: ", p)
	}
	b.WriteString(printable(shorten(e.Message)))
	if e.Source != "" {
		number := strconv.Itoa(e.Line)
		part := e.window()
		fmt.Fprintf(&b, "\n  %s | %s", number, printable(part.Source))
		if part.Column > 0 {
			fmt.Fprintf(&b, "\n  %s | %s", strings.Repeat(" ", len(number)), part.underline())
		}
	}
	if e.Hint != "" {
		fmt.Fprintf(&b, "\nhint: %s", e.Hint)
	}
	if e.Traceback != "" {
		fmt.Fprintf(&b, "\ncalled from:\n%s", e.Traceback)
	}
	return b.String()
}

// underline is the line with the mark, as wide on a terminal as the source.
func (e *Error) underline() string {
	from := min(e.Column-1, len(e.Source))
	part := e.Source[from:min(from+e.Width, len(e.Source))]
	return indent(e.Source[:from]) + "^" + strings.Repeat("~", max(0, utf8.RuneCountInString(part)-1))
}

// printable is the text without what a terminal would take for commands: a file that
// is no script may be full of it.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' && r != '\n' {
			return '·'
		}
		return r
	}, text)
}

// indent is as wide on a terminal as the text is.
func indent(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, text)
}

// Sources finds the text of a chunk by the name that errors call it.
type Sources func(file string) (text string, ok bool)

// New makes an Error of what luafix, lua51 or gopher-lua returned. An error that knows what
// may have been meant has a method Hint. known are names that scripts can use, for
// hints; sources may be nil.
func New(err error, sources Sources, known []string) *Error {
	e := &Error{}
	var syntax *luafix.SyntaxError
	var api *lua.ApiError
	switch {
	case errors.As(err, &syntax):
		*e = Error{File: syntax.File, Line: syntax.Line, Column: syntax.Column, Width: min(1, syntax.Column), Message: syntax.Message}
	case errors.As(err, &api):
		e.runtime(api)
	default:
		e.Message = err.Error()
	}
	if sources != nil {
		if text, ok := sources(e.File); ok {
			e.Source = line(text, e.Line)
		}
	}
	e.mark()
	guess := func() string { return e.hint(syntax != nil, known) }
	var hinter interface{ Hint() string }
	switch {
	case !errors.As(err, &hinter):
		e.Hint = guess()
	case syntax != nil: // what other languages write comes before what is missing
		e.Hint = cmp.Or(guess(), hinter.Hint())
	default:
		e.Hint = cmp.Or(hinter.Hint(), guess())
	}
	return e
}

func (e *Error) runtime(api *lua.ApiError) {
	if api.Cause != nil && api.Type == lua.ApiErrorPanic {
		e.Message = fmt.Sprintf("the program failed beneath the script, which is a fault of moonio and not of the script: %v", api.Cause)
		return
	}
	e.File, e.Line, e.Message = split(thrown(api.Object))
	if e.File == "" {
		// Thrown without a place: say where.
		first, _, _ := strings.Cut(api.StackTrace, "\n")
		e.File, e.Line, _ = split(first)
	}
	e.Traceback = traceback(api.StackTrace, e.Place())
}

// thrown is what an error value says.
func thrown(v lua.LValue) string {
	what := "nil"
	switch v := v.(type) {
	case lua.LString, lua.LNumber:
		return v.String()
	case nil, *lua.LNilType:
	case lua.LBool:
		what = v.String()
	case *lua.LState:
		what = "a coroutine"
	default:
		what = "a " + v.Type().String()
	}
	return "an error value that is " + what + " was thrown and not caught"
}

var place = regexp.MustCompile(`(?s)^([^\n]+?):(\d+): (.*)$`)

// split takes the place off the front of a message.
func split(text string) (file string, line int, message string) {
	m := place.FindStringSubmatch(text)
	if m == nil {
		return "", 0, text
	}
	line, _ = strconv.Atoi(m[2])
	return m[1], line, m[3]
}

// line is a line of a text, from 1.
func line(text string, n int) string {
	lines := strings.Split(text, "\n")
	if n < 1 || n > len(lines) {
		return ""
	}
	return strings.TrimRight(lines[n-1], " \t\r")
}

// maxTrace bounds how many calls are listed.
const maxTrace = 10

// traceback keeps of gopher-lua's the lines that name a place in a script and lead to where the error is. What blames
// its caller, as error does with a level of 2, is further in.
func traceback(trace, at string) string {
	lines := strings.Split(trace, "\n")
	isPlace := func(l string) bool { return strings.HasPrefix(strings.TrimSpace(l), at+":") }
	lines = lines[slices.IndexFunc(lines, isPlace)+1:]
	var out []string
	for _, l := range lines {
		l = strings.TrimSpace(l)
		if l == "" || l == "stack traceback:" || strings.HasPrefix(l, "[G]") || isPlace(l) {
			continue
		}
		if len(out) == maxTrace {
			out = append(out, "  ...")
			break
		}
		out = append(out, "  "+l)
	}
	return strings.Join(out, "\n")
}
