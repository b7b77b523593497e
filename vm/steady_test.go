package vm

import (
	"strings"
	"testing"
)

func TestSteady(t *testing.T) {
	got := output(t, `local f = open("f", { size = "1MiB" })
local r = phase("p", { duration = "1h", steady = { metric = "latency", limit = "40%", window = "2s", ramp = "1s" } },
  stream("s", { file = f, rate = "500/s" }))
print(r.steady.reached, r.steady.metric, r.steady.value <= 40, r.steady.limit, r.steady.window, r.duration < 3.1)
local r = phase("q", { duration = "1s", steady = { limit = 3 } }, stream("s", { file = f, rate = "500/s" }))
print(r.steady.reached, r.steady.metric, r.steady.value == r.steady.value, r.steady.limit, r.steady.window)`)
	const want = "true\tlatency\ttrue\t40\t2\ttrue\nfalse\tiops\tfalse\t3\t60\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSteadyRefused(t *testing.T) {
	for option, want := range map[string]string{
		`true`:                  `phase "p": option steady: true: write { metric = "iops", limit = "5%", window = "60s" }`,
		`{}`:                    `phase "p": steady: option limit: how far may it be`,
		`{ limit = "x%" }`:      `phase "p": steady: option limit: `,
		`{ limit = "10MiB/s" }`: `phase "p": steady: option limit: "10MiB/s" is a number of bytes, and not of operations`,
		`{ limit = "10/s", metric = "bandwidth" }`: `steady: option limit: `,
		`{ limit = "1x", metric = "latency" }`:     `option limit: `,
		`{ limit = 1, metric = "p99" }`:            `option metric: "p99" is not one of iops, bandwidth, latency`,
		`{ limit = 1, windows = "2s" }`:            `unknown option "windows" (did you mean "window"?)`,
		`{ limit = 1, window = "1s" }`:             `steady: window = 1s: it is 2 seconds or more`,
	} {
		got := output(t, `local f = open("f", { size = "1MiB" })
phase("p", { ops = 1, steady = `+option+` }, stream("s", { file = f }))`)
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %q", option, got, want)
		}
	}
	got := output(t, `local f = open("f", { size = "1MiB" })
phase("p", { ops = 1, steady = { limit = 1 } }, stream("steady", { file = f }))`)
	if !strings.Contains(got, `a job cannot be named "steady"`) {
		t.Error(got)
	}
}
