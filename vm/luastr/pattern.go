package luastr

import (
	"errors"
	"strings"
)

const (
	maxCaptures = 32
	maxRepeats  = 200 // each of them is a level of recursion in a match
)

var (
	errEndsWithPercent = errors.New("malformed pattern (ends with '%')")
	errMissingBracket  = errors.New("malformed pattern (missing ']')")
	errNoFrontierSet   = errors.New("missing '[' after '%f' in pattern")
	errUnbalanced      = errors.New("unbalanced pattern")
	errManyCaptures    = errors.New("too many captures")
	errNotOpen         = errors.New("invalid pattern capture")
	errNotClosed       = errors.New("unfinished capture")
	errCaptureIndex    = errors.New("invalid capture index")
	errTooComplex      = errors.New("pattern too complex")
)

// pattern is a compiled pattern without its anchor. It is not changed once it is made.
type pattern struct {
	items    []item
	captures int
}

type kind byte

const (
	single   kind = iota // a byte of set, as often as times says
	open                 // capture n begins
	closed               // capture n ends
	here                 // capture n is the position
	same                 // capture n's text again
	balance              // from a first byte to the second that closes it
	frontier             // between a byte that is not of set and one that is
	end                  // the text's end
)

type item struct {
	kind          kind
	times         byte // of a single: '*', '+', '-', '?', or 0 for once
	n             byte
	first, second byte
	set           set
}

// parser compiles a pattern from left to right.
type parser struct {
	text    string
	at      int
	out     pattern
	open    []byte // the captures that have begun and not ended
	closed  [maxCaptures]bool
	repeats int
}

// compile reads a pattern. What is wrong with it, is found here and not while matching:
// captures begin and end in the order in which they are written.
func compile(text string) (*pattern, error) {
	p := parser{text: text}
	for p.at < len(text) {
		if err := p.item(); err != nil {
			return nil, err
		}
	}
	if len(p.open) > 0 {
		return nil, errNotClosed
	}
	return &p.out, nil
}

func (p *parser) item() error {
	rest := p.text[p.at:]
	switch {
	case strings.HasPrefix(rest, "()"):
		return p.begin(here, 2)
	case rest[0] == '(':
		return p.begin(open, 1)
	case rest[0] == ')':
		return p.finish()
	case rest == "$":
		p.add(item{kind: end}, 1)
		return nil
	case strings.HasPrefix(rest, "%b"):
		if len(rest) < 4 {
			return errUnbalanced
		}
		p.add(item{kind: balance, first: rest[2], second: rest[3]}, 4)
		return nil
	case strings.HasPrefix(rest, "%f"):
		return p.frontier()
	case len(rest) > 1 && rest[0] == '%' && isDigit(rest[1]):
		return p.back(rest[1])
	}
	return p.single()
}

func (p *parser) add(it item, length int) {
	p.out.items = append(p.out.items, it)
	p.at += length
}

func (p *parser) begin(k kind, length int) error {
	n := byte(p.out.captures)
	if n == maxCaptures {
		return errManyCaptures
	}
	p.out.captures++
	if k == open {
		p.open = append(p.open, n)
	} else {
		p.closed[n] = true
	}
	p.add(item{kind: k, n: n}, length)
	return nil
}

func (p *parser) finish() error {
	last := len(p.open) - 1
	if last < 0 {
		return errNotOpen
	}
	n := p.open[last]
	p.open = p.open[:last]
	p.closed[n] = true
	p.add(item{kind: closed, n: n}, 1)
	return nil
}

func (p *parser) back(digit byte) error {
	n := digit - '1' // "%0" wraps around, and is no capture
	if int(n) >= p.out.captures || !p.closed[n] {
		return errCaptureIndex
	}
	p.add(item{kind: same, n: n}, 2)
	return nil
}

func (p *parser) frontier() error {
	p.at += 2
	if !strings.HasPrefix(p.text[p.at:], "[") {
		return errNoFrontierSet
	}
	s, err := p.bracket()
	if err != nil {
		return err
	}
	p.add(item{kind: frontier, set: s}, 0)
	return nil
}

func (p *parser) single() error {
	s, err := p.class()
	if err != nil {
		return err
	}
	it := item{kind: single, set: s}
	if p.at < len(p.text) && strings.IndexByte("*+-?", p.text[p.at]) >= 0 {
		it.times = p.text[p.at]
		p.at++
		if p.repeats++; p.repeats > maxRepeats {
			return errTooComplex
		}
	}
	p.add(it, 0)
	return nil
}

// class reads what stands for one byte.
func (p *parser) class() (set, error) {
	switch c := p.text[p.at]; c {
	case '.':
		p.at++
		return set{}.inverted(), nil
	case '[':
		return p.bracket()
	case '%':
		if p.at+1 == len(p.text) {
			return set{}, errEndsWithPercent
		}
		p.at += 2
		return escaped(p.text[p.at-1]), nil
	default:
		p.at++
		return one(c), nil
	}
}

// bracket reads a set in brackets. A "]" that comes first is a byte of it, and so is a "-"
// at either end.
func (p *parser) bracket() (s set, err error) {
	p.at++
	inverted := strings.HasPrefix(p.text[p.at:], "^")
	if inverted {
		p.at++
	}
	for first := true; ; first = false {
		rest := p.text[p.at:]
		switch {
		case rest == "" || rest == "%":
			return s, errMissingBracket
		case rest[0] == ']' && !first:
			p.at++
			if inverted {
				s = s.inverted()
			}
			return s, nil
		case rest[0] == '%':
			s = s.with(escaped(rest[1]))
			p.at += 2
		case len(rest) > 2 && rest[1] == '-' && rest[2] != ']':
			s = s.with(span(rest[0], rest[2]))
			p.at += 3
		default:
			s = s.with(one(rest[0]))
			p.at++
		}
	}
}
