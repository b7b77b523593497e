// Package scan takes numbers and fields out of the lines of text traces. Nothing here
// allocates, and nothing overflows: what does not fit is reported as not a number.
package scan

import "math"

// Int is a decimal number with an optional minus sign that is all of b.
func Int(b []byte) (int64, bool) {
	negative := len(b) > 0 && b[0] == '-'
	if negative {
		b = b[1:]
	}
	n, ok := digits(b)
	if negative {
		n = -n
	}
	return n, ok
}

// digits is a number of decimal digits only.
func digits(b []byte) (int64, bool) {
	if len(b) == 0 || len(b) > 19 {
		return 0, false
	}
	var n uint64 // 19 digits always fit
	for _, c := range b {
		d := c - '0'
		if d > 9 {
			return 0, false
		}
		n = n*10 + uint64(d)
	}
	return int64(n), n <= math.MaxInt64
}

// Decimal is a decimal number with an optional fraction, times 10^places: Decimal("1.5", 9) is a
// second and a half in nanoseconds. What the fraction has beyond places is cut off.
func Decimal(b []byte, places int) (int64, bool) {
	negative := len(b) > 0 && b[0] == '-'
	if negative {
		b = b[1:]
	}
	whole, fraction, point := b, []byte(nil), false
	for i, c := range b {
		if c == '.' {
			whole, fraction, point = b[:i], b[i+1:], true
			break
		}
	}
	n, ok := digits(whole)
	if !ok && !(len(whole) == 0 && len(fraction) > 0) || point && !allDigits(fraction) {
		return 0, false
	}
	for i := range places {
		d := int64(0)
		if i < len(fraction) {
			d = int64(fraction[i] - '0')
		}
		if n > (math.MaxInt64-d)/10 {
			return 0, false
		}
		n = n*10 + d
	}
	if negative {
		n = -n
	}
	return n, true
}

func allDigits(b []byte) bool {
	for _, c := range b {
		if c-'0' > 9 {
			return false
		}
	}
	return true
}

// Mul is a*b for b > 0, unless it overflows.
func Mul(a, b int64) (int64, bool) {
	if a > math.MaxInt64/b || a < math.MinInt64/b {
		return 0, false
	}
	return a * b, true
}

// Field is the first field of b, which blanks end, and what follows those. Both are empty at the
// end of b.
func Field(b []byte) (field, rest []byte) {
	b = Trim(b)
	i := 0
	for i < len(b) && !blank(b[i]) {
		i++
	}
	return b[:i], Trim(b[i:])
}

// Last is the last field of b, and what precedes it.
func Last(b []byte) (field, rest []byte) {
	end := len(b)
	for end > 0 && blank(b[end-1]) {
		end--
	}
	i := end
	for i > 0 && !blank(b[i-1]) {
		i--
	}
	field, rest = b[i:end], b[:i]
	for len(rest) > 0 && blank(rest[len(rest)-1]) {
		rest = rest[:len(rest)-1]
	}
	return field, rest
}

// Trim is b without the blanks at its beginning.
func Trim(b []byte) []byte {
	for len(b) > 0 && blank(b[0]) {
		b = b[1:]
	}
	return b
}

func blank(c byte) bool { return c == ' ' || c == '\t' }
