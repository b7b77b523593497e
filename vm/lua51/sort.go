package lua51

import (
	"sort"

	lua "github.com/yuin/gopher-lua"
)

// sorter sorts values taken from a table.
type sorter struct {
	L        *lua.LState
	values   []lua.LValue
	less     lua.LValue // a function, or nil for <
	compared int
}

func (o *sorter) Len() int      { return len(o.values) }
func (o *sorter) Swap(i, j int) { o.values[i], o.values[j] = o.values[j], o.values[i] }

func (o *sorter) Less(i, j int) bool {
	a, b := o.values[i], o.values[j]
	if o.less == lua.LNil {
		if o.compared++; o.compared&0xffff == 0 {
			checkStop(o.L)
		}
		return o.L.LessThan(a, b)
	}
	o.L.Push(o.less)
	o.L.Push(a)
	o.L.Push(b)
	o.L.Call(2, 1)
	v := o.L.Get(-1)
	o.L.Pop(1)
	return lua.LVAsBool(v)
}

// sortTable is table.sort. With a comparison that is no order, the result is in some
// order, where Lua may raise an error.
func sortTable(L *lua.LState) int {
	t := checkTable(L, 1, "sort")
	if L.Get(2) != lua.LNil {
		checkFunction(L, 2, "sort")
	}
	o := &sorter{L: L, less: L.Get(2), values: make([]lua.LValue, t.Len())}
	for i := range o.values {
		o.values[i] = t.RawGetInt(i + 1)
	}
	sort.Sort(o)
	for i, v := range o.values {
		t.RawSetInt(i+1, v)
	}
	return 0
}
