package luastr

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// directive is what follows a "%" in a format, with C's meaning.
type directive struct {
	minus, plus, space, sharp, zero bool

	width int
	prec  int // -1 if there is none
	verb  byte
}

const (
	verbs    = "diucxXoeEfgGqs"
	maxFlags = 5 // more of them repeat
)

// parseDirective reads a directive from the beginning of f, and says how long it is or
// what is wrong with it.
func parseDirective(f string) (d directive, length int, problem string) {
	i := d.flags(f)
	if i > maxFlags {
		return d, 0, "invalid format (repeated flags)"
	}
	width, n := twoDigits(f[i:])
	d.width, d.prec = width, -1
	i += n
	if strings.HasPrefix(f[i:], ".") {
		d.prec, n = twoDigits(f[i+1:])
		i += 1 + n
	}
	switch {
	case i == len(f):
		return d, 0, fmt.Sprintf("invalid option '%%%s' to 'format'", f)
	case isDigit(f[i]):
		return d, 0, "invalid format (width or precision too long)"
	case strings.IndexByte(verbs, f[i]) < 0:
		return d, 0, fmt.Sprintf("invalid option '%%%s' to 'format'", f[:i+1])
	}
	d.verb = f[i]
	return d, i + 1, ""
}

// flags reads the flags at the beginning of f, and says how many there are.
func (d *directive) flags(f string) int {
	for i := range len(f) {
		switch f[i] {
		case '-':
			d.minus = true
		case '+':
			d.plus = true
		case ' ':
			d.space = true
		case '#':
			d.sharp = true
		case '0':
			d.zero = true
		default:
			return i
		}
	}
	return len(f)
}

func twoDigits(s string) (value, length int) {
	for length < min(2, len(s)) && isDigit(s[length]) {
		value = value*10 + int(s[length]-'0')
		length++
	}
	return value, length
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func (d directive) text(dst []byte, s string) []byte {
	if d.prec >= 0 && d.prec < len(s) {
		s = s[:d.prec]
	}
	if d.minus {
		return appendFill(append(dst, s...), ' ', d.width-len(s))
	}
	return append(appendFill(dst, ' ', d.width-len(s)), s...)
}

func (d directive) integer(dst []byte, v float64) []byte {
	var space [128]byte
	var sign string
	base, magnitude := 10, unsigned(v)
	switch d.verb {
	case 'd', 'i':
		n := truncate(v)
		sign, magnitude = d.sign(n < 0), uint64(max(n, -n)) // the least integer is its own negation
	case 'o':
		base = 8
	case 'x', 'X':
		base = 16
	}
	body := space[:0]
	if magnitude != 0 || d.prec != 0 {
		digits := strconv.AppendUint(space[100:100], magnitude, base)
		body = append(appendFill(body, '0', d.prec-len(digits)), digits...)
	}
	switch {
	case d.sharp && base == 8 && !bytes.HasPrefix(body, []byte("0")):
		sign = "0"
	case d.sharp && base == 16 && magnitude != 0:
		sign = "0x"
	}
	start := len(dst)
	dst = d.pad(dst, sign, body, d.zero && d.prec < 0)
	if d.verb == 'X' {
		toUpper(dst[start:])
	}
	return dst
}

// unsigned wraps negative numbers around, as C does.
func unsigned(v float64) uint64 {
	switch {
	case v >= 1<<64:
		return math.MaxUint64
	case v >= 1<<63:
		return uint64(v)
	}
	return uint64(truncate(v))
}

func (d directive) float(dst []byte, v float64) []byte {
	var space [512]byte // "%.99f" of the largest number takes 409
	prec, verb := d.prec, d.verb|0x20
	switch {
	case prec < 0:
		prec = 6
	case prec == 0 && verb == 'g':
		prec = 1
	}
	magnitude := math.Abs(v)
	finite := !math.IsInf(v, 0) && !math.IsNaN(v)
	var body []byte
	if d.sharp && finite {
		body = appendWithPoint(space[:0], magnitude, verb, prec)
	} else {
		body = appendMagnitude(space[:0], magnitude, verb, prec)
	}
	if verb != d.verb {
		toUpper(body)
	}
	return d.pad(dst, d.sign(math.Signbit(v)), body, d.zero && finite)
}

// appendWithPoint writes what the flag "#" asks for: a point always, and with "%g" the
// trailing zeros.
func appendWithPoint(dst []byte, v float64, verb byte, prec int) []byte {
	if verb == 'g' {
		verb, prec = generalForm(v, prec)
	}
	dst = strconv.AppendFloat(dst, v, verb, prec, 64)
	if prec > 0 {
		return dst
	}
	mantissa, exponent, _ := strings.Cut(string(dst), "e")
	dst = append(append(dst[:0], mantissa...), '.')
	if exponent != "" {
		dst = append(append(dst, 'e'), exponent...)
	}
	return dst
}

// generalForm is the verb and the precision that "%g" stands for.
func generalForm(v float64, prec int) (verb byte, fraction int) {
	var space [128]byte
	e := strconv.AppendFloat(space[:0], v, 'e', prec-1, 64)
	exponent, _ := strconv.Atoi(string(e[bytes.IndexByte(e, 'e')+1:]))
	if exponent < -4 || exponent >= prec {
		return 'e', prec - 1
	}
	return 'f', prec - 1 - exponent
}

func (d directive) sign(negative bool) string {
	switch {
	case negative:
		return "-"
	case d.plus:
		return "+"
	case d.space:
		return " "
	}
	return ""
}

// pad writes prefix and body at the directive's width.
func (d directive) pad(dst []byte, prefix string, body []byte, zeros bool) []byte {
	fill := d.width - len(prefix) - len(body)
	switch {
	case d.minus:
		return appendFill(append(append(dst, prefix...), body...), ' ', fill)
	case zeros:
		return append(appendFill(append(dst, prefix...), '0', fill), body...)
	}
	return append(append(appendFill(dst, ' ', fill), prefix...), body...)
}

func appendFill(dst []byte, c byte, n int) []byte {
	for ; n > 0; n-- {
		dst = append(dst, c)
	}
	return dst
}

func toUpper(b []byte) {
	for i, c := range b {
		if c >= 'a' && c <= 'z' {
			b[i] = c - 'a' + 'A'
		}
	}
}
