package luaerr

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"moonio/engine/suggest"
)

// improve names what gopher-lua's messages leave out, marks it in the source line,
// and adds a hint.
func (e *Error) improve(known []string) {
	e.nameCall(known)
	e.Hint = e.hint()
	if e.Column == 0 {
		e.mark()
	}
}

var (
	callee   = regexp.MustCompile(`([A-Za-z_][\w]*(?:[.:][A-Za-z_]\w*)*)\s*[({"']`)
	noCall   = "attempt to call a non-function object"
	keywords = []string{"and", "break", "do", "else", "elseif", "end", "for", "function", "if", "in", "local", "not", "or", "repeat", "return", "then", "until", "while"}
)

// nameCall finds out which call in the line was of something that is no function: if
// only one is of a name that scripts do not have, it is that one.
func (e *Error) nameCall(known []string) {
	if !strings.HasPrefix(e.Message, noCall) {
		return
	}
	e.Message = "attempt to call a value that is not a function"
	var found []string
	for _, m := range callee.FindAllStringSubmatch(code(e.Source), -1) {
		if name := m[1]; !slices.Contains(known, name) && !slices.Contains(keywords, name) && !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	if len(found) != 1 {
		return
	}
	name := found[0]
	e.Message = fmt.Sprintf("attempt to call %q, which is not a function", name)
	e.at(name)
	if near, ok := suggest.Nearest(name, known); ok {
		e.Hint = fmt.Sprintf("did you mean %q?", near)
	}
}

// code is a line without its comment and with its texts blanked.
func code(line string) string {
	b := []byte(line)
	for i := 0; i < len(b); i++ {
		switch {
		case b[i] == '-' && i+1 < len(b) && b[i+1] == '-':
			return string(b[:i])
		case b[i] == '"' || b[i] == '\'':
			q := b[i]
			for i++; i < len(b) && b[i] != q; i++ {
				if b[i] == '\\' && i+1 < len(b) {
					b[i] = ' '
					i++
				}
				b[i] = ' '
			}
		}
	}
	return string(b)
}

var quoted = regexp.MustCompile(`['"]([^'"\n]+)['"]`)

// mark puts the mark under the first thing in the line that the message quotes.
func (e *Error) mark() {
	for _, m := range quoted.FindAllStringSubmatch(e.Message, -1) {
		if e.at(m[1]); e.Column > 0 {
			return
		}
	}
	if e.Source != "" {
		trimmed := strings.TrimLeft(e.Source, " \t")
		e.Column, e.Width = len(e.Source)-len(trimmed)+1, len([]rune(trimmed))
	}
}

// at marks a part of the line.
func (e *Error) at(part string) {
	if i := strings.Index(e.Source, part); i >= 0 && part != "" {
		e.Column, e.Width = i+1, len([]rune(part))
	}
}

// slip is something that other languages write and Lua does not.
type slip struct {
	pattern *regexp.Regexp
	hint    string
}

var slips = []slip{
	{regexp.MustCompile(`!=`), "Lua writes ~= for \"not equal\""},
	{regexp.MustCompile(`[-+*/]=`), "Lua has no +=: write x = x + 1"},
	{regexp.MustCompile(`\+\+`), "Lua has no ++: write x = x + 1"},
	{regexp.MustCompile(`&&`), "Lua writes \"and\""},
	{regexp.MustCompile(`\|\|`), "Lua writes \"or\""},
	{regexp.MustCompile(`![\w(]`), "Lua writes \"not\""},
	{regexp.MustCompile(`\bcontinue\b`), "Lua has no continue: use goto, or put the rest into an if"},
	{regexp.MustCompile(`\belse\s+if\b`), "Lua writes elseif in one word; \"else if\" needs an end of its own"},
	{regexp.MustCompile(`\b(if|while)\b[^=~<>]*[^=~<>]=[^=]`), "a comparison is written =="},
	{regexp.MustCompile(`\bnull\b|\bNone\b`), "Lua writes nil"},
	{regexp.MustCompile(`//`), "comments begin with --, and Lua 5.1 has no integer division: use math.floor(a / b)"},
}

// hint guesses what was meant.
func (e *Error) hint() string {
	if e.Hint != "" {
		return e.Hint
	}
	switch {
	case strings.Contains(e.Message, "attempt to index a nil value"), strings.Contains(e.Message, "attempt to index a non-table object(nil)"):
		return "what stands before the dot, the colon or the bracket is nil"
	case strings.Contains(e.Message, "unexpected") || strings.Contains(e.Message, "near"):
		text := code(e.Source)
		for _, s := range slips {
			if s.pattern.MatchString(text) {
				return s.hint
			}
		}
	}
	return ""
}
