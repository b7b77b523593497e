package luastr

import (
	"math"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// ToString is what tostring(v) returns: numbers as C's "%.14g" prints them, and what the
// metamethod __tostring says. It raises a Lua error if __tostring returns neither a text
// nor a number.
func ToString(L *lua.LState, v lua.LValue) string {
	switch v := v.(type) {
	case lua.LString:
		return string(v)
	case lua.LNumber:
		return NumberText(v)
	}
	fn := L.GetMetaField(v, "__tostring")
	if fn == lua.LNil {
		return v.String()
	}
	L.Push(fn)
	L.Push(v)
	L.Call(1, 1)
	result := L.Get(-1)
	L.Pop(1)
	switch r := result.(type) {
	case lua.LString:
		return string(r)
	case lua.LNumber:
		return NumberText(r)
	}
	L.RaiseError("'tostring' must return a string")
	return ""
}

// NumberText is the number as text, as C's "%.14g" prints it: "1e+15", "0.1", "inf",
// "-nan".
func NumberText(n lua.LNumber) string {
	var b [32]byte
	return string(appendNumber(b[:0], float64(n)))
}

func appendNumber(dst []byte, v float64) []byte {
	if i := int64(v); v > -1e14 && v < 1e14 && float64(i) == v && (i != 0 || !math.Signbit(v)) {
		return strconv.AppendInt(dst, i, 10)
	}
	if math.Signbit(v) {
		dst = append(dst, '-')
	}
	return appendMagnitude(dst, math.Abs(v), 'g', 14)
}

// appendMagnitude writes a number without its sign, as C does.
func appendMagnitude(dst []byte, v float64, verb byte, prec int) []byte {
	switch {
	case math.IsInf(v, 0):
		return append(dst, "inf"...)
	case math.IsNaN(v):
		return append(dst, "nan"...)
	}
	return strconv.AppendFloat(dst, v, verb, prec, 64)
}

// ToNumber is what tonumber(v, base) returns, and whether it is a number. Base 10 is
// also that of a call without a base: it takes numbers as they are, and texts that hold
// one numeral, decimal or hexadecimal ("0x10"). In another base, 2 to 36, it takes the text
// of v as a whole number with an optional sign. White space around is ignored.
func ToNumber(v lua.LValue, base int) (lua.LNumber, bool) {
	switch v := v.(type) {
	case lua.LNumber:
		if base == 10 {
			return v, true
		}
		return parseInBase(NumberText(v), base)
	case lua.LString:
		if base == 10 {
			return parseNumeral(string(v))
		}
		return parseInBase(string(v), base)
	}
	return 0, false
}

const whiteSpace = " \t\n\v\f\r"

func parseNumeral(s string) (lua.LNumber, bool) {
	s, negative := cutSign(strings.Trim(s, whiteSpace))
	if digits, ok := cutHex(s); ok {
		return parseDigits(digits, 16, negative)
	}
	for i := range len(s) { // ParseFloat takes words, and more
		switch c := s[i]; {
		case c >= '0' && c <= '9', c == '.', c == 'e', c == 'E', c == '+', c == '-':
		default:
			return 0, false
		}
	}
	if s == "" || s[0] == '+' || s[0] == '-' {
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(v, 0) { // out of range is infinite, as in C
		return 0, false
	}
	return signed(v, negative), true
}

func parseInBase(s string, base int) (lua.LNumber, bool) {
	if base < 2 || base > 36 {
		return 0, false
	}
	s, negative := cutSign(strings.Trim(s, whiteSpace))
	if digits, ok := cutHex(s); ok && base == 16 {
		s = digits
	}
	return parseDigits(s, base, negative)
}

// parseDigits adds digits up; past 2^53 a sum is rounded once or, in the bases that strconv
// cannot help with, more often.
func parseDigits(s string, base int, negative bool) (lua.LNumber, bool) {
	var sum float64
	for i := range len(s) {
		d := digit(s[i])
		if d >= base {
			return 0, false
		}
		sum = sum*float64(base) + float64(d)
	}
	if base == 16 && sum >= 1<<53 {
		sum, _ = strconv.ParseFloat("0x"+s+"p0", 64)
	}
	return signed(sum, negative), s != ""
}

func digit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'z':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'Z':
		return int(c-'A') + 10
	}
	return 36
}

func cutSign(s string) (rest string, negative bool) {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		return s[1:], s[0] == '-'
	}
	return s, false
}

func cutHex(s string) (digits string, ok bool) {
	if len(s) >= 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') {
		return s[2:], true
	}
	return s, false
}

func signed(v float64, negative bool) lua.LNumber {
	if negative {
		v = -v
	}
	return lua.LNumber(v)
}
