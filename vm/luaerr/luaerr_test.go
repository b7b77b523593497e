package luaerr_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"moonio/vm/lua51"
	"moonio/vm/luaerr"
	"moonio/vm/luafix"
)

// fault compiles and runs a script, and returns what is said of its fault.
func fault(t *testing.T, source string) *luaerr.Error {
	t.Helper()
	sources := func(file string) (string, bool) { return source, file == "wal.lua" }
	known := []string{"open", "phase"}
	proto, err := luafix.Compile(source, "wal.lua")
	if err != nil {
		return luaerr.New(err, sources, known)
	}
	s := lua51.NewState()
	defer s.Close()
	if err := s.Open(lua51.Options{Print: io.Discard, Compile: luafix.Compile}); err != nil {
		t.Fatal(err)
	}
	s.L.SetGlobal("handle", s.L.NewUserData())
	s.L.SetGlobal("crash", s.Function(func(*lua.LState) int { panic("no luck") }))
	if err := s.Run(s.L.NewFunctionFromProto(proto)); err != nil {
		return luaerr.New(err, sources, known)
	}
	return nil
}

func TestError(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"local wal = { append = print }\n\n  wal:appendx(\"4KiB\")", `wal.lua:3: attempt to call a nil value (method 'appendx')
  3 |   wal:appendx("4KiB")
    |       ^~~~~~~
hint: did you mean 'append'?`},
		{"local x = 1\nphaze(\"a\", x)", `wal.lua:2: attempt to call a nil value (global 'phaze')
  2 | phaze("a", x)
    | ^~~~~
hint: did you mean 'phase'?`},
		{"if 1 != 2 then end", `wal.lua:1: unexpected symbol '!'
  1 | if 1 != 2 then end
    |      ^
hint: Lua writes ~= for "not equal"`},
		{"local function f()\n\terror(\"no 'luck' today\")\nend\nprint(f())", `wal.lua:2: no 'luck' today
  2 | 	error("no 'luck' today")
    | 	           ^~~~
called from:
  wal.lua:4: in main chunk`},
		{"local s = \"größer\" .. size", `wal.lua:1: attempt to concatenate a nil value (global 'size')
  1 | local s = "größer" .. size
    |                       ^~~~`},
		{"x = \"\x1b[2J\" .. nothing", `wal.lua:1: attempt to concatenate a nil value (global 'nothing')
  1 | x = "·[2J" .. nothing
    |               ^~~~~~~`},
		{"error({ code = 1 })", `wal.lua:1: an error value that is a table was thrown and not caught
  1 | error({ code = 1 })`},
		{"\nerror(nil)", `wal.lua:2: an error value that is nil was thrown and not caught
  2 | error(nil)`},
		{"error(print)", `wal.lua:1: an error value that is a function was thrown and not caught
  1 | error(print)`},
		{"error(coroutine.create(print))", `wal.lua:1: an error value that is a coroutine was thrown and not caught
  1 | error(coroutine.create(print))`},
		{"error(false)", `wal.lua:1: an error value that is false was thrown and not caught
  1 | error(false)`},
		{"error(5)", `wal.lua:1: 5
  1 | error(5)`},
		{"local function f()\n  error('done', 0)\nend\nf()", `wal.lua:2: done
  2 |   error('done', 0)
called from:
  wal.lua:4: in main chunk`},
	} {
		if got := fault(t, c.source).Error(); got != c.want {
			t.Errorf("%s\ngot:\n%s\nwant:\n%s", c.source, got, c.want)
		}
	}
}

// TestMark looks at what is marked: it stands between the brackets.
func TestMark(t *testing.T) {
	for source, want := range map[string]string{
		"local f = function() return 1 + fu() end f()":     "fu",
		"local t = {} t.x.y.z = 1":                         "x",
		"local t = { sub = {} } print(t.sub, t.sub:sub())": "sub",
		"local a; local b = a + a.a":                       "a",
		"local x = tostring(1) < tonumber('1')":            "<",
		"local x = 1 2":                                    "2",
		"local s = 'abc":                                   "'abc",
		"local size = 4k":                                  "4k",
		"for i = 1, 'x' do end":                            "for",
		"local x = nil local y = 'x' .. x":                 "x",
		"local x = ('x'):rep()":                            "rep",
		"local x = io.open('x')":                           "",
		"break":                                            "break",
		"goto nowhere":                                     "nowhere",
		"local ok = math.floor({})":                        "floor",
		"local x = 9007199254740993":                       "9007199254740993",
		`local f = error("open \"f\": unknown option \"x\"; known are x")`:           "",
		`local f, x = error('open "f": unknown option "frost" here'), { frost = 1 }`: "frost",
		`local f = error('stream "r": zipf(5) in "f": too much', zipf(5))`:           "zipf",
	} {
		e := fault(t, source)
		got := ""
		if e.Column > 0 {
			got = e.Source[e.Column-1:][:e.Width]
		}
		if got != want {
			t.Errorf("%s: %s marks %q, want %q", source, e.Message, got, want)
		}
	}
}

// TestMarkPlace says at which column the mark is where a name stands several times.
func TestMarkPlace(t *testing.T) {
	for source, want := range map[string]int{
		"local f = 5 local g = f f('x')":         25,
		"local t local u = { t, t.x }":           24,
		"local n local m = { n = 1, m = n + 1 }": 32,
		"local t = { x = 1 } print(t.x, t.x())":  34,
	} {
		if e := fault(t, source); e.Column != want {
			t.Errorf("%s: %s at %d, want %d", source, e.Message, e.Column, want)
		}
	}
}

func TestHints(t *testing.T) {
	for source, want := range map[string]string{
		"x += 1":                              "Lua has no +=: write x = x + 1",
		"x++":                                 "Lua has no ++: write x = x + 1",
		"if a && b then end":                  `Lua writes "and"`,
		"if a || b then end":                  `Lua writes "or"`,
		"if !a then end":                      `Lua writes "not"`,
		"for i = 1, 2 do continue end":        `Lua has no continue: put "goto continue" here and "::continue::" before the loop's end`,
		"if x = 1 then end":                   "a comparison is written ==",
		"local x = 7 // 2":                    "comments begin with --, and Lua 5.1 has no integer division: use math.floor(a / b)",
		"local size = 4KiB":                   `sizes, durations and rates with a unit are texts: "4KiB"`,
		"frobnicate()":                        "",
		"opem('x')":                           "did you mean 'open'?",
		"local s = \"!= and +=\" local x = )": "",
		"if a then\nelse if b then\nend":      "Lua writes elseif in one word; \"else if\" needs an end of its own",
		"for k, v in { 1, 2 } do end":         "for … in takes an iterator: pairs(t) or ipairs(t) for a table",
		"local x = y and nil.z":               "",
		"local ok = 0.004 < '5ms'":            `figures are numbers, in seconds and bytes, and so are ms(5), seconds("5ms") and bytes("4KiB")`,
		"local ok = '5ms' >= 0.004":           `figures are numbers, in seconds and bytes, and so are ms(5), seconds("5ms") and bytes("4KiB")`,
		"local x = '5ms' * 2":                 `figures are numbers, in seconds and bytes, and so are ms(5), seconds("5ms") and bytes("4KiB")`,
		"local ok = {} < 5":                   "",
		"f(function()\n  if x then\n    g()\n\nend)\nh()": "the 'if' at line 2 has no 'end'",
		"f(1,\n  2\nlocal x = 1":                          "the '(' at line 1 has no ')'",
		"f(1,\n  g()\nh(true)":                            "a comma is missing before it, or the '(' at line 1 has no ')'",
		"local t = {\n  a = 1\n  b = 2\n}":                "a comma is missing before it, or the '{' at line 1 has no '}'",
		"local t = { a = 1 b = 2 }":                       "a comma is missing before it",
		"f('x' 'y')":                                      "a comma is missing before it",
		"if x\n  y()\nend":                                "the 'if' at line 1 has no 'then'",
		"while x\n  y()\nend":                             "the 'while' at line 1 has no 'do'",
		"for i = 1, 2\n  y()\nend":                        "the 'for' at line 1 has no 'do'",
		"if x then y() end end":                           "there is nothing open that 'end' could close",
		"f(1))":                                           "there is nothing open that ')' could close",
		"local x = f(1, { 2 )":                            "the '{' at line 1 has no '}'",
		"for i = 1, 2 do x() }":                           "the 'for' at line 1 has no 'end'",
		"local c = handle c = c + 1":                      "a counter's number is c:get(), which c:add(1) adds to; that of a semaphore's free units is s:value()",
		"local c = handle print(c .. 's')":                "a counter's number is c:get(), which c:add(1) adds to; that of a semaphore's free units is s:value()",
	} {
		if got := fault(t, source).Hint; got != want {
			t.Errorf("%s: hint %q, want %q", source, got, want)
		}
	}
}

func TestPanic(t *testing.T) {
	e := fault(t, "pcall(crash)")
	if e.File != "" || len(e.Message) < 100 || e.Message[:len("the program failed beneath the script")] != "the program failed beneath the script" {
		t.Error(e.Message)
	}
}

func TestForeignErrors(t *testing.T) {
	if got := luaerr.New(errors.New("disk gone"), nil, nil).Error(); got != "disk gone" {
		t.Error(got)
	}
	if got := luaerr.New(&lua.ApiError{Object: lua.LString("a.lua:3: bad")}, nil, nil); got.File != "a.lua" || got.Line != 3 || got.Message != "bad" {
		t.Errorf("%+v", got)
	}
}

// Whatever a script holds, its message fits on a screen, with the mark where it was.
func TestLongError(t *testing.T) {
	long := strings.Repeat("é", 50_000)
	e := fault(t, `local x = "`+long+`"; phaze(); local y = "`+long+`"`)
	lines := strings.Split(e.Error(), "\n")
	if len(lines) != 4 || len(e.Error()) > 2000 {
		t.Fatalf("%d lines, %d bytes", len(lines), len(e.Error()))
	}
	source, mark := []rune(lines[1]), []rune(lines[2])
	if got := string(source[strings.IndexRune(string(mark), '^'):len(mark)]); got != "phaze" || string(mark[len(mark)-5:]) != "^~~~~" {
		t.Errorf("%q is marked with %q", got, string(mark))
	}
	e = fault(t, `error("`+long+`")`)
	if n := len(e.Error()); n > maxShown || !strings.Contains(e.Error(), " … ") {
		t.Errorf("%d bytes", n)
	}
}

const maxShown = 6000

// What a function blames its caller for is the caller's: the calls listed are those that led there.
func TestBlamedCaller(t *testing.T) {
	e := fault(t, `local function check(x)
  error("bad", 2)
end
local function use(x)
  check(x)
  return x
end
use(1)`)
	if e == nil || e.Place() != "wal.lua:5" || e.Message != "bad" || e.Traceback != "  wal.lua:8: in main chunk" {
		t.Errorf("%+v", e)
	}
}
