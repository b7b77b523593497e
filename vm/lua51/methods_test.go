package lua51_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"moonio/vm/lua51"
)

// typed gives a world a value "o" of a type with fixed methods m1 to m40, that return their
// numbers. Any other is looked up in vain.
func typed(t *testing.T) *world {
	w := newWorld(t, io.Discard)
	mt, index := w.L.NewTable(), w.L.NewTable()
	for i := range 40 {
		index.RawSetString(fmt.Sprintf("m%d", i+1), w.L.NewFunction(func(L *lua.LState) int {
			L.CheckUserData(1)
			L.Push(lua.LNumber(i + 1))
			return 1
		}))
	}
	missing := w.L.NewTable()
	missing.RawSetString("__index", w.L.NewFunction(func(L *lua.LState) int {
		L.RaiseError("no method %s", L.Get(2))
		return 0
	}))
	w.L.SetMetatable(index, missing)
	mt.RawSetString("__index", index)
	lua51.FixMethods(mt)
	o := w.L.NewUserData()
	o.Metatable = mt
	w.L.SetGlobal("o", o)
	w.L.SetGlobal("plain", w.L.NewUserData())
	return w
}

func TestFixedMethods(t *testing.T) {
	// More methods than are remembered, again and again, and names that are built.
	var calls strings.Builder
	for i := range 40 {
		fmt.Fprintf(&calls, "eq(o:m%d(), %[1]d) eq(o['m' .. %[1]d](o), %[1]d) eq(o.m%[1]d, o['m%[1]d'])\n", i+1)
	}
	// So many constants before it that the name of the method is in a register.
	var far strings.Builder
	far.WriteString("local n = 0\n")
	for i := range 300 {
		fmt.Fprintf(&far, "n = n + %d.5\n", i)
	}
	far.WriteString("for i = 1, 3 do eq(o:m7(), 7) end")
	for name, source := range map[string]string{
		"calls":        "for i = 1, 3 do\n" + calls.String() + "end",
		"far":          far.String(),
		"after a wait": "for i = 1, 3 do eq(wait(i), i) eq(o:m1(), 1) end",
		"tail call":    "local function f() return o:m3() end for i = 1, 3 do eq(f(), 3) end",
		"missing":      "for i = 1, 3 do local ok, err = pcall(function() return o:m41() end) eq(ok, false) eq(err, 'case:1: no method m41') end",
		"no methods":   "local ok, err = pcall(function() return plain:m1() end) eq(ok, false)",
		"a string":     "for i = 1, 3 do eq(('x'):rep(3), 'xxx') end",
		"a table":      "local t = { m1 = function(self, x) return x end } for i = 1, 3 do eq(t:m1(i), i) end",
	} {
		if err := typed(t).run(source, "case"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A loop over Turns goes round as often as it says, with the variable that the loop began
// with; its body can wait.
func TestTurns(t *testing.T) {
	for _, turns := range []int{0, 1, 5} {
		w := newWorld(t, io.Discard)
		left := turns
		u := w.L.NewUserData()
		u.Value = lua51.Turns(func() bool { left--; return left >= 0 })
		w.L.SetGlobal("turns", u)
		fn, err := w.L.Load(strings.NewReader(`
			local n = 0
			for id in turns, nil, 7 do
				eq(id, 7)
				eq(wait(n), n)
				id = nil
				n = n + 1
			end
			rounds = n`), "turns")
		if err != nil {
			t.Fatal(err)
		}
		th := w.NewThread()
		done, err := w.Resume(th, fn)
		for !done {
			done, err = w.Resume(th, nil, w.waits...)
		}
		if got := w.L.GetGlobal("rounds"); err != nil || got != lua.LNumber(turns) || w.waited != turns {
			t.Errorf("%d turns: %v rounds, %d waits, %v", turns, got, w.waited, err)
		}
	}
}
