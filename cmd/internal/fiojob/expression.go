package fiojob

import (
	"fmt"
	"math/big"
	"strings"
)

// expression evaluates arithmetic: + - * / % ^ on whole numbers with
// units. A time without a unit is in microseconds there, as fio has it in parentheses.
func expression(text string, u units) (*big.Int, *wrong) {
	u.bare = 1
	p := &sum{text: text, units: u}
	n, err := p.terms(0)
	if err == nil && p.rest() != "" {
		err = &wrong{p.rest(), fmt.Sprintf("%q is not expected in an expression", p.rest())}
	}
	return n, err
}

// sum is an expression on its way.
type sum struct {
	text  string
	at    int
	depth int
	units units
}

func (p *sum) rest() string {
	p.at += len(p.text[p.at:]) - len(strings.TrimLeft(p.text[p.at:], " "))
	return p.text[p.at:]
}

// operators by how strongly they bind.
var operators = []string{"+-", "*/%", "^"}

// terms reads what binds at least as strongly as level.
func (p *sum) terms(level int) (*big.Int, *wrong) {
	if level == len(operators) {
		return p.factor()
	}
	n, err := p.terms(level + 1)
	for err == nil {
		rest := p.rest()
		if rest == "" || strings.IndexByte(operators[level], rest[0]) < 0 {
			return n, nil
		}
		p.at++
		var m *big.Int
		if m, err = p.terms(level + 1); err == nil {
			n, err = apply(rest[0], n, m)
		}
	}
	return nil, err
}

// factor reads a number, or an expression in parentheses.
func (p *sum) factor() (*big.Int, *wrong) {
	rest := p.rest()
	if strings.HasPrefix(rest, "(") {
		if p.depth++; p.depth > 100 {
			return nil, &wrong{rest, "parentheses are nested too deeply"}
		}
		p.at++
		n, err := p.terms(0)
		if err != nil {
			return nil, err
		}
		if !strings.HasPrefix(p.rest(), ")") {
			return nil, &wrong{rest, "a parenthesis is not closed"}
		}
		p.at++
		p.depth--
		return n, nil
	}
	end := strings.IndexAny(rest, "+-*/%^() ")
	if end == 0 && rest[0] == '-' {
		end = 1 + max(0, strings.IndexAny(rest[1:]+" ", "+-*/%^() "))
	}
	if end < 0 {
		end = len(rest)
	}
	if end == 0 {
		return nil, &wrong{p.text, "a number is missing in the expression"}
	}
	p.at += end
	return p.units.scalar(rest[:end])
}

// widest bounds what an expression can come to on its way.
const widest = 256

func apply(op byte, a, b *big.Int) (*big.Int, *wrong) {
	switch op {
	case '+':
		return a.Add(a, b), nil
	case '-':
		return a.Sub(a, b), nil
	case '*':
		a.Mul(a, b)
	case '^':
		if !b.IsInt64() || b.Sign() < 0 || int64(a.BitLen())*b.Int64() > widest {
			return nil, &wrong{"^", "the power is negative or too large"}
		}
		a.Exp(a, b, nil)
	default:
		if b.Sign() == 0 {
			return nil, &wrong{string(op), "it divides by zero"}
		}
		if op == '/' {
			a.Quo(a, b)
		} else {
			a.Rem(a, b)
		}
	}
	if a.BitLen() > widest {
		return nil, &wrong{string(op), "it is too large"}
	}
	return a, nil
}
