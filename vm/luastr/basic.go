package luastr

import (
	"math/bits"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// maxValues is how many values byte returns at most: they have to fit Lua's stack.
const maxValues = 8000

// fromEnd turns an index as scripts write it, from 1 or from the end as -1, into one from
// 1, or 0 or less for one before the text.
func fromEnd(i, length int) int {
	if i < 0 {
		i += length + 1 // an index is at least -2^63: no overflow
	}
	return i
}

// slice is the part of a text from first to last, as sub and byte have it.
func slice(s string, first, last int) string {
	first = max(fromEnd(first, len(s)), 1)
	last = min(fromEnd(last, len(s)), len(s))
	if first > last {
		return ""
	}
	return s[first-1 : last]
}

func byteValues(L *lua.LState) int {
	a := args{L, "byte"}
	s := a.text(1)
	first := a.optInteger(2, 1)
	s = slice(s, first, a.optInteger(3, first))
	if len(s) > maxValues {
		L.RaiseError("string slice too long (%d bytes; the limit is %d)", len(s), maxValues)
	}
	for i := range len(s) {
		L.Push(integer(int(s[i])))
	}
	return len(s)
}

func char(L *lua.LState) int {
	a := args{L, "char"}
	if L.GetTop() == 1 {
		L.Push(singleBytes[a.byteValue(1)])
		return 1
	}
	var space [64]byte
	b := space[:0]
	for n := range L.GetTop() {
		b = append(b, a.byteValue(n+1))
	}
	L.Push(text(string(b)))
	return 1
}

func (a args) byteValue(n int) byte {
	c := a.integer(n)
	if c < 0 || c > 255 {
		a.fail(n, "invalid value")
	}
	return byte(c)
}

func dump(L *lua.LState) int {
	L.RaiseError("string.dump is not available: scripts are run from their source alone")
	return 0
}

func length(L *lua.LState) int {
	L.Push(integer(len(args{L, "len"}.text(1))))
	return 1
}

func lower(L *lua.LState) int {
	L.Push(changeCase(args{L, "lower"}.text(1), 'A', 'Z'))
	return 1
}

func upper(L *lua.LState) int {
	L.Push(changeCase(args{L, "upper"}.text(1), 'a', 'z'))
	return 1
}

// changeCase turns the letters between first and last into the other case. Only ASCII has
// cases, as in C's locale.
func changeCase(s string, first, last byte) lua.LValue {
	i := 0
	for i < len(s) && (s[i] < first || s[i] > last) {
		i++
	}
	if i == len(s) {
		return text(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	b.WriteString(s[:i])
	for ; i < len(s); i++ {
		c := s[i]
		if c >= first && c <= last {
			c ^= 'a' - 'A'
		}
		b.WriteByte(c)
	}
	return text(b.String())
}

func (lib *library) rep(L *lua.LState) int {
	a := args{L, "rep"}
	s, n := a.text(1), a.integer(2)
	if s == "" || n <= 0 {
		L.Push(noText)
		return 1
	}
	if over, size := bits.Mul64(uint64(len(s)), uint64(n)); over != 0 || size > uint64(lib.limit) {
		L.RaiseError("resulting string too large (%d times %d bytes; the limit is %d bytes)", n, len(s), lib.limit)
	}
	L.Push(text(strings.Repeat(s, n)))
	return 1
}

func reverse(L *lua.LState) int {
	s := args{L, "reverse"}.text(1)
	var b strings.Builder
	b.Grow(len(s))
	for i := len(s) - 1; i >= 0; i-- {
		b.WriteByte(s[i])
	}
	L.Push(text(b.String()))
	return 1
}

func sub(L *lua.LState) int {
	a := args{L, "sub"}
	L.Push(text(slice(a.text(1), a.integer(2), a.optInteger(3, -1))))
	return 1
}
