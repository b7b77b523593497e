package vm

import (
	"strings"
	"testing"
)

// What is easily got wrong leads to what was meant.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{`phase("x", { time = "1s" }, stream("s", { file = f }))`, `unknown option "time" (did you mean "duration"?)`},
		{`phase("x", { ramp_time = "1s" }, stream("s", { file = f }))`, `unknown option "ramp_time" (did you mean "warmup"?)`},
		{`stream("s", { file = f, bs = "4k" })`, `unknown option "bs" (did you mean "block"?)`},
		{`stream("s", { file = f, rw = "read" })`, `unknown option "rw" (did you mean "op"?)`},
		{`stream("s", { filename = f })`, `unknown option "filename" (did you mean "file"?)`},
		{`stream("s", { op = "read" })`, `option file: it must be given: a file that open returned`},
		{`f:sync()`, `no method "sync" (did you mean "fsync"?)`},
		{`counter():increment()`, `no method "increment" (did you mean "add"?)`},
		{`counter():value()`, `no method "value" (did you mean "get"?)`},
		{`semaphore():lock()`, `no method "lock" (did you mean "acquire"?)`},
		{`event():notify()`, `no method "notify" (did you mean "pulse"?)`},
		{`event().set()`, `this method belongs to an event, and was called on nil`},
		{`open("g", "w")`, `options are a table such as { size = "1GiB" }, and this is "w"`},
		{`phase("x", { ops = 1 }, stream("s", { file = f }), { warmup = 1 })`, `jobs: a list is expected, and this table has an entry ["warmup"]`},
		{`phase("x", { ops = 1 }, { s = stream("s", { file = f }), stream("s", { file = f }) })`, `jobs: a list is expected, and this table has an entry ["s"]`},
		{`phase("x", { ops = 1 }, clients("c", 1, function() f:read("4k", random) end))`, `read: where it goes is a function: call it, as in random()`},
		{`local r = phase("x", { ops = 1 }, stream("s", { file = f })) print(r.s.read.avg)`, `no figure "avg" (did you mean "mean"?)`},
		{`open("/f")`, `open: file name "/f": it is absolute, and names here are relative to the run's directory`},
		{`open("no/f", { size = 1 })`, `laying out "no/f": no such file or directory; make its directory first with mkdir`},
		{`mkdir("no/d")`, `mkdir of "no/d" failed: no such file or directory (ENOENT): make its directory first with mkdir`},
		{`phase("x", { ops = 1 }, clients("c", 1, function() open("no/f") end))`, `create of "no/f" failed: no such file or directory (ENOENT): make its directory first with mkdir`},
		{`choose { 1, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, 2 }`, `of the list is nil: a list has no holes`},
		{`sleep("1ms-")`, `sleep: how long: `},
		{`sleep({ "5ms", "1ms" })`, `sleep: how long: the range from 5ms to 1ms ends before it begins`},
	} {
		if got := output(t, `local f = open("f", { size = "64KiB" }) `+c.body); !strings.Contains(got, c.want) {
			t.Errorf("%s\ngot %s\nwant %s", c.body, got, c.want)
		}
	}
}

// Weights may have whole numbers for keys.
func TestChooseSizes(t *testing.T) {
	got := output(t, `local n, sizes = {}, { [50] = 70, [230] = 20, [800] = 10 }
for i = 1, 2000 do
  local size = choose(sizes)
  n[size] = (n[size] or 0) + 1
end
print(n[50] + n[230] + n[800], math.abs(n[50] - 1400) < 100, math.abs(n[230] - 400) < 80)`)
	if got != "2000\ttrue\ttrue\n" {
		t.Error(got)
	}
}

// A sleep is drawn from what exponential makes, or from a range, by the client's own generator.
func TestSleepIsDrawn(t *testing.T) {
	got := output(t, `
local function mean(d)
  local r = phase("x", { iterations = 4000 }, clients("c", 4, function() sleep(d) end))
  return r.c.iteration
end
local e, u, v = mean(exponential("1ms")), mean("1ms-3ms"), mean { "1ms", "3ms" }
print(math.abs(e.mean - ms(1)) < us(50), math.abs(e.stddev - ms(1)) < us(80))
print(u.min >= ms(1), u.max <= ms(3.01), math.abs(u.mean - ms(2)) < us(40), math.abs(v.mean - ms(2)) < us(40))`)
	if got != "true\ttrue\ntrue\ttrue\ttrue\ttrue\n" {
		t.Error(got)
	}
}

// A span that chance did not reach is no slip of the pen: it was counted 0 times.
func TestSpanNeverReached(t *testing.T) {
	got := output(t, `
local function rare() if chance(0) then span("rare", function() end) end end
local r = phase("x", { iterations = 3 }, clients("c", 1, function()
  sleep("1ms")
  if chance(0) then span("never", function() end) end
  rare()
end))
print(r.c.never.count, r.c.rare.count, r.c.never.p99 < 1, pcall(function() return r.c.nevr end))`)
	if !strings.HasPrefix(got, "0\t0\tfalse\tfalse\t") || !strings.Contains(got, `this job measured nothing named "nevr"`) {
		t.Error(got)
	}
}

// Results say what they are, and are gone through in one order.
func TestResultsInOrder(t *testing.T) {
	const script = `local f = open("f", { size = "64KiB" })
local r = phase("x", { iterations = 3 }, clients("c", 1, function() f:read("4KiB", 0) f:write("4KiB", 0) f:fsync() span("z", function() end) span("a", function() end) end))
for name in pairs(r.c) do print(name) end`
	got := output(t, script)
	if got != "read\nwrite\nfsync\niteration\na\nz\nduration\n" {
		t.Error(got)
	}
	got = output(t, `local f = open("f", { size = "64KiB" })
local r = phase("x", { ops = 10 }, stream("s", { file = f }))
print(r.s.read) print(r.s) print(r)`)
	if !strings.HasPrefix(got, "10 operations, ") || !strings.Contains(got, " MiB/s, mean ") || !strings.Contains(got, "\na result with duration, read\na result with cpu, duration, name, s\n") {
		t.Error(got)
	}
}
