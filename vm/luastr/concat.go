package luastr

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// Concat is a Lua function that does to its arguments what ".." does to its operands, with
// numbers as ToString has them and a result of at most [MaxResult] bytes. gopher-lua's own
// ".." prints 1234567.5 as "1.2345675e+06". A chain of operands costs one call.
func Concat(L *lua.LState) int {
	size := 0
	for n := range L.GetTop() {
		switch v := L.Get(n + 1).(type) {
		case lua.LString:
			size += len(v)
		case lua.LNumber:
			size += 8 // most are short
		default:
			return concatMeta(L)
		}
	}
	checkSize(L, size)
	var b strings.Builder
	b.Grow(size)
	for n := range L.GetTop() {
		switch v := L.Get(n + 1).(type) {
		case lua.LString:
			b.WriteString(string(v))
		case lua.LNumber:
			var space [32]byte
			b.Write(appendNumber(space[:0], float64(v)))
		}
	}
	L.Push(text(b.String()))
	return 1
}

func checkSize(L *lua.LState, size int) {
	if size > MaxResult {
		L.RaiseError("resulting string too large (%d bytes; the limit is %d bytes)", size, MaxResult)
	}
}

// concatMeta joins from the right, pair by pair, and asks metamethods.
func concatMeta(L *lua.LState) int {
	top := L.GetTop()
	right := L.Get(top)
	for n := top - 1; n > 0; n-- {
		right = concatPair(L, L.Get(n), right)
	}
	L.Push(right)
	return 1
}

func concatPair(L *lua.LState, left, right lua.LValue) lua.LValue {
	if lua.LVCanConvToString(left) && lua.LVCanConvToString(right) {
		l, r := ToString(L, left), ToString(L, right)
		checkSize(L, len(l)+len(r))
		return text(l + r)
	}
	fn := L.GetMetaField(left, "__concat")
	if fn == lua.LNil {
		fn = L.GetMetaField(right, "__concat")
	}
	if fn == lua.LNil {
		culprit := left
		if lua.LVCanConvToString(left) {
			culprit = right
		}
		L.RaiseError("attempt to concatenate a %s value", culprit.Type().String())
	}
	L.Push(fn)
	L.Push(left)
	L.Push(right)
	L.Call(2, 1)
	result := L.Get(-1)
	L.Pop(1)
	return result
}
