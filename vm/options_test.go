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
		`clients("c", 1, { rate = 1 }, function() end)`:      `clients "c": unknown option "rate" (it is one of stream)`,
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
