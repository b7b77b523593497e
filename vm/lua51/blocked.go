package lua51

import (
	lua "github.com/yuin/gopher-lua"
)

// blocked says why a thread cannot yield where it is: between it and its
// beginning, Go code or an operator has called Lua. It is empty if it can.
func (s *State) blocked(L *lua.LState) string {
	if len(s.stack) == 0 || s.stack[len(s.stack)-1].th != L {
		return "what Go code runs"
	}
	for f := frameOf(L); f.Parent != nil; f = f.Parent {
		if f.Parent.Fn.IsG {
			return s.callback(f.Parent)
		}
		if op := opcode(f.Parent.current()); op != lua.OP_CALL && op != lua.OP_TAILCALL {
			return operator(op)
		}
	}
	return ""
}

// callback says what a Go function does that has called Lua.
func (s *State) callback(f *callFrame) string {
	if what, ok := s.natives[f.Fn]; ok {
		return what
	}
	if name := calledName(f); name != "" {
		return "a function that '" + name + "' calls"
	}
	return "a function that Go code calls"
}

// operator says what an instruction other than a call was doing when it called Lua.
func operator(op int) string {
	if op == lua.OP_TFORLOOP {
		return "the iterator of a for loop over pairs"
	}
	if event := events[op]; event != "" {
		return "a metamethod (" + event + ")"
	}
	return "a metamethod"
}

var events = [lua.OP_NOP + 1]string{
	lua.OP_GETGLOBAL: "__index", lua.OP_GETTABLE: "__index", lua.OP_GETTABLEKS: "__index", lua.OP_SELF: "__index",
	lua.OP_SETGLOBAL: "__newindex", lua.OP_SETTABLE: "__newindex", lua.OP_SETTABLEKS: "__newindex",
	lua.OP_ADD: "__add", lua.OP_SUB: "__sub", lua.OP_MUL: "__mul", lua.OP_DIV: "__div", lua.OP_MOD: "__mod",
	lua.OP_POW: "__pow", lua.OP_UNM: "__unm", lua.OP_LEN: "__len", lua.OP_CONCAT: "__concat",
	lua.OP_EQ: "__eq", lua.OP_LT: "__lt", lua.OP_LE: "__le",
}

// calledName is the name by which a frame's function was called, empty if it has none.
func calledName(f *callFrame) string {
	if f.Parent == nil || f.Parent.Fn.IsG || f.Parent.Fn.Proto.SourceName == ownSource {
		return ""
	}
	for _, c := range f.Parent.Fn.Proto.DbgCalls {
		if c.Pc == f.Parent.Pc-1 && c.Name != "?" {
			return c.Name
		}
	}
	return ""
}
