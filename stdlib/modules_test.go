package stdlib_test

import (
	"strings"
	"syscall"
	"testing"

	"moonio/engine"
	"moonio/scripts/scripttest"
)

// each case is a script, and what it prints.
func prints(t *testing.T, source, want string) {
	t.Helper()
	r := scripttest.Run(t, scripttest.Config{}, "test", source)
	if r.Err != nil {
		t.Fatal(r.Err)
	}
	if got := strings.TrimSuffix(r.Printed, "\n"); got != want {
		t.Errorf("%s\nprinted %q, want %q", strings.TrimSpace(source), got, want)
	}
}

func TestKnee(t *testing.T) {
	const points = `
local knee = require "knee"
local function points(list)
  local p = {}
  for i, v in ipairs(list) do p[i] = { load = v[1], throughput = v[2], latency = v[3] } end
  return p
end
local function load(p) return p and p.load end
-- Eight in parallel, 1 ms each.
local eight = points{ {1, 1000, .001}, {2, 2000, .001}, {4, 4000, .001}, {8, 7900, .00101}, {16, 8000, .002}, {32, 8100, .004} }
`
	prints(t, points+`print(load(knee.find(eight)), load(knee.enough(eight)), load(knee.enough(eight, 0.999)))`, "8\t8\t32")
	prints(t, points+`print(knee.highest(eight), knee.highest(eight, 2), knee.highest({}))`, "8100\t2000\t0")
	prints(t, points+`print(knee.flat(eight), knee.flat(eight, 0.01), knee.flat(points{ {1, 10, 1}, {2, 20, 1} }))`, "true\tfalse\tfalse")
	prints(t, points+`print(knee.flat(points{ {1, 10, 1}, {2, 10, 1}, {4, 12, 1} }))`, "false")
	// Nothing was measured.
	prints(t, points+`local none = points{ {1, 0, 0}, {2, 0, 0/0}, {4, 0, 0} }
print(knee.find(none), knee.enough(none), knee.flat(none), knee.find{}, knee.enough{}, knee.flat{})`, "nil\tnil\tfalse\tnil\tnil\tfalse")
}

// A device that serves eight at a time in 1 ms takes 2 ms from a depth of 9 on.
func TestSearchDepth(t *testing.T) {
	const search = `
local search = require "search"
local f = open("f", { size = "1MiB" })
local function show(target)
  local d = search.depth("s", target, function(depth) return stream("r", { file = f, depth = depth }) end)
  print(d.depth, d.missed, table.concat(d.tried, " "), d.result and d.result.name, d.result and d.result.r.read.p99 < ms(1.1))
end
`
	c := scripttest.Config{Engine: "sim:nvme,distribution=constant,spread=0,parallelism=8,read=1ms,read-bandwidth=0"}
	for source, want := range map[string]string{
		`show{ latency = "1.5ms", window = "100ms" }`:                               "8\t9\t1 2 4 8 16 12 10 9\ts\ttrue",
		`show{ latency = "1.5ms", window = "100ms", percentile = "max", most = 4 }`: "4\tnil\t1 2 4\ts\ttrue",
		`show{ latency = "1us", window = "100ms", percentile = "mean" }`:            "0\t1\t1\tnil\tnil",
	} {
		r := scripttest.Run(t, c, "test", search+source)
		if got := strings.TrimSuffix(r.Printed, "\n"); r.Err != nil || got != want {
			t.Errorf("%s: printed %q, want %q; %v", source, got, want, r.Err)
		}
	}
}

// What a stream verified is no operation of it.
func TestSearchDepthOfVerified(t *testing.T) {
	prints(t, `local f = open("f", { size = "1MiB", verify = "crc32c" })
local d = require("search").depth("s", { latency = "1s", window = "10ms", most = 2 }, function(depth)
  return stream("r", { file = f, op = { read = 1, write = 1 }, depth = depth })
end)
print(d.depth, d.result.r.verify.mismatches)`, "2\t0")
}

func TestSearch(t *testing.T) {
	const search = `
local search = require "search"
local tried = {}
local function below(limit)
  return function(x) tried[#tried + 1] = ("%.0f"):format(x); return x < limit end
end
local function show(best, worst)
  print(best and ("%.0f"):format(best), worst and ("%.0f"):format(worst), table.concat(tried, " "))
end
`
	prints(t, search+`show(search.highest({ from = 100, to = 10000, within = 0.2 }, below(1000)))`,
		"951\t1131\t100 200 400 800 1600 1131 951")
	prints(t, search+`show(search.highest({ from = 100, to = 500 }, below(1000)))`, "500\tnil\t100 200 400 500")
	prints(t, search+`show(search.highest({ from = 100, to = 500 }, below(50)))`, "nil\t100\t100")
	prints(t, search+`show(search.highest({ from = 100, to = 100 }, below(1000)))`, "100\tnil\t100")
	prints(t, search+`
local best, worst = search.highest({ from = 1, to = 1e6 }, below(77777))
print(best < 77777 and worst >= 77777 and worst <= best * 1.05, #tried < 25)`, "true\ttrue")
	prints(t, search+`print(select(2, pcall(search.highest, { from = 2, to = 1 }, below(1))):match("search.highest: .*"))`,
		"search.highest: there is nothing between from = 2 and to = 1")
	prints(t, search+`print(select(2, pcall(search.highest, { from = 2, too = 3 }, below(1))):match("search.highest: .*"))`,
		"search.highest: there is nothing between from = 2 and to = nil")
	prints(t, search+`print(select(2, pcall(search.depth, "d", { lateny = 3 })):match("search.depth: .*"))`,
		`search.depth: which latency is the target? { latency = "5ms" }`)
}

func TestSteady(t *testing.T) {
	const steady = `
local steady = require "steady"
local function show(...)
  local ok, mean = steady.reached(...)
  print(ok, mean and ("%.3g"):format(mean))
end
`
	for values, want := range map[string]string{
		`{ 9, 9, 9, 9 }`:                   "false\tnil",
		`{ 10, 10, 10, 10, 10 }`:           "true\t10",
		`{ 90, 10, 11, 10, 9, 10 }`:        "true\t10",    // the first has left the window
		`{ 10, 12, 10, 8, 10 }`:            "false\t10",   // spread
		`{ 9.4, 9.7, 10, 10.3, 10.6 }`:     "false\t10",   // drift
		`{ 9.6, 9.8, 10, 10.2, 10.4 }`:     "true\t10",    // a drift of 8 %
		`{ 0, 0, 0, 0, 0 }`:                "true\t0",     // nothing was measured
		`{ 10, 12, 10, 8, 10 }, 3`:         "false\t9.33", // a window of three
		`{ 10, 12, 10, 8, 10 }, 5, .5, .5`: "true\t10",
	} {
		prints(t, steady+"show("+values+")", want)
	}
	prints(t, steady+`print(steady.slope({ 100, 1, 3, 5 }, 3), steady.slope({ 5, 5 }, 2))`, "2\t0")
}

func TestReport(t *testing.T) {
	prints(t, `require("report").columns({ "name", "µs" }, { { "one", "1.5" }, { "seventeen", "µµµµ" }, { "x" } })`,
		"name         µs\none         1.5\nseventeen  µµµµ\nx")
	prints(t, `local f = require("report").figure
print(f(0), f(0.0456), f(0.123), f(1.234), f(9.999), f(12.34), f(99.97), f(123.4), f(123456.7), f(0/0), f(-12.34))`,
		"0\t0.046\t0.12\t1.23\t10.0\t12.3\t100\t123\t123457\t-\t-12.3")
	const setUp = `
local rows = require("report").rows("depth", "note")
local function op(count, p50)
  return { count = count, bytes = 0, iops = count, bandwidth = 0, mean = p50, p50 = p50, p99 = 2 * p50, p999 = 3 * p50, max = 4 * p50 }
end
`
	prints(t, setUp+`rows:add(1, op(10, 0.0001), "knee"); rows:add(2, op(0, 0/0)); rows:print("said", "of it")`,
		`depth  IOPS  mean µs  p50 µs  p99 µs  p99.9 µs  max µs  note
1      10.0      100     100     200       300     400  knee
2         0        -       -       -         -       -
said
of it
`)
	// The unit is the one for the smallest.
	prints(t, setUp+`rows:add("a", op(1, 0.02)); rows:add("b", op(1, 2)); rows:print()`,
		`depth  IOPS  mean ms  p50 ms  p99 ms  p99.9 ms  max ms  note
a      1.00     20.0    20.0    40.0      60.0    80.0
b      1.00     2000    2000    4000      6000    8000
`)
	prints(t, setUp+`rows:add("a", op(0, 0)); rows:print("nothing"); require("report").rows("x"):print("nothing")`, "")
}

// noDirect is a file system without direct I/O, or without room.
type noDirect struct {
	engine.FS
	errno syscall.Errno
}

func (fs noDirect) Open(path string, flags int, perm uint32) (int, error) {
	if flags&syscall.O_DIRECT != 0 {
		return 0, fs.errno
	}
	return fs.FS.Open(path, flags, perm)
}

func TestDirect(t *testing.T) {
	const source = `
local direct = require "direct"
local f = direct.open("f", { size = "1MiB", direct = DIRECT })
print(f:size(), f:name(), f:read("4KiB", 0))`
	refuse := func(errno syscall.Errno) func(engine.FS) engine.FS {
		return func(fs engine.FS) engine.FS { return noDirect{fs, errno} }
	}
	for _, c := range []struct {
		direct string
		fs     func(engine.FS) engine.FS
		logged string
		failed string
	}{
		{"true", nil, "", ""},
		{"false", refuse(syscall.EINVAL), "", ""},
		{"true", refuse(syscall.EINVAL), "f: direct I/O is refused here, so the page cache takes part in what is measured\n", ""},
		{"true", refuse(syscall.EMFILE), "", "too many open files"},
	} {
		r := scripttest.Run(t, scripttest.Config{FS: c.fs}, "test", strings.ReplaceAll(source, "DIRECT", c.direct))
		switch {
		case c.failed != "":
			if r.Err == nil || !strings.Contains(r.Err.Error(), c.failed) {
				t.Errorf("direct = %s: error %v, want %q", c.direct, r.Err, c.failed)
			}
		case r.Err != nil:
			t.Errorf("direct = %s: %v", c.direct, r.Err)
		case r.Logged != c.logged || r.Printed != "1048576\tf\t4096\n":
			t.Errorf("direct = %s: logged %q, printed %q", c.direct, r.Logged, r.Printed)
		}
	}
}

// What is wrong with options is wrong in the script's line.
func TestDirectBlamesItsCaller(t *testing.T) {
	r := scripttest.Run(t, scripttest.Config{}, "test", `local direct = require "direct"
local function files()
  local f = direct.open("f", { direct = true, sizee = 5 })
  return f
end
local f = files()`)
	want := `test.lua:3: open "f": unknown option "sizee" (did you mean "size"?); known are `
	if r.Err == nil || !strings.HasPrefix(r.Err.Error(), want) || !strings.HasSuffix(r.Err.Error(), "\ncalled from:\n  test.lua:6: in main chunk") {
		t.Errorf("%v, want %q", r.Err, want)
	}
}
