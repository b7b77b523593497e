package luafix

import "strings"

// Kind is the kind of a token.
type Kind uint8

// The kinds of token.
const (
	Name    Kind = iota // an identifier
	Keyword             // a reserved word
	Number              // a numeral, well formed or not
	String              // a string literal, quotes and all
	Symbol              // an operator or punctuation
	Bad                 // a byte that begins no token, or a string that never ends
)

// Token is one token of Lua source.
type Token struct {
	Kind   Kind
	Text   string // as written
	Line   int    // of its first byte, from 1
	Column int    // of its first byte, from 1
}

var keywords = map[string]bool{
	"and": true, "break": true, "do": true, "else": true, "elseif": true, "end": true, "false": true, "for": true,
	"function": true, "goto": true, "if": true, "in": true, "local": true, "nil": true, "not": true, "or": true,
	"repeat": true, "return": true, "then": true, "true": true, "until": true, "while": true,
}

// Tokens splits source into tokens without comments. It takes any input; what is
// not Lua comes out as Bad. It serves messages, never compilation.
func Tokens(source string) []Token {
	tokens, _ := scan(source)
	return tokens
}

// scan also returns where a comment begins with a bracket that is not a long one.
func scan(source string) (out []Token, odd []int) {
	s := scanner{src: source, line: 1}
	for {
		s.skipSpace()
		if s.pos >= len(s.src) {
			return out, s.odd
		}
		t := Token{Line: s.line, Column: s.pos - s.lineStart + 1}
		start := s.pos
		t.Kind = s.scan()
		t.Text = s.src[start:s.pos]
		if t.Kind == Name && keywords[t.Text] {
			t.Kind = Keyword
		}
		out = append(out, t)
	}
}

type scanner struct {
	src       string
	pos       int
	line      int
	lineStart int   // offset of the current line
	odd       []int // where a comment begins with a bracket that is not a long one
}

func (s *scanner) at(i int) byte {
	if s.pos+i < len(s.src) {
		return s.src[s.pos+i]
	}
	return 0
}

// advance moves to an offset, counting lines.
func (s *scanner) advance(to int) {
	for ; s.pos < to; s.pos++ {
		if s.src[s.pos] == '\n' {
			s.line++
			s.lineStart = s.pos + 1
		}
	}
}

func (s *scanner) skipSpace() {
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; {
		case c == ' ' || c >= '\t' && c <= '\r':
			s.advance(s.pos + 1)
		case strings.HasPrefix(s.src[s.pos:], "--"):
			s.comment()
		default:
			return
		}
	}
}

func (s *scanner) comment() {
	s.pos += 2
	if level := s.longBracket(); level >= 0 {
		s.long(level)
		return
	}
	if s.at(0) == '[' {
		s.odd = append(s.odd, s.pos)
	}
	if i := strings.IndexByte(s.src[s.pos:], '\n'); i >= 0 {
		s.pos += i
	} else {
		s.pos = len(s.src)
	}
}

// longBracket is the number of = in the long bracket that opens here, -1 if none does.
func (s *scanner) longBracket() int {
	if s.at(0) != '[' {
		return -1
	}
	n := 1
	for s.at(n) == '=' {
		n++
	}
	if s.at(n) != '[' {
		return -1
	}
	return n - 1
}

// long passes a long string or comment; false if it never ends.
func (s *scanner) long(level int) bool {
	closer := "]" + strings.Repeat("=", level) + "]"
	body := s.pos + level + 2
	i := strings.Index(s.src[body:], closer)
	if i < 0 {
		s.advance(len(s.src))
		return false
	}
	s.advance(body + i + len(closer))
	return true
}

func (s *scanner) scan() Kind {
	c := s.src[s.pos]
	switch {
	case isWord(c) && !isDigit(c):
		for isWord(s.at(0)) {
			s.pos++
		}
		return Name
	case isDigit(c) || c == '.' && isDigit(s.at(1)):
		s.number()
		return Number
	case c == '"' || c == '\'':
		return s.quoted(c)
	case c == '[' && s.longBracket() >= 0:
		if !s.long(s.longBracket()) {
			return Bad
		}
		return String
	}
	return s.symbol()
}

func (s *scanner) number() {
	for isWord(s.at(0)) || s.at(0) == '.' {
		exponent := s.at(0) == 'e' || s.at(0) == 'E'
		s.pos++
		if exponent && (s.at(0) == '+' || s.at(0) == '-') {
			s.pos++
		}
	}
}

func (s *scanner) quoted(quote byte) Kind {
	s.pos++
	for s.pos < len(s.src) && s.src[s.pos] != '\n' {
		switch s.src[s.pos] {
		case quote:
			s.pos++
			return String
		case '\\':
			s.advance(min(s.pos+2, len(s.src)))
		default:
			s.pos++
		}
	}
	return Bad
}

func (s *scanner) symbol() Kind {
	for _, sym := range [...]string{"...", "..", "==", "~=", "<=", ">=", "::"} {
		if strings.HasPrefix(s.src[s.pos:], sym) {
			s.pos += len(sym)
			return Symbol
		}
	}
	s.pos++
	if strings.IndexByte("+-*/%^#<>=(){}[];:,.", s.src[s.pos-1]) >= 0 {
		return Symbol
	}
	return Bad
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isWord(c byte) bool {
	return c == '_' || isDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
