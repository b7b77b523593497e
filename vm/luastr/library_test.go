package luastr

import (
	"fmt"
	"math"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"
)

func TestResultsAreBounded(t *testing.T) {
	L := newState(t)
	install(L, goOn, 1000)
	for expr, want := range map[string]string{
		`#string.rep("x", 1000)`:                              "1000",
		`string.rep("x", 1001)`:                               "error: resulting string too large (1001 times 1 bytes; the limit is 1000 bytes)",
		`string.rep("xy", 501)`:                               "error: resulting string too large (501 times 2 bytes; the limit is 1000 bytes)",
		`string.rep("xx", 2^63)`:                              "error: resulting string too large (9223372036854775807 times 2 bytes; the limit is 1000 bytes)",
		`#string.format("%s%s", ("x"):rep(999), "y")`:         "1000",
		`string.format("%s%s", ("x"):rep(999), "yy")`:         "error: resulting string too large (the limit is 1000 bytes)",
		`#string.gsub(("x"):rep(100), "x", ("y"):rep(10))`:    "1000",
		`string.gsub(("x"):rep(101), "x", ("y"):rep(10))`:     "error: resulting string too large (the limit is 1000 bytes)",
		`string.gsub(("x"):rep(998) .. "ab", "b", "1234567")`: "error: resulting string too large (the limit is 1000 bytes)",
	} {
		if got := evaluate(t, L, expr); got != want {
			t.Errorf("%s\n got %s\nwant %s", expr, got, want)
		}
	}
}

// Functions that are called back may call the library.
func TestCallsNest(t *testing.T) {
	L := newState(t)
	for expr, want := range map[string]string{
		`string.gsub("a b", "%a", function(c) return (string.gsub(c .. c, ".", "<%0>")) end)`:                         `"<a><a> <b><b>" 2`,
		`string.format("%s-%s", setmetatable({}, {__tostring = function() return ("%d!"):format(1) end}), "end")`:     `"1!-end"`,
		`string.gsub("ab", ".", setmetatable({}, {__index = function(_, k) return string.format("%s%s", k, k) end}))`: `"aabb" 2`,
		`string.gsub("ab", ".", function() pcall(string.gsub, "x", "x", error) return string.format("%s", "ok") end)`: `"okok" 2`,
	} {
		if got := evaluate(t, L, expr); got != want {
			t.Errorf("%s\n got %s\nwant %s", expr, got, want)
		}
	}
}

// A pattern that repeats more things than it may is refused before it is matched: each is
// a level of recursion.
func TestPatternsAreBounded(t *testing.T) {
	if _, err := compile(strings.Repeat("x?", maxRepeats)); err != nil {
		t.Error(err)
	}
	if _, err := compile(strings.Repeat("x?", maxRepeats+1)); err != errTooComplex {
		t.Errorf("got %v, want %v", err, errTooComplex)
	}
	lib := &library{patterns: make(map[string]*pattern)}
	L := newState(t)
	for i := range 10 * maxPatterns {
		lib.compile(L, fmt.Sprint("x", i))
		lib.compile(L, strings.Repeat("x", maxPatternKept+1+i))
	}
	if n := len(lib.patterns); n > maxPatterns {
		t.Errorf("%d patterns are kept, want at most %d", n, maxPatterns)
	}
}

// Patterns that go through a text once get through, however long it is.
func TestLongTextsMatch(t *testing.T) {
	s := strings.Repeat("key = value; ", 1<<13)
	for _, p := range []string{"^.*$", "^.-$", "[^;]*;$", "(%w+)%s*=%s*(%w+);%s*$", "nowhere", "%f[%z]"} {
		compiled, err := compile(strings.TrimPrefix(p, "^"))
		if err != nil {
			t.Fatal(err)
		}
		m := newMatcher(nil, goOn, compiled, s)
		m.steps, m.reserve = 0, stepsPerByte*len(s)
		if m.search(0, p[0] == '^'); m.spent() {
			t.Errorf("%q is too complex for %d bytes", p, len(s))
		}
	}
}

// What goes through a long text looks whether it is to stop, however little it does there.
func TestStops(t *testing.T) {
	for _, call := range []string{
		"string.find(text, 'a-b')",
		"string.match(text, 'a.-(b)')",
		"string.gmatch(text, 'a?b')()",
		"string.gsub(text, 'a', 'b')",
		"string.gsub(text, '', '')",
		"string.gsub(text, 'a', { a = 'b' })",
		"string.gsub(text, '%f[b]', '')",
	} {
		L := newState(t)
		install(L, func(L *lua.LState) { L.RaiseError("stopped") }, MaxResult)
		L.SetGlobal("text", lua.LString(strings.Repeat("a", 2*lookSteps)))
		if err := L.DoString(call); err == nil || !strings.Contains(err.Error(), "stopped") {
			t.Errorf("%s: got %v", call, err)
		}
	}
}

// Which sign 0/0 has depends on the machine.
func TestNumberTextOfNoNumber(t *testing.T) {
	for _, c := range []struct {
		sign float64
		want string
	}{{1, "nan"}, {-1, "-nan"}} {
		if got := NumberText(lua.LNumber(math.Copysign(math.NaN(), c.sign))); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestToNumber(t *testing.T) {
	for _, c := range []struct {
		v    lua.LValue
		base int
		want lua.LNumber
		ok   bool
	}{
		{lua.LNumber(1.5), 10, 1.5, true},
		{lua.LString("10"), 1, 0, false},
		{lua.LString("10"), 37, 0, false},
		{lua.LString("10"), 36, 36, true},
		{lua.LNumber(11), 2, 3, true},
		{lua.LString("11111111111111111111111111111111111111111111111111111"), 2, 1<<53 - 1, true},
		{lua.LString("1e400"), 10, lua.LNumber(math.Inf(1)), true},
		{lua.LTrue, 10, 0, false},
		{lua.LNil, 10, 0, false},
	} {
		if got, ok := ToNumber(c.v, c.base); got != c.want || ok != c.ok {
			t.Errorf("%v in base %d: got %v, %t, want %v, %t", c.v, c.base, got, ok, c.want, c.ok)
		}
	}
}

// The common calls allocate their results alone: a text's bytes and its header.
func TestAllocations(t *testing.T) {
	L := newState(t)
	for expr, most := range map[string]float64{
		`string.byte("abc", 2)`:                      0,
		`string.sub("abc", 2, 2)`:                    0,
		`string.len("abc")`:                          0,
		`string.find("hello world", "wor", 1, true)`: 0,
		`string.find("hello world", "w%a+")`:         0,
		`string.match("hello world", "w%a+")`:        1,
		`string.gsub("hello", "l", "L")`:             2,
		`string.format("%d/%s/%.3f", 12, "x", 1.5)`:  2,
		`string.format("%5d|%-5d", 1, 2)`:            2,
	} {
		if err := L.DoString("function subject() return " + expr + " end"); err != nil {
			t.Fatal(err)
		}
		subject := L.GetGlobal("subject")
		got := testing.AllocsPerRun(100, func() {
			L.Push(subject)
			L.Call(0, 1)
			L.Pop(1)
		})
		if got > most {
			t.Errorf("%s: %v allocations, want at most %v", expr, got, most)
		}
	}
}

func Benchmark(b *testing.B) {
	for _, c := range []struct{ name, expr string }{
		{"FindPlain", `string.find("the quick brown fox", "fox", 1, true)`},
		{"Find", `string.find("the quick brown fox", "f%a+")`},
		{"Match", `string.match("key = value", "^(%w+)%s*=%s*(%w+)$")`},
		{"Gsub", `string.gsub("the quick brown fox", "%a+", "<%0>")`},
		{"GsubFunction", `string.gsub("the quick brown fox", "%a+", string.upper)`},
		{"Format", `string.format("%d/%s/%.3f", 12, "x", 1.5)`},
		{"Tostring", `tostring(1234567.5)`},
		{"Operator", `"rate " .. 1234567.5 .. "/s"`},
		{"Sub", `string.sub("the quick brown fox", 5, 9)`},
		{"Byte", `string.byte("abc", 2)`},
	} {
		b.Run(c.name, func(b *testing.B) {
			L := newState(b)
			if err := L.DoString("function subject() for i = 1, 1000 do local _ = " + c.expr + " end end"); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for range b.N / 1000 {
				L.Push(L.GetGlobal("subject"))
				L.Call(0, 0)
			}
		})
	}
}
