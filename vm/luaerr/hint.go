package luaerr

import (
	"regexp"
	"strings"

	"moonio/engine/suggest"
	"moonio/vm/luafix"
)

// slip is something that other languages write and Lua does not.
type slip struct {
	tokens []string // one after the other, without space between them
	hint   string
}

var slips = []slip{
	{[]string{"!", "="}, `Lua writes ~= for "not equal"`},
	{[]string{"+", "="}, "Lua has no +=: write x = x + 1"},
	{[]string{"-", "="}, "Lua has no -=: write x = x - 1"},
	{[]string{"*", "="}, "Lua has no *=: write x = x * 2"},
	{[]string{"/", "="}, "Lua has no /=: write x = x / 2"},
	{[]string{"..", "="}, `Lua has no ..=: write s = s .. "more"`},
	{[]string{"+", "+"}, "Lua has no ++: write x = x + 1"},
	{[]string{"&", "&"}, `Lua writes "and"`},
	{[]string{"|", "|"}, `Lua writes "or"`},
	{[]string{"!"}, `Lua writes "not"`},
	{[]string{"/", "/"}, "comments begin with --, and Lua 5.1 has no integer division: use math.floor(a / b)"},
	{[]string{"/", "*"}, "comments are --[[ … ]]"},
	{[]string{"continue"}, "Lua has no continue: put \"goto continue\" here and \"::continue::\" before the loop's end"},
	{[]string{"null"}, "Lua writes nil"},
	{[]string{"None"}, "Lua writes nil"},
	{[]string{"elif"}, "Lua writes elseif"},
	{[]string{"?"}, "Lua writes \"condition and this or that\""},
}

var (
	unit       = regexp.MustCompile(`malformed number near '(\d[\d.]*[A-Za-z/]+)'`)
	assignment = regexp.MustCompile(`\b(if|while|until|elseif)\b[^=~<>]*[^=~<>]=[^=]`)
	elseIf     = regexp.MustCompile(`\belse\s+if\b`)
	nilGlobal  = regexp.MustCompile(`nil value \(global '([^']+)'\)`)
	textNumber = regexp.MustCompile(`^attempt to (compare (number with string|string with number)|perform arithmetic on a string value)`)
	noNumber   = regexp.MustCompile(`^attempt to (perform arithmetic on|concatenate) a userdata value|^attempt to compare (number with userdata|userdata with number)`)
)

// hint guesses what was meant.
func (e *Error) hint(syntax bool, known []string) string {
	if m := nilGlobal.FindStringSubmatch(e.Message); m != nil {
		if near, ok := suggest.Nearest(m[1], known); ok {
			return "did you mean '" + near + "'?"
		}
	}
	switch {
	case syntax:
	case textNumber.MatchString(e.Message):
		return `figures are numbers, in seconds and bytes, and so are ms(5), seconds("5ms") and bytes("4KiB")`
	case noNumber.MatchString(e.Message):
		return "a counter's number is c:get(), which c:add(1) adds to; that of a semaphore's free units is s:value()"
	default:
		return ""
	}
	if m := unit.FindStringSubmatch(e.Message); m != nil {
		return `sizes, durations and rates with a unit are texts: "` + m[1] + `"`
	}
	tokens := luafix.Tokens(e.Source)
	for _, s := range slips {
		if follow(tokens, s.tokens) {
			return s.hint
		}
	}
	switch {
	case assignment.MatchString(e.Source):
		return "a comparison is written =="
	case elseIf.MatchString(e.Source) || strings.Contains(e.Message, "'if' at line"):
		return "Lua writes elseif in one word; \"else if\" needs an end of its own"
	}
	return ""
}

// follow says whether tokens of these texts stand side by side.
func follow(tokens []luafix.Token, texts []string) bool {
	for i := range tokens {
		if i+len(texts) > len(tokens) {
			return false
		}
		fits := true
		for j, text := range texts {
			t := tokens[i+j]
			fits = fits && t.Text == text && t.Column == tokens[i].Column+j*len(texts[0])
		}
		if fits {
			return true
		}
	}
	return false
}
