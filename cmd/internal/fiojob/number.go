package fiojob

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// units says what a number's unit can be.
type units struct {
	base int64 // of k, m, g: 1024 or 1000
	time bool  // it is a length of time in microseconds
	bare int64 // microseconds in a length of time without a unit
}

// wrong is what is wrong with a number, and with which part of it.
type wrong struct{ part, why string }

// number reads a whole number from least on: decimal or hexadecimal, with a unit, or a sum. A sum stands in
// parentheses, where a time without a unit is in microseconds, as fio has it; or it is a product, of which fio takes
// the first factor for all.
func number(text string, least int64, u units) (int64, *wrong) {
	if u.base == 0 {
		u.base = 1024
	}
	var n *big.Int
	var err *wrong
	switch {
	case strings.HasPrefix(text, "("):
		n, err = expression(text, u)
	case IsProduct(text):
		n, err = u.product(text)
	default:
		n, err = u.scalar(text)
	}
	switch {
	case err != nil:
		return 0, err
	case !n.IsInt64():
		return 0, &wrong{text, "it is too large"}
	case n.Int64() < least:
		return 0, &wrong{text, fmt.Sprintf("the least is %d", least)}
	}
	return n.Int64(), nil
}

// IsProduct says whether a number is a product without parentheses, as in 128*2.
func IsProduct(text string) bool { return !strings.HasPrefix(text, "(") && strings.Contains(text, "*") }

// product reads one. The unit of any factor is that of all.
func (u units) product(text string) (*big.Int, *wrong) {
	n, err := expression(text, u)
	if err == nil && u.time && strings.Trim(text, "0123456789* ") == "" {
		n.Mul(n, big.NewInt(u.bare))
	}
	return n, err
}

// scalar reads one number and its unit.
func (u units) scalar(text string) (*big.Int, *wrong) {
	sign, digits, unit := parts(text)
	if strings.ContainsAny(text, `"'`) {
		return nil, &wrong{text, "numbers have no quotes"}
	}
	if digits == "" {
		return nil, &wrong{text, fmt.Sprintf("%q is not a number", text)}
	}
	base, value := 10, digits
	if len(digits) > 2 && (digits[1] == 'x' || digits[1] == 'X') {
		base, value = 16, digits[2:]
	}
	n, ok := new(big.Int).SetString(sign+value, base)
	if !ok {
		return nil, &wrong{digits, fmt.Sprintf("%q is not a whole number", digits)}
	}
	if strings.HasPrefix(unit, ".") {
		return nil, &wrong{unit, "fio takes whole numbers: choose a smaller unit"}
	}
	if i := strings.IndexAny(unit, "-,"); i >= 0 {
		return nil, &wrong{unit[i:], fmt.Sprintf("it is one number, and this goes on with %q", unit[i:])}
	}
	factor, bad := u.factor(unit)
	if bad != nil {
		return nil, bad
	}
	return n.Mul(n, big.NewInt(factor)), nil
}

// parts takes a number apart.
func parts(text string) (sign, digits, unit string) {
	rest := text
	if rest != "" && (rest[0] == '-' || rest[0] == '+') {
		sign, rest = rest[:1], rest[1:]
	}
	sign = strings.TrimPrefix(sign, "+")
	set := "0123456789"
	i := 0
	if len(rest) > 2 && (rest[:2] == "0x" || rest[:2] == "0X") {
		set, i = "0123456789abcdefABCDEF", 2
	}
	for i < len(rest) && strings.IndexByte(set, rest[i]) >= 0 {
		i++
	}
	return sign, rest[:i], rest[i:]
}

var times = map[string]int64{
	"us": 1, "usec": 1, "ms": 1e3, "msec": 1e3, "s": 1e6, "sec": 1e6, "m": 60e6, "h": 3600e6, "d": 86400e6,
}

// factor is what a unit stands for. fio takes KiB for 1000 and k for 1024, unless
// kb_base is 1000: then each is what it is.
func (u units) factor(unit string) (int64, *wrong) {
	word := strings.ToLower(unit)
	if u.time {
		if word == "" {
			return u.bare, nil
		}
		if f, ok := times[word]; ok {
			return f, nil
		}
		return 0, &wrong{unit, fmt.Sprintf("%q is no unit of time: they are us, ms, s, m, h and d", unit)}
	}
	if word == "" || word == "b" {
		return 1, nil
	}
	power := strings.IndexByte("kmgtp", word[0]) + 1
	if power == 0 {
		return 0, &wrong{unit, fmt.Sprintf("%q is no unit of bytes: they are k, m, g, t and p", unit)}
	}
	base := u.base
	switch word[1:] {
	case "", "b", "i":
	case "ib":
		base = 1024 + 1000 - u.base
	default:
		return 0, &wrong{unit, fmt.Sprintf("%q is no unit of bytes: write %s", unit, strconv.Quote(word[:1]))}
	}
	f := int64(1)
	for range power {
		f *= base
	}
	return f, nil
}
