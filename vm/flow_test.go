package vm

import (
	"fmt"
	"strings"
	"testing"
)

// Streams think as long as their functions say, on every worker, and as often at any number of threads.
func TestThinkFunction(t *testing.T) {
	for _, threads := range []int{1, 3} {
		got := output(t, fmt.Sprintf(`local f = open("f", { size = "1MiB" })
local long = ms(2)
local r = phase("p", { duration = "1s", threads = %d }, stream("s", { file = f, depth = 3, think_every = "1us",
  think = function() return long + rand(0, 1) / 1e9 end }))
print(r.s.read.count > 3 * 300 and r.s.read.count < 3 * 520)`, threads))
		if got != "true\n" {
			t.Errorf("%d threads: %s", threads, got)
		}
	}
}

func TestThinkFunctionRefused(t *testing.T) {
	for body, want := range map[string]string{
		`return nil`:            `think: test.lua:2: what the function returned: nil is not a duration`,
		`return "-1s"`:          `think: test.lua:2: what the function returned:`,
		`f:read(4096, 0)`:       `read: a think function only says how long to think: it can compute and draw, and not do I/O or wait`,
		`sleep(1)`:              `sleep: a think function only says`,
		`open("g")`:             `open "g": a think function only says`,
		`phase("q", {}, {})`:    `phase: a think function only says`,
		`stat("f")`:             `stat: a think function only says`,
		`queue(1)`:              `queue: a think function only says`,
		`return now()`:          `now: a think function only says`,
		`coroutine.yield()`:     `attempt to yield from outside a coroutine`,
		`return nothing.at_all`: `test.lua:2: `,
	} {
		got := output(t, `local f = open("f", { size = "1MiB" })
phase("p", { ops = 3 }, stream("s", { file = f, think = function() `+body+` end }))`)
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %q", body, got, want)
		}
	}
}

func TestThinkRunsAway(t *testing.T) {
	got := output(t, `local f = open("f", { size = "1MiB" })
phase("p", { duration = "1s" }, stream("s", { file = f, think = function() while true do end end }))`)
	if !strings.Contains(got, "without waiting for I/O or for time") {
		t.Error(got)
	}
}

func TestStreamOptionsRefused(t *testing.T) {
	for options, want := range map[string]string{
		`think = "5ms-1ms"`:                              `stream "s": option think: the range from 5ms to 1ms ends before it begins`,
		`think = "5x"`:                                   `stream "s": option think: `,
		`think = { "1ms" }`:                              `option think: a range has two ends, as in {"1ms", "5ms"}, and this has 1`,
		`think = random()`:                               `option think: a pattern is not a length of time`,
		`think_every = 3`:                                `option think_every: the stream has no pauses: give it think too`,
		`think_catch_up = true`:                          `option think_catch_up: the stream has no pauses`,
		`think = 1, think_every = "0s"`:                  `option think_every: it must be above 0`,
		`think = 1, think_every = 0`:                     `option think_every: 0 is below 1`,
		`think = 1, think_after = "begin"`:               `option think_after: "begin" is not one of complete, issue`,
		`file_order = "round"`:                           `option file_order: "round" is not one of random, roundrobin, sequential`,
		`file_order = semaphore()`:                       `option file_order: a semaphore is not an order`,
		`block = "1000-1500", block_step = 300`:          `steps of 300B from the first do not come to the second`,
		`block = "1000-1500"`:                            `block_step sets another step`,
		`block_step = 512`:                               `option block_step: it is of a range of block sizes, as in block = "1000-5000", and the stream has none`,
		`block_step = false`:                             `option block_step: false is not a size`,
		`verify = { state = 7 }`:                         `verify: option state: 7 is not a text`,
		`verify = { method = {} }`:                       `verify: option method: a table is not a text`,
		`file_run = 0`:                                   `option file_run: 0 is below 1`,
		`op = { trim = 1, trimwrite = 1 }`:               `option op: trim and trimwrite exclude each other`,
		`sync_at_end = "sync"`:                           `option sync_at_end: "sync" is not one of fsync, fdatasync`,
		`ioprio_share = 10`:                              `option ioprio_share: 10: write { 10, "rt/0" }`,
		`ioprio_share = { 101, "rt/0" }`:                 `option ioprio_share: 101 is not a number of per cent from 0 to 100`,
		`ioprio_share = { 10, "high" }`:                  `option ioprio_share: priority "high": want rt/0 to rt/7`,
		`ioprio_share = { { 10, "rt/0", op = "trim" } }`: `option ioprio_share: op = "trim" is neither "read" nor "write"`,
		`ioprio_share = { { 10, "rt/0", blok = 1 } }`:    `option ioprio_share: unknown key "blok": an entry is { 10, "rt/0" }`,
		`ioprio_share = { { 10, "rt/0" }, 5 }`:           `option ioprio_share: entry 2 is 5, and not one such as`,
		`fsync = 2`:                                      `job "s": fsync = 2: it counts writes, and the stream makes none (op = read)`,
		`depth = 4, depth_low = 4`:                       `job "s": depth_low = 4: it is below the depth, which is 4`,
		`submit_batch = 2`:                               `job "s": submit_batch = 2: it is at most the depth, which is 1`,
		`max_latency = "1us"`:                            `job "s": read of 4096 bytes`,
		`cpus = {}`:                                      `option cpus: "": "" is not a number or a range`,
		`cpus_policy = "split"`:                          `option cpus_policy: "split" needs CPUs to share out`,
		`engine = 4`:                                     `option engine: 4 is not an engine's name such as "psync"`,
		`numa = true`:                                    `option numa: true are no NUMA nodes`,
	} {
		got := output(t, `local f = open("f", { size = "1MiB" })
phase("p", { ops = 3 }, stream("s", { file = f, `+options+` }))`)
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %q", options, got, want)
		}
	}
}

// What the options mean is engine/run's to test; here it is that they arrive there.
func TestStreamOptionsArrive(t *testing.T) {
	got := output(t, `
local files = {}
for i = 1, 3 do files[i] = open("f" .. i, { size = "64KiB" }) end
local r = phase("p", {}, {
  stream("a", { files = files, file_order = "roundrobin", file_run = 2, op = "write", ops = 30, sync_range = 5, sync_at_end = "fsync" }),
  stream("b", { files = files, file_order = zipf(1.1), op = "trimwrite", ops = 20, depth = 4, depth_low = 2, submit_batch = 2, batch = 1, batch_max = 2 }),
  stream("c", { file = files[1], op = "sync_range", ops = 7, think = exponential("1ms"), think_every = 2, think_after = "issue", think_spin = "10us" }),
  stream("d", { file = files[1], op = { trimwrite = 1, read = 1 }, ops = 9, think = { "1ms", 0.002 }, max_latency = "1s", batch = 0 }),
})
print(r.a.write.count, r.a.sync_range.count, r.a.fsync.count)
print(r.b.trim.count == r.b.write.count, r.b.trim.count)
print(r.c.sync_range.count, r.c.duration > ms(1))
print(r.d.read.count + r.d.trim.count + r.d.write.count >= 9, r.d.duration > ms(5))`)
	const want = "30\t6\t3\ntrue\t10\n7\ttrue\ntrue\ttrue\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
