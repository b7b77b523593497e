package lua51

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"moonio/vm/luastr"
)

func (s *State) openTable() {
	t := s.L.NewTable()
	fill(s.L, t, map[string]lua.LGFunction{
		"concat": tableConcat, "foreach": forEach, "foreachi": forEachIndex, "getn": tableLen, "insert": insert,
		"maxn": maxN, "remove": remove,
	})
	sort := s.L.NewFunction(sortTable)
	s.natives[sort] = "a comparison of table.sort"
	t.RawSetString("sort", sort)
	s.L.SetGlobal("table", t)
}

func tableConcat(L *lua.LState) int {
	t := checkTable(L, 1, "concat")
	between := optText(L, 2, "concat", "")
	first := optInt(L, 3, "concat", 1)
	last := optInt(L, 4, "concat", t.Len())
	var b strings.Builder
	for i := first; i <= last; i++ {
		switch v := t.RawGet(lua.LNumber(i)).(type) {
		case lua.LString:
			b.WriteString(string(v))
		case lua.LNumber:
			b.WriteString(luastr.NumberText(v))
		default:
			L.RaiseError("invalid value (%s) at index %d in table for 'concat'", v.Type(), i)
		}
		if i < last {
			b.WriteString(between)
		}
		if b.Len() > luastr.MaxResult {
			L.RaiseError("the result of table.concat is too long: %d bytes are the limit", luastr.MaxResult)
		}
	}
	L.Push(lua.LString(b.String()))
	return 1
}

func tableLen(L *lua.LState) int {
	L.Push(lua.LNumber(checkTable(L, 1, "getn").Len()))
	return 1
}

func maxN(L *lua.LState) int {
	most := lua.LNumber(0)
	checkTable(L, 1, "maxn").ForEach(func(k, _ lua.LValue) {
		if n, ok := k.(lua.LNumber); ok {
			most = max(most, n)
		}
	})
	L.Push(most)
	return 1
}

func insert(L *lua.LState) int {
	t := checkTable(L, 1, "insert")
	n := t.Len()
	switch L.GetTop() {
	case 2:
		t.RawSetInt(n+1, L.Get(2))
	case 3:
		at := checkInt(L, 2, "insert")
		if at >= 1 && at <= n {
			t.Insert(at, L.Get(3))
			return 0
		}
		checkKey(L, t, lua.LNumber(at))
		t.RawSet(lua.LNumber(at), L.Get(3))
	default:
		L.RaiseError("wrong number of arguments to 'insert'")
	}
	return 0
}

func remove(L *lua.LState) int {
	t := checkTable(L, 1, "remove")
	n := t.Len()
	at := optInt(L, 2, "remove", n)
	if at < 1 || at > n {
		return 0
	}
	v := t.RawGetInt(at)
	t.Remove(at)
	L.Push(v)
	return 1
}

// forEach is of Lua 5.0, and still in 5.1.
func forEach(L *lua.LState) int {
	t, fn := checkTable(L, 1, "foreach"), checkFunction(L, 2, "foreach")
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		if visit(L, fn, k, v) {
			return 1
		}
	}
	return 0
}

func forEachIndex(L *lua.LState) int {
	t, fn := checkTable(L, 1, "foreachi"), checkFunction(L, 2, "foreachi")
	for i := range t.Len() {
		if visit(L, fn, lua.LNumber(i+1), t.RawGetInt(i+1)) {
			return 1
		}
	}
	return 0
}

// visit leaves fn's result on the stack, and says whether there is one.
func visit(L *lua.LState, fn *lua.LFunction, k, v lua.LValue) bool {
	L.Push(fn)
	L.Push(k)
	L.Push(v)
	L.Call(2, 1)
	if L.Get(-1) != lua.LNil {
		return true
	}
	L.Pop(1)
	return false
}
