package luafix

import (
	"cmp"
	"fmt"
)

// opener is a word or bracket that something later must close.
type opener struct {
	word, closer string
	line         int
	indent       int // column of the first token on its line
}

// fault says what the opener lacks.
func (o *opener) fault() string {
	return fmt.Sprintf("the %s at line %d has no %s", quote(o.word), o.line, quote(o.closer))
}

var closers = map[string]string{
	"function": "end", "if": "end", "do": "end", "repeat": "until", "(": ")", "{": "}", "[": "]",
}

// nesting is what tokens have opened and not closed.
type nesting struct {
	stack   []opener
	suspect *opener // whose end stands at another indentation, so that a later end was taken for its own
	pending *opener // an if, elseif, while or for whose "then" or "do" has not come yet
}

func nest(tokens []Token) nesting {
	var n nesting
	line, indent := 0, 0
	for _, t := range tokens {
		if t.Line != line {
			line, indent = t.Line, t.Column
		}
		if t.Kind == Keyword || t.Kind == Symbol {
			n.add(t, indent)
		}
	}
	return n
}

func (n *nesting) add(t Token, indent int) {
	switch t.Text {
	case "if", "elseif":
		n.pending = &opener{t.Text, "then", t.Line, indent}
	case "for", "while":
		n.pending = &opener{t.Text, "do", t.Line, indent}
		n.stack = append(n.stack, opener{t.Text, "end", t.Line, indent})
		return
	case "then":
		n.pending = nil
	case "do":
		if n.pending != nil && n.pending.closer == "do" {
			n.pending = nil
			return
		}
	}
	if closer := closers[t.Text]; closer != "" {
		n.stack = append(n.stack, opener{t.Text, closer, t.Line, indent})
		return
	}
	last := len(n.stack) - 1
	if last < 0 || t.Text != n.stack[last].closer {
		return
	}
	top := n.stack[last]
	n.stack = n.stack[:last]
	if n.suspect == nil && top.line != t.Line && top.indent != indent {
		n.suspect = &top
	}
}

// unclosed finds what a source that ends too early has left open: a block whose
// end stands at another indentation, or else the outermost one. It is nil if nothing is open.
func unclosed(source string) *opener {
	n := nest(Tokens(source))
	if len(n.stack) == 0 {
		return nil
	}
	return cmp.Or(n.suspect, &n.stack[0])
}

// forgotten guesses what is missing before the token at a line and column, which could not go on there.
func forgotten(source string, line, column int) string {
	tokens := Tokens(source)
	at := 0
	for at < len(tokens) && (tokens[at].Line < line || tokens[at].Line == line && tokens[at].Column+len(tokens[at].Text) <= column) {
		at++
	}
	if at == 0 || at == len(tokens) {
		return ""
	}
	n, t := nest(tokens[:at]), tokens[at]
	first := tokens[at-1].Line != t.Line
	if p := n.pending; p != nil && (first || t.Kind == Keyword) {
		return p.fault()
	}
	if len(n.stack) == 0 {
		if isCloser(t.Text) && endsValue(tokens[at-1]) {
			return fmt.Sprintf("there is nothing open that %s could close", quote(t.Text))
		}
		return ""
	}
	top := &n.stack[len(n.stack)-1]
	switch {
	case isCloser(t.Text) && t.Text != top.closer:
		return cmp.Or(n.suspect, top).fault()
	case top.closer == "end" || top.closer == "until" || !endsValue(tokens[at-1]):
		return ""
	case t.Kind == Keyword && t.Text != "function":
		return top.fault()
	case first:
		return "a comma is missing before it, or " + top.fault()
	case startsValue(t):
		return "a comma is missing before it"
	}
	return ""
}

func isCloser(text string) bool {
	switch text {
	case ")", "}", "]", "end", "until":
		return true
	}
	return false
}

func endsValue(t Token) bool {
	switch t.Kind {
	case Name, Number, String:
		return true
	}
	switch t.Text {
	case ")", "}", "]", "end", "nil", "true", "false", "...":
		return true
	}
	return false
}

func startsValue(t Token) bool {
	switch t.Kind {
	case Name, Number, String:
		return true
	}
	return t.Text == "{" || t.Text == "function"
}
