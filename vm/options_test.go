package vm

import (
	"strings"
	"testing"
)

// An option in the wrong place is sent to where it belongs.
func TestMisplacedOptions(t *testing.T) {
	for src, want := range map[string]string{
		`stream("s", { file = f, direct = true })`:           `stream "s": unknown option "direct" (it is one of open); known are after, align, `,
		`stream("s", { file = f, warmup = 1 })`:              `unknown option "warmup" (it is one of phase)`,
		`clients("c", 1, { block = 1 }, function() end)`:     `clients "c": unknown option "block" (it is one of stream)`,
		`open("g", { depth = 1 })`:                           `open "g": unknown option "depth" (it is one of stream)`,
		`phase("p", { block = 1 }, stream("s", {file = f}))`: `phase "p": unknown option "block" (it is one of stream)`,
		`stream("s", { file = f, derect = true })`:           `unknown option "derect"; known`,
		`stream("s", { file = f, speed = 2 })`:               `unknown option "speed" (it is one of replay)`,
		`stream("s", { file = f, blok = 1 })`:                `unknown option "blok" (did you mean "block"?)`,
	} {
		if got := output(t, `local f = open("f", { size = "1MiB" }) `+src); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %q", src, got, want)
		}
	}
}

// Each of the places has its options.
func TestPlacesOfOptions(t *testing.T) {
	reference := map[string]string{}
	for _, p := range callsOf {
		call := map[string]string{"open": `open("g", { %s = {} })`, "phase": `phase("p", { %s = {} })`, "stream": `stream("s", { %s = {} })`, "replay": `replay("r", { trace = "x", %s = {} })`}[p.call]
		for _, name := range p.options {
			reference[p.call+" "+name] = output(t, strings.Replace(call, "%s", name, 1))
		}
	}
	for what, got := range reference {
		if strings.Contains(got, "unknown option") {
			t.Errorf("%s: %s", what, got)
		}
	}
}

// A list with a name in it is refused: what stands there would be passed over.
func TestListsWithNames(t *testing.T) {
	const want = `a list is expected, and this table has an entry ["a"]`
	for _, src := range []string{
		`phase("p", { ops = 1, fault = { a = "read:errno=EIO" } }, s)`,
		`phase("p", { ops = 1, on_error = { "EIO", a = "ENOSPC" } }, s)`,
		`phase("p", { ops = 1 }, { s, a = s })`,
		`stream("t", { file = f, after = { a = "s" } })`,
		`stream("t", { files = { f, a = f } })`,
		`stream("t", { file = f, cpus = { 0, a = 1 } })`,
		`stream("t", { file = f, ioprio_share = { { 10, "rt/0" }, a = { 10, "idle" } } })`,
		`zoned { { 60, 10 }, a = { 40, 90 } }`,
		`steps { { 1, 1 }, a = { 1, 1 } }`,
		`replay("r", { trace = { "t", a = "u" } })`,
		`params { x = { 1, "help", choice = { 1, 2, a = 3 } } }`,
	} {
		if got := output(t, `local f = open("f", { size = "1MiB" }) local s = stream("s", { file = f }) `+src); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %q", src, got, want)
		}
	}
}

// TestArguments gives functions what they can't take, or nothing.
func TestArguments(t *testing.T) {
	for src, want := range map[string]string{
		`rand()`:                            "rand: nil is not a whole number",
		`rand(nil)`:                         "rand: nil is not a whole number",
		`rand(-5, nil)`:                     "rand: nil is not a whole number",
		`rand(5, 4)`:                        "rand: from 5 to 4 there is nothing to draw",
		`counter():set()`:                   "set: nil is not a whole number",
		`counter():set(1.5)`:                "set: 1.5 is not a whole number",
		`open("g", { size = event() })`:     "an event is not a size",
		`sleep(coroutine.create(print))`:    "a coroutine is not a duration",
		`sequential(print)`:                 "and this is a function",
		`log(1/3, 0/0 ~= 0/0, 1e15, 1 / 0)`: "0.33333333333333 true 1e+15 inf\n",
		`print(format_duration(-0.0015))`:   "-1.50 ms\n",
		`print(format_rate(0/0))`:           "-\n",
		`print(format_rate(2e4))`:           "20.0 k/s\n",
		`log(setmetatable({}, { __tostring = function() return 5 end }))`: "5\n",
	} {
		if got := output(t, src); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", src, got, want)
		}
	}
}
