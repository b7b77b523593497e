package luastr

import (
	lua "github.com/yuin/gopher-lua"
)

// Values that functions return often, made once: a number or a text costs an allocation
// each time it becomes a lua.LValue. Only read.
var (
	smallIntegers = makeSmallIntegers()
	singleBytes   = makeSingleBytes()
	noText        = lua.LValue(lua.LString(""))
)

func makeSmallIntegers() (v [1024]lua.LValue) {
	for i := range v {
		v[i] = lua.LNumber(i)
	}
	return v
}

func makeSingleBytes() (v [256]lua.LValue) {
	for i := range v {
		v[i] = lua.LString([]byte{byte(i)})
	}
	return v
}

func integer(n int) lua.LValue {
	if n >= 0 && n < len(smallIntegers) {
		return smallIntegers[n]
	}
	return lua.LNumber(n)
}

func text(s string) lua.LValue {
	switch len(s) {
	case 0:
		return noText
	case 1:
		return singleBytes[s[0]]
	}
	return lua.LString(s)
}
