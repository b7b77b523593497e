package vm

import (
	"fmt"
	"testing"
)

// What a client's function sets is a copy, and who takes it for a way to give something back is told so.
func TestAssignedCaptures(t *testing.T) {
	for name, c := range map[string]struct{ before, body, after, want string }{
		"nothing":                {`local n = 0`, `local k = n k = k + 1`, "print(n)", ``},
		"a variable":             {`local n = 0`, `n = n + 1`, "print(n)", `"n"`},
		"not looked at":          {`local n, x = 0, {}`, `n = n + 1`, "print(x.n, \"n\")", ``},
		"set anew, and an entry": {`local n = 0`, `n = n + 1`, `n = 0 local t = { n = 1 }`, ``},
		"another one's name":     {`local n = 0`, `n = n + 1`, `for n = 1, 2 do assert(n > 0) end`, ``},
		"looked at elsewhere":    {`local n = 0`, `n = n + 1`, "local function f()\n return n\n end", ``},
		"in an inner function":   {`local n, m = 0, 0`, `local function g() local function h() m = m + n end h() end g()`, "print(n, m)", `"m"`},
		"its own, in an inner":   {``, `local n = 0 local function g() n = n + 1 end g()`, "print(n)", ``},
		"in a captured one":      {`local n = 0 local function add() n = n + 1 end`, `add()`, "print(n)", `"n"`},
		"private to a captured":  {`local function made() local n = 0 return function() n = n + 1 end end local add = made()`, `add()`, "local n = add", ``},
		"a global":               {`n = 0`, `n = n + 1`, "print(n)", `"n"`},
		"several":                {`local a, b, c = 0, 0, 0`, `a = 2 b = 1 a = 3 c = 1`, "print(a, b)", `"a", "b"`},
		"in a recursive one":     {`local function g(k) if k > 0 then g(k - 1) end end`, `g(3)`, "g(1)", ``},
		"a table's field":        {`local t = {}`, `t.n = 1`, "print(t.n)", ``},
	} {
		t.Run(name, func(t *testing.T) {
			out := do(t, newRun(t, "sim:nvme"), c.before+`
phase("before", { iterations = 1 }, clients("x", 1, function() sleep("1ms") end))
phase("p", { iterations = 2 }, clients("c", 1, function() `+c.body+` sleep("1ms") end))
`+c.after)
			if out.Err != nil {
				t.Fatal(out.Err)
			}
			got, want := fmt.Sprint(out.Phases[1].Warnings), "[]"
			if c.want != "" {
				want = fmt.Sprintf("[{captured c: its function sets %s, of which each thread has a copy: the script does not see what becomes of it. Use a counter(), or the phase's result.}]", c.want)
			}
			if got != want || len(out.Phases[0].Warnings) > 0 {
				t.Errorf("%s and %v, want %s", got, out.Phases[0].Warnings, want)
			}
		})
	}
}
