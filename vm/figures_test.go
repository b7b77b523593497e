package vm

import (
	"strings"
	"testing"
)

func TestCombine(t *testing.T) {
	got := output(t, `local f = open("f", { size = "1MiB" })
local r = phase("p", { ops = 1000 }, stream("s", { file = f, op = { read = 50, write = 50 } }))
local a, b = r.s.read, r.s.write
local c = combine(a, b)
print(c.count, c.bytes, c.iops == a.iops + b.iops, c.min == math.min(a.min, b.min), c.max == math.max(a.max, b.max))
print(math.abs(c.mean * c.count - a.mean * a.count - b.mean * b.count) < 1e-12 * c.mean * c.count)
local one = combine(a)
print(one.mean == a.mean, one.stddev == a.stddev, one.p50 == a.p50, one.p99 == a.p99, one.p9999 == a.p9999)
print(percentile(c, 99) == c.p99, percentile(a, 0) == a.min, percentile(a, 100) == a.max, percentile(c, 25) <= c.p50)
local none = combine(r.s.fsync)
print(none.count, none.p99 ~= none.p99, percentile(none, 50) ~= percentile(none, 50))`)
	const want = "1000\t4096000\ttrue\ttrue\ttrue\ntrue\ntrue\ttrue\ttrue\ttrue\ttrue\ntrue\ttrue\ttrue\ttrue\n0\ttrue\ttrue\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSeries(t *testing.T) {
	got := output(t, `local f = open("f", { size = "1MiB" })
local r = phase("p", { duration = "2.5s", interval = "1s" }, stream("s", { file = f, rate = "100/s" }))
local n = 0
for i, s in ipairs(series(r.s.read)) do
  n = n + s.iops * s.duration
  print(i, s.start, s.p50 <= s.p99 and s.p99 <= s.max and s.max > 0)
end
print(math.floor(n + 0.5) == r.s.read.count, #series(r.s.fsync) == 3, series(r.s.fsync)[1].iops)`)
	const want = "1\t0\ttrue\n2\t1\ttrue\n3\t2\ttrue\ntrue\ttrue\t0\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFiguresRefused(t *testing.T) {
	for call, want := range map[string]string{
		`combine()`:                 "combine: which results?",
		`combine({})`:               "combine: argument 1 is a table, and not what a phase measured",
		`percentile(1, 2)`:          "percentile: argument 1 is 1, and not",
		`percentile(r.s.read, 101)`: "percentile: 101 is not a number from 0 to 100",
		`percentile(r.s.read)`:      "percentile: nil is not a number from 0 to 100",
		`series(combine(r.s.read))`: "series: results that were put together by combine have none",
		`storage().sise`:            `there is no figure "sise" (did you mean "size"?)`,
		`series(1)`:                 "series: argument 1 is 1, and not",
	} {
		got := output(t, `local f = open("f", { size = "1MiB" })
local r = phase("p", { ops = 10 }, stream("s", { file = f }))
print(select(2, pcall(function() local x = `+call+` end)))`)
		if !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", call, got, want)
		}
	}
}
