package luafix_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"moonio/vm/luafix"
)

// FuzzCompile holds Compile to its word: never a panic, every error a SyntaxError
// in a line of the source, and code that stays within itself.
func FuzzCompile(f *testing.F) {
	files, _ := filepath.Glob("../../testdata/lua/luafix/*.lua")
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, c := range strings.Split(string(source), "\n--- ") {
			f.Add(c)
		}
	}
	for _, s := range []string{"", "#!/bin/moonio\nreturn", "\xef\xbb\xbfx=1", "goto a ::a::", "x = [==[", "a.b:c'd'{...}", "return 0x1p4, 1e, .e, 3..4"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		proto, err := luafix.Compile(source, "fuzz")
		var syntax *luafix.SyntaxError
		switch {
		case err == nil:
			if proto == nil || len(proto.Code) == 0 {
				t.Error("neither code nor an error")
			}
		case !errors.As(err, &syntax):
			t.Errorf("%T is no SyntaxError: %v", err, err)
		case syntax.Line < 1 || syntax.Line > strings.Count(source, "\n")+strings.Count(source, "\r")+1:
			t.Errorf("line %d is not in the source: %v", syntax.Line, err)
		case strings.Contains(syntax.Message, "gave up"):
			t.Errorf("%v", err)
		}
		luafix.Tokens(source)
	})
}

func TestTokens(t *testing.T) {
	var got []string
	for _, tok := range luafix.Tokens("local x = 0x1F+1e-2 -- note\n--[==[ a\n]] ]==] s['a\\'b'] ~= [[\n]] != 3..4 \"open") {
		got = append(got, tok.Text)
	}
	want := []string{"local", "x", "=", "0x1F", "+", "1e-2", "s", "[", `'a\'b'`, "]", "~=", "[[\n]]", "!", "=", "3..4", `"open`}
	if strings.Join(got, "␣") != strings.Join(want, "␣") {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestStrip(t *testing.T) {
	for _, source := range []string{"\xef\xbb\xbfreturn x.y", "#!/usr/bin/moonio\nreturn x", "# only a line", ""} {
		if _, err := luafix.Compile(source, "a"); err != nil {
			t.Errorf("%q: %v", source, err)
		}
	}
}

func TestLimits(t *testing.T) {
	list := "return {" + strings.Repeat("1,", 26000) + "}"
	if _, err := luafix.Compile(list, "a"); err == nil || !strings.Contains(err.Error(), "lists 26000 values") {
		t.Errorf("a long list: %v", err)
	}
	var outer, inner strings.Builder
	for i := range 300 {
		v := "v" + strings.Repeat("x", i)
		outer.WriteString("local " + v + "\n")
		inner.WriteString(v + " = 1\n")
	}
	if _, err := luafix.Compile(outer.String(), "a"); err == nil || !strings.Contains(err.Error(), "too many local variables") {
		t.Errorf("many locals: %v", err)
	}
	body := "local f = function() " + inner.String() + " end"
	for i := range 150 {
		body = "local v" + strings.Repeat("x", 299-i) + "\n" + body
	}
	for i := range 150 {
		if i == 0 {
			body = "return function()\n" + body + "\nend"
		}
		body = "local v" + strings.Repeat("x", i) + "\n" + body
	}
	if _, err := luafix.Compile(body, "a"); err == nil || !strings.Contains(err.Error(), "300 locals of the functions around it") {
		t.Errorf("many captured locals: %v", err)
	}
}
