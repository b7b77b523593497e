package luastr

import (
	"os"
	"regexp"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"
)

// goOn looks whether there is a reason to stop, and finds none.
func goOn(*lua.LState) {}

// newState is a state with the library, the parts of the base library that cases need,
// and testdata/render.lua.
func newState(t testing.TB) *lua.LState {
	L := lua.NewState(lua.Options{SkipOpenLibs: true})
	t.Cleanup(L.Close)
	lua.OpenBase(L)
	lua.OpenTable(L)
	Open(L, goOn)
	L.SetGlobal("tostring", L.NewFunction(func(L *lua.LState) int {
		L.Push(lua.LString(ToString(L, L.CheckAny(1))))
		return 1
	}))
	L.SetGlobal("tonumber", L.NewFunction(func(L *lua.LState) int {
		n, ok := ToNumber(L.CheckAny(1), L.OptInt(2, 10))
		if !ok {
			L.Push(lua.LNil)
			return 1
		}
		L.Push(n)
		return 1
	}))
	if err := L.DoFile("testdata/render.lua"); err != nil {
		t.Fatal(err)
	}
	return L
}

var place = regexp.MustCompile(`^\S+:\d+: `)

// evaluate returns the rendered results of an expression, or "error: " and its message.
func evaluate(t testing.TB, L *lua.LState, expr string) string {
	fn, err := L.Load(strings.NewReader("return (results("+expr+"))"), "case")
	if err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	defer L.SetTop(0)
	if err := L.CallByParam(lua.P{Fn: fn, NRet: 1, Protect: true}); err != nil {
		return "error: " + place.ReplaceAllString(err.(*lua.ApiError).Object.String(), "")
	}
	return L.Get(-1).String()
}

// testCase is an expression and its results as render.lua shows them.
type testCase struct {
	expr, want string
	ours       bool // Lua 5.1 does something else
}

// readCases reads testdata/cases.txt: an expression a line, with "! " before it where
// Lua 5.1 does something else, and the results in the next line after a tab.
func readCases(t testing.TB) (cases []testCase) {
	text, err := os.ReadFile("testdata/cases.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		want, result := strings.CutPrefix(line, "\t")
		switch {
		case line == "" || line[0] == '#' && line[1] == ' ':
		case result:
			cases[len(cases)-1].want = want
		default:
			expr, ours := strings.CutPrefix(line, "! ")
			cases = append(cases, testCase{expr: expr, ours: ours})
		}
	}
	return cases
}

func TestCases(t *testing.T) {
	L := newState(t)
	for _, c := range readCases(t) {
		if got := evaluate(t, L, c.expr); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.expr, got, c.want)
		}
	}
}
