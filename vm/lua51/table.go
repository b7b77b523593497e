package lua51

import (
	"sort"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"moonio/vm/luastr"
)

func (s *State) openTable() {
	t := s.L.GetGlobal("table").(*lua.LTable)
	t.RawSetString("sort", s.L.NewFunction(s.sort))
	t.RawSetString("concat", s.L.NewFunction(concat))
}

// sorter sorts the elements 1 to n of a table.
type sorter struct {
	s    *State
	L    *lua.LState
	t    *lua.LTable
	n    int
	less lua.LValue // a function, or nil for <
}

func (o *sorter) Len() int { return o.n }

func (o *sorter) Swap(i, j int) {
	a, b := o.t.RawGetInt(i+1), o.t.RawGetInt(j+1)
	o.t.RawSetInt(i+1, b)
	o.t.RawSetInt(j+1, a)
}

func (o *sorter) Less(i, j int) bool {
	a, b := o.t.RawGetInt(i+1), o.t.RawGetInt(j+1)
	if o.less == lua.LNil {
		return o.L.LessThan(a, b)
	}
	o.L.Push(o.less)
	o.L.Push(a)
	o.L.Push(b)
	o.s.Call(o.L, 2, 1, "a comparison of table.sort")
	v := o.L.Get(-1)
	o.L.Pop(1)
	return lua.LVAsBool(v)
}

func (s *State) sort(L *lua.LState) int {
	o := &sorter{s: s, L: L, t: L.CheckTable(1), less: L.Get(2)}
	o.n = o.t.Len()
	if _, ok := o.less.(*lua.LFunction); !ok && o.less != lua.LNil {
		L.RaiseError("bad argument #2 to 'sort' (function expected, got %s)", typeName(L, 2))
	}
	sort.Sort(o)
	return 0
}

func concat(L *lua.LState) int {
	t := L.CheckTable(1)
	between := L.OptString(2, "")
	first, last := L.OptInt(3, 1), L.OptInt(4, t.Len())
	var b strings.Builder
	for i := first; i <= last; i++ {
		switch v := L.GetTable(t, lua.LNumber(i)).(type) {
		case lua.LString:
			b.WriteString(string(v))
		case lua.LNumber:
			b.WriteString(luastr.NumberText(v))
		default:
			L.RaiseError("invalid value (%s) at index %d in table for 'concat'", v.Type(), i)
		}
		if b.Len() > luastr.MaxResult {
			L.RaiseError("the result of table.concat is too long")
		}
		if i < last {
			b.WriteString(between)
		}
	}
	L.Push(lua.LString(b.String()))
	return 1
}
