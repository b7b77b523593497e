package lua51

import (
	"slices"

	lua "github.com/yuin/gopher-lua"
)

// Mentions says whether a text stands as a constant in a function, in one that it makes, or in one that
// it has captured.
func Mentions(f *lua.LFunction, text string) bool {
	return mentions(f, text, map[*lua.LFunction]bool{})
}

func mentions(f *lua.LFunction, text string, seen map[*lua.LFunction]bool) bool {
	if f.IsG || seen[f] {
		return false
	}
	seen[f] = true
	if inProto(f.Proto, text) {
		return true
	}
	return slices.ContainsFunc(f.Upvalues, func(u *lua.Upvalue) bool {
		g, ok := u.Value().(*lua.LFunction)
		return ok && mentions(g, text, seen)
	})
}

func inProto(p *lua.FunctionProto, text string) bool {
	return slices.Contains(p.Constants, lua.LValue(lua.LString(text))) ||
		slices.ContainsFunc(p.FunctionPrototypes, func(inner *lua.FunctionProto) bool { return inProto(inner, text) })
}
