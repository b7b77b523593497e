// Package units reads and writes the sizes, durations, rates and shares that
// people put into scripts and read in reports. It is the only place that knows
// what "4k" means.
//
// Sizes are whole bytes. As storage people mean them, k, M, G, T and P alone are
// powers of 1024, like KiB, MiB and so on; kB, MB, GB and so on are powers
// of 1000. Case does not count: 4K is 4k, 10mb is 10MB.
//
// Durations end in ns, us (µs), ms, s, m, h or d, and may be put together, as in
// 1h30m. A plain number is in seconds. Case counts.
//
// Counts, of operations and the like, take k, M and G as powers of 1000.
//
// Rates are a count or a size, then "/", then a unit of time: 20k/s is 20,000
// operations a second, 800MiB/s is in bytes because it says B, 10/min is one in six
// seconds. A plain number is operations per second.
//
// All of them may have a fraction or an exponent, and blanks between number and
// unit. None may be negative. Errors quote the value, say what is wrong
// with it and what is known instead.
//
// What a Format function writes, the parser of the same name reads back as the
// same value. The Approx functions round to three digits, for reading only.
package units

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"moonio/engine/suggest"
)

// unit is a name and how many of the base unit it stands for.
type unit struct {
	name   string
	factor int64
}

// table is the units of one kind.
type table struct {
	what  string // "size", in errors
	units []unit
	also  []unit // other names, which errors do not list
	fold  bool   // case does not count
	like  string // an example, for errors
}

func (t *table) find(name string) (int64, bool) {
	for _, list := range [][]unit{t.units, t.also} {
		for _, u := range list {
			if u.name == name || t.fold && strings.EqualFold(u.name, name) {
				return u.factor, true
			}
		}
	}
	return 0, false
}

// unknown is the error for a unit of value that is not in the table.
func (t *table) unknown(value, name string) error {
	names := make([]string, len(t.units))
	for i, u := range t.units {
		names[i] = u.name
	}
	return fmt.Errorf("%s %q: unknown unit %q: use %s%s", t.what, value, name, strings.Join(names, ", "), suggest.Hint(name, names))
}

// longest bounds the numbers that are taken, so that exact arithmetic on them stays cheap.
const longest = 400

// number cuts the number off the front of s and returns it with the rest,
// blanks trimmed. value is the whole text, for errors.
func (t *table) number(value, s string) (*big.Rat, string, error) {
	s = strings.TrimSpace(s)
	switch n := numberLength(s); {
	case s == "":
		return nil, "", fmt.Errorf("%s %q is empty: write it like %s", t.what, value, t.like)
	case s[0] == '-':
		return nil, "", fmt.Errorf("%s %q is negative", t.what, value)
	case n == 0:
		return nil, "", fmt.Errorf("%s %q does not begin with a number: write it like %s", t.what, value, t.like)
	case n > longest:
		return nil, "", fmt.Errorf("%s %.20q… has more digits than anything needs", t.what, value)
	default:
		r, ok := new(big.Rat).SetString(s[:n])
		if !ok {
			return nil, "", fmt.Errorf("%s %q: %q is not a number", t.what, value, s[:n])
		}
		return r, strings.TrimSpace(s[n:]), nil
	}
}

// numberLength is how many bytes at the start of s are digits with at most one
// point, and an exponent of at most three digits.
func numberLength(s string) int {
	n := digits(s)
	if n < len(s) && s[n] == '.' {
		if f := digits(s[n+1:]); n+f > 0 {
			n += 1 + f
		}
	}
	if n == 0 || n == len(s) || s[n] != 'e' && s[n] != 'E' {
		return n
	}
	e := n + 1
	if e < len(s) && (s[e] == '+' || s[e] == '-') {
		e++
	}
	if d := digits(s[e:]); d > 0 && d <= 3 {
		return e + d
	}
	return n
}

func digits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}

// whole is r times factor as an integer. noun follows the figure in errors: " bytes".
func (t *table) whole(value string, r *big.Rat, factor int64, noun string) (int64, error) {
	r = new(big.Rat).Mul(r, new(big.Rat).SetInt64(factor))
	switch {
	case !r.IsInt():
		return 0, fmt.Errorf("%s %q is %s%s, which is not a whole number", t.what, value, strings.TrimRight(r.FloatString(6), "0"), noun)
	case !r.Num().IsInt64():
		return 0, fmt.Errorf("%s %q is too large: the most is %d%s", t.what, value, int64(math.MaxInt64), noun)
	}
	return r.Num().Int64(), nil
}
