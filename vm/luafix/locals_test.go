package luafix_test

import (
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"moonio/vm/luafix"
)

// TestLocals looks at locals from within a script: names(n) lists the first n of its
// caller.
func TestLocals(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"local a, b = 1, 2; names(2)", "a b"},
		{"do local x, y = 1, 2 end local a = 1; names(1)", "a"},
		{"do local x, y = 1, 2 end local a = 1; do local b = 2; names(2) end", "a b"},
		{"local a; for i = 1, 1 do local b = i; names(6) end", "a (for index) (for limit) (for step) i b"},
		{"for i = 1, 1 do local x = 1 end for j, k in pairs { 1 } do names(5) end", "(for generator) (for state) (for control) j k"},
		{"local function f(p, q, ...) local r = ...; names(4) end f()", "p q arg r"},
		{"local f = function(p) local q; names(2) end f()", "p q"},
		{"local t = {} function t:m(p) local q = function(z) end names(3) end t:m()", "self p q"},
		{"local a = 1; repeat local b = 2; names(2) until b", "a b"},
		{"local a; if a then local b = 1 else local c = 1; names(2) end", "a c"},
		{"local a, b = 1, 2; a, b = b, a; names(2)", "a b"},
		{"local a = 1; while true do local b = a; names(2) break end", "a b"},
	} {
		proto, err := luafix.Compile(c.source, "a")
		if err != nil {
			t.Fatal(err)
		}
		L := lua.NewState()
		defer L.Close()
		var got []string
		L.SetGlobal("names", L.NewFunction(func(L *lua.LState) int {
			dbg, _ := L.GetStack(1)
			for i := range L.CheckInt(1) {
				name, _ := L.GetLocal(dbg, i+1)
				got = append(got, name)
			}
			return 0
		}))
		if err := L.CallByParam(lua.P{Fn: L.NewFunctionFromProto(proto), Protect: true}); err != nil {
			t.Fatal(err)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s\ngot  %q\nwant %q", c.source, got, c.want)
		}
	}
}
