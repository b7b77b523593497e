package vm

import (
	"slices"
	"strings"
	"testing"

	"moonio/engine/report"
)

// TestThrownValues throws what is no text out of a client and of the top level.
func TestThrownValues(t *testing.T) {
	for thrown, want := range map[string]string{
		`setmetatable({}, { __tostring = function() return "disk is gone" end })`:                  "disk is gone",
		`setmetatable({}, { __tostring = function() error("inner") end })`:                         "an error value that is a table was thrown",
		`setmetatable({}, { __tostring = function() return 5 end })`:                               "an error value that is a table was thrown",
		`setmetatable({}, { __tostring = function() f:read("4KiB", 0) return "unreachable" end })`: "an error value that is a table was thrown",
		`{}`:    "an error value that is a table was thrown",
		`nil`:   "an error value that is nil was thrown",
		`f`:     `file "f"`,
		`print`: "an error value that is a function was thrown",
	} {
		want = "error: test.lua:2: " + want
		if got := output(t, "local f = open('f', { size = '4KiB' })\nphase('p', { iterations = 1 }, clients('c', 1, function() f:read('4KiB', 0) error("+thrown+") end))"); !strings.HasPrefix(got, want) {
			t.Errorf("a client: got %q, want %q", got, want)
		}
		if got := output(t, "local f = open('f', { size = '4KiB' })\nerror("+thrown+")"); !strings.HasPrefix(got, want) && !strings.Contains(thrown, "f:read") {
			t.Errorf("the top level: got %q, want %q", got, want)
		}
	}
}

// TestFunctionsThatAreNoScripts makes clients of functions that are not written in the script, and looks
// for names in the messages that no script has.
func TestFunctionsThatAreNoScripts(t *testing.T) {
	for fn, want := range map[string]string{
		"f.read":                           "argument 1 is 1, and not a file",
		"error":                            "error: 1",
		"wrapped":                          `the function of clients "c" belongs to the script's top level, as what coroutine.wrap makes does`,
		"function() wrapped() end":         `variable "wrapped" captured by the function of clients "c" belongs to the script's top level`,
		"function() span('s', f.read) end": "test.lua:3: argument 1 is nil, and not a file",
	} {
		got := output(t, `local f = open("f", { size = "4KiB" })
local wrapped = coroutine.wrap(print)
phase("p", { iterations = 1 }, clients("c", 1, `+fn+`))`)
		if !strings.Contains(got, want) || strings.Contains(got, "=client") || strings.Contains(got, "=span") {
			t.Errorf("%s: got %q, want %q", fn, got, want)
		}
	}
}

// TestFunctionsOfTheLibrary gives the program's own functions where the script's are expected, which have no place in it.
func TestFunctionsOfTheLibrary(t *testing.T) {
	for body, want := range map[string]string{
		`phase("p", { ops = 3 }, stream("s", { file = f, think = math.random }))`: "",
		`phase("p", { ops = 3 }, stream("s", { file = f, think = print }))`:       "\nerror: job \"s\": think: what the function returned: nil is not a duration",
		`phase("p", { ops = 3, expect = type }, stream("s", { file = f }))`:       "",
		`phase("p", { ops = 3, expect = print }, stream("s", { file = f }))`:      "a result with ",
	} {
		if got := output(t, "local f = open('f', { size = '4KiB' })\n"+body); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%s: got %q, want %q", body, got, want)
		}
	}
	out := do(t, newRun(t, "sim"), "local f = open('f', { size = '4KiB' })\nphase('p', { ops = 3, expect = type }, stream('s', { file = f }))")
	if want := []report.Expectation{{Text: `what phase "p" expects`, Passed: true, File: "test.lua", Line: 2}}; !slices.Equal(out.Expectations, want) {
		t.Errorf("got %v, want %v", out.Expectations, want)
	}
}

// TestArticles names types in a sentence.
func TestArticles(t *testing.T) {
	for value, want := range map[string]string{
		`event()`:   `an event has no method "nosuch"`,
		`random()`:  `a pattern has no methods, and so no "nosuch"`,
		`counter()`: `a counter has no method "nosuch"`,
	} {
		if got := output(t, "print(getmetatable("+value+"))\nlocal x = "+value+" x:nosuch()"); !strings.Contains(got, want) || !strings.HasPrefix(got, want[:strings.Index(want, " has")]+"\n") {
			t.Errorf("%s: got %q, want %q", value, got, want)
		}
	}
}

// A panic of the program's own says where it was, so that it can be reported.
func TestPanicHasAStack(t *testing.T) {
	r := newRun(t, "sim:nvme")
	r.Trace = func(string) (string, error) { panic("no luck") }
	err := do(t, r, `trace.open("app.trace")`).Err
	if err == nil || !strings.Contains(err.Error(), "a fault of moonio") || !strings.Contains(err.Error(), "no luck") || !strings.Contains(err.Error(), "thrown_test.go") {
		t.Errorf("%v", err)
	}
}
