package luafix_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"

	"moonio/vm/luafix"
	"moonio/vm/luafix/casefile"
)

func cases(t *testing.T, name string) []casefile.Case {
	t.Helper()
	all, err := casefile.Read(filepath.Join("../../testdata/lua/luafix", name))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// unrepaired compiles as gopher-lua does.
func unrepaired(source, name string) (*lua.FunctionProto, error) {
	chunk, err := parse.Parse(strings.NewReader(source), name)
	if err != nil {
		return nil, err
	}
	return lua.Compile(chunk, name)
}

// play runs a case in a plain state.
func play(c casefile.Case, compile compiler) error {
	proto, err := compile(c.Source, "case")
	if err != nil {
		return err
	}
	L := lua.NewState()
	defer L.Close()
	L.SetGlobal("eq", L.NewFunction(func(L *lua.LState) int {
		if !L.RawEqual(L.Get(1), L.Get(2)) {
			L.RaiseError("%v is not %v", L.Get(1), L.Get(2))
		}
		return 0
	}))
	return L.CallByParam(lua.P{Fn: L.NewFunctionFromProto(proto), Protect: true})
}

func TestRepairs(t *testing.T) {
	for _, c := range append(cases(t, "repairs.lua"), cases(t, "sound.lua")...) {
		t.Run(c.Name, func(t *testing.T) {
			if err := play(c, luafix.Compile); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestStillNeeded fails when gopher-lua no longer needs a repair.
func TestStillNeeded(t *testing.T) {
	for _, c := range cases(t, "repairs.lua") {
		if err := play(c, unrepaired); err == nil {
			t.Errorf("%s: gopher-lua does this correctly now: take the repair out, or show with another case that it is needed", c.Name)
		}
	}
}

func TestLines(t *testing.T) {
	for _, name := range []string{"lines.lua", "syntax.lua"} {
		for _, c := range cases(t, name) {
			t.Run(c.Name, func(t *testing.T) {
				err := play(c, luafix.Compile)
				if err == nil {
					t.Fatal("no error")
				}
				text, _, _ := strings.Cut(err.Error(), "\n")
				if !strings.HasPrefix(text, fmt.Sprintf("case:%d: ", c.Line)) || !strings.Contains(text, c.Error) {
					t.Errorf("got %q, want line %d and %q", text, c.Line, c.Error)
				}
			})
		}
	}
}

func TestSyntaxErrors(t *testing.T) {
	for _, c := range []struct {
		source string
		want   luafix.SyntaxError
	}{
		{"local x = 1 2", luafix.SyntaxError{File: "a", Line: 1, Column: 13, Message: "unexpected '2'"}},
		{"\n  if x != 1 then end", luafix.SyntaxError{File: "a", Line: 2, Column: 8, Message: "unexpected symbol '!'"}},
		{"f(", luafix.SyntaxError{File: "a", Line: 1, Message: "unexpected end of file: the '(' at line 1 has no ')'"}},
		{"x = = 1", luafix.SyntaxError{File: "a", Line: 1, Column: 5, Message: "unexpected '='"}},
		{"for i = 1, 2 do end end", luafix.SyntaxError{File: "a", Line: 1, Column: 21, Message: "unexpected 'end'"}},
		{strings.Repeat("-", 1) + strings.Repeat("(", 2000) + "1" + strings.Repeat(")", 2000), luafix.SyntaxError{}},
		{"x = " + strings.Repeat("not ", 2000) + "1", luafix.SyntaxError{File: "a", Line: 1, Message: "blocks or expressions nest more than 1000 deep"}},
	} {
		_, err := luafix.Compile(c.source, "a")
		var got *luafix.SyntaxError
		if !errors.As(err, &got) {
			t.Errorf("%.60q: %v is no SyntaxError", c.source, err)
			continue
		}
		got.Missing = "" // luaerr's tests are of what is said to be
		if c.want.File != "" && *got != c.want {
			t.Errorf("%.60q: got %+v, want %+v", c.source, *got, c.want)
		}
	}
}
