package luafix

// opener is a word or bracket that something later must close.
type opener struct {
	word, closer string
	line         int
	indent       int // column of the first token on its line
}

var closers = map[string]string{
	"function": "end", "if": "end", "do": "end", "repeat": "until", "(": ")", "{": "}", "[": "]",
}

// unclosed finds what a source that ends too early has left open: a block whose
// end stands at another indentation, so that a later end was taken for its own,
// or else the outermost one.
func unclosed(source string) (opener, bool) {
	var stack []opener
	var suspect *opener
	line, indent := 0, 0
	loop := false // between for or while and its do
	for _, t := range Tokens(source) {
		if t.Line != line {
			line, indent = t.Line, t.Column
		}
		if t.Kind != Keyword && t.Kind != Symbol {
			continue
		}
		switch n := len(stack); {
		case t.Text == "for" || t.Text == "while":
			stack = append(stack, opener{t.Text, "end", t.Line, indent})
			loop = true
		case t.Text == "do" && loop:
			loop = false
		case closers[t.Text] != "":
			stack = append(stack, opener{t.Text, closers[t.Text], t.Line, indent})
		case n > 0 && t.Text == stack[n-1].closer:
			top := stack[n-1]
			stack = stack[:n-1]
			if suspect == nil && top.line != t.Line && top.indent != indent {
				suspect = &top
			}
		}
	}
	if len(stack) == 0 {
		return opener{}, false
	}
	if suspect != nil {
		return *suspect, true
	}
	return stack[0], true
}
