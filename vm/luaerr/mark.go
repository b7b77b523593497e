package luaerr

import (
	"regexp"
	"slices"
	"strings"

	"moonio/vm/luafix"
)

var (
	variable = regexp.MustCompile(`\((global|local|upvalue|field|method) '([^'\n]+)'\)`)
	option   = regexp.MustCompile(`\boption (\w+): |\bunknown option "(\w+)"|\b(\w+) = \S+: `)
	quoted   = regexp.MustCompile(`['"]([^'"\n]+)['"]`)
	context  = regexp.MustCompile(`^([\w.]+)( "[^"\n]*")?: `) // what was called, and the name that it was given
	about    = regexp.MustCompile(`^(\w+)\(`)
)

// mark puts the mark under the best guess of what in the line is wrong: the variable that
// the message names, else the option, else the first thing that it quotes, else the function that it is about.
func (e *Error) mark() {
	tokens := luafix.Tokens(e.Source)
	if e.Column > 0 {
		e.widen(tokens)
		return
	}
	if m := variable.FindStringSubmatch(e.Message); m != nil {
		e.markVariable(tokens, m[1], m[2])
		return
	}
	for _, m := range option.FindAllStringSubmatch(e.Message, -1) {
		if e.markOption(tokens, m[1]+m[2]+m[3]); e.Column > 0 {
			return
		}
	}
	if strings.HasPrefix(e.Message, "attempt to compare") {
		e.markOnly(tokens, "<", "<=", ">", ">=")
		return
	}
	calls, said := e.calls()
	if m := about.FindStringSubmatch(said); m != nil {
		e.markCall(tokens, m[1])
	}
	for _, m := range quoted.FindAllStringSubmatch(said, -1) {
		if e.Column == 0 {
			e.markText(tokens, m[1])
		}
	}
	for _, name := range calls {
		if e.Column == 0 {
			e.markCall(tokens, name)
		}
	}
}

// calls are the functions that the message is about, the innermost first, and what it says of them.
func (e *Error) calls() (names []string, said string) {
	said = e.Message
	for m := context.FindStringSubmatch(said); m != nil; m = context.FindStringSubmatch(said) {
		names = append([]string{m[1]}, names...)
		said = said[len(m[0]):]
	}
	return names, said
}

// markCall marks a name where it is called, if that is only once.
func (e *Error) markCall(tokens []luafix.Token, name string) {
	var found []luafix.Token
	for i, t := range tokens {
		if t.Text == name && t.Kind == luafix.Name && strings.Contains("({\"'[", textAt(tokens, i+1)[:1]) {
			found = append(found, t)
		}
	}
	if len(found) == 1 {
		e.markToken(found[0])
	}
}

// widen makes a mark as wide as the token that it is under.
func (e *Error) widen(tokens []luafix.Token) {
	for _, t := range tokens {
		if t.Line == 1 && t.Column == e.Column {
			e.Width = len(t.Text)
		}
	}
}

func (e *Error) markToken(t luafix.Token) { e.Column, e.Width = t.Column, len(t.Text) }

// markVariable marks a name: that of a field behind a dot, of a method behind a colon; and
// of several, one that is used in the way that failed.
func (e *Error) markVariable(tokens []luafix.Token, kind, name string) {
	for i, t := range tokens {
		if t.Text != name || t.Kind != luafix.Name || !fitsKind(kind, textAt(tokens, i-1)) {
			continue
		}
		if used := strings.Contains(e.usage(), textAt(tokens, i+1)[:1]); e.Column == 0 || used {
			e.markToken(t)
			if used {
				return
			}
		}
	}
}

// usage are what tokens begin with that follow a name which is used as the message says.
func (e *Error) usage() string {
	switch {
	case strings.HasPrefix(e.Message, "attempt to call"):
		return "({\"'["
	case strings.HasPrefix(e.Message, "attempt to index"):
		return ".:["
	}
	return "+-*/%^.)"
}

func fitsKind(kind, before string) bool {
	switch kind {
	case "field":
		return before == "."
	case "method":
		return before == ":"
	}
	return before != "." && before != ":"
}

// markOption marks a name to which something is given.
func (e *Error) markOption(tokens []luafix.Token, name string) {
	for i, t := range tokens {
		if t.Text == name && textAt(tokens, i+1) == "=" {
			e.markToken(t)
			return
		}
	}
}

// textAt is a token's text; that of one which is not there is a space.
func textAt(tokens []luafix.Token, i int) string {
	if i < 0 || i >= len(tokens) {
		return " "
	}
	return tokens[i].Text
}

// markText marks a token with that text, or what of a token has it.
func (e *Error) markText(tokens []luafix.Token, text string) {
	for _, t := range tokens {
		if t.Text == text {
			e.markToken(t)
			return
		}
	}
	if i := strings.Index(e.Source, text); i >= 0 && len(text) > 1 {
		e.Column, e.Width = i+1, len(text)
	}
}

// markOnly marks the only one in the line of some operators.
func (e *Error) markOnly(tokens []luafix.Token, operators ...string) {
	var found []luafix.Token
	for _, t := range tokens {
		if slices.Contains(operators, t.Text) {
			found = append(found, t)
		}
	}
	if len(found) == 1 {
		e.markToken(found[0])
	}
}
