package luaerr_test

import (
	"testing"

	"moonio/vm/luaerr"
	"moonio/vm/luafix"

	lua "github.com/yuin/gopher-lua"
)

// run compiles and runs a script, and returns what is said of its fault.
func run(t *testing.T, source string) string {
	t.Helper()
	sources := func(file string) (string, bool) { return source, file == "wal.lua" }
	known := []string{"open", "phase", "print", "error"}
	proto, err := luafix.Compile(source, "wal.lua")
	if err != nil {
		return luaerr.New(err, sources, known).Error()
	}
	L := lua.NewState()
	defer L.Close()
	L.Push(L.NewFunctionFromProto(proto))
	if err := L.PCall(0, 0, nil); err != nil {
		return luaerr.New(err, sources, known).Error()
	}
	return ""
}

func TestError(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"local x = 1\nphaze(\"a\", x)", `wal.lua:2: attempt to call "phaze", which is not a function
  2 | phaze("a", x)
    | ^~~~~
hint: did you mean "phase"?`},
		{"if 1 != 2 then end", `wal.lua:1: unexpected symbol '!'
  1 | if 1 != 2 then end
    |      ^
hint: Lua writes ~= for "not equal"`},
		{"local function f()\n\terror(\"no 'luck' today\")\nend\nprint(f())", `wal.lua:2: no 'luck' today
  2 | 	error("no 'luck' today")
    | 	           ^~~~
called from:
  wal.lua:4: in main chunk`},
	} {
		if got := run(t, c.source); got != c.want {
			t.Errorf("%s\ngot:\n%s\nwant:\n%s", c.source, got, c.want)
		}
	}
}
