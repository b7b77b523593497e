package scan

import (
	"bytes"
	"math"
)

// Uint is a decimal number without a sign that is all of b.
func Uint(b []byte) (int64, bool) {
	if len(b) > 0 && b[0] == '-' {
		return 0, false
	}
	return digits(b)
}

// Number is Int, or a hexadecimal number after 0x, up to 2^63-1.
func Number(b []byte) (int64, bool) {
	if len(b) < 3 || b[0] != '0' || b[1] != 'x' {
		return Int(b)
	}
	if len(b) > 18 {
		return 0, false
	}
	var v uint64
	for _, c := range b[2:] {
		d, ok := hexDigit(c)
		if !ok {
			return 0, false
		}
		v = v<<4 | uint64(d)
	}
	return int64(v), v <= math.MaxInt64
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}

// Scaled is Uint times unit, unless that is beyond 2^63-1.
func Scaled(b []byte, unit int64) (int64, bool) {
	v, ok := Uint(b)
	if !ok {
		return 0, false
	}
	return Mul(v, unit)
}

// Bare is b without the blanks around it.
func Bare(b []byte) []byte { return Ended(Trim(b)) }

// Ended is b without the blanks at its end, such as what a terminal or an editor adds to a line.
func Ended(b []byte) []byte {
	for len(b) > 0 && blank(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

// Good is how many of up to 50 lines of a file's beginning are such as a format has, to
// tell it by.
func Good(head []byte, is func(line []byte) bool) (good, lines int) {
	all := Head(head, 50)
	for _, line := range all {
		if is(line) {
			good++
		}
	}
	return good, len(all)
}

// Head gives the complete lines of a file's beginning, at most n of them, to tell its format
// by. A beginning that is one line without an end counts as a line.
func Head(head []byte, n int) [][]byte {
	var lines [][]byte
	for len(head) > 0 && len(lines) < n {
		line, rest, ended := bytes.Cut(head, []byte{'\n'})
		if ended || len(lines) == 0 {
			lines = append(lines, bytes.TrimSuffix(line, []byte{'\r'}))
		}
		head = rest
	}
	return lines
}
