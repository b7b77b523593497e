package vm

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// paced is a trace of a read, a write and a flush.
const paced = `fio version 3 iolog
0 /srv/db add
0 /srv/db open
1000 /srv/db read 0 4096
2000 /srv/db write 8192 4096
3000 /srv/db sync 0 0
`

// withTrace is a run whose scripts can read paced as "t".
func withTrace(t *testing.T, out *bytes.Buffer) *Run {
	t.Helper()
	path := filepath.Join(t.TempDir(), "paced.iolog")
	if err := os.WriteFile(path, []byte(paced), 0o666); err != nil {
		t.Fatal(err)
	}
	r := newRun(t, "sim")
	r.Out, r.Err = out, new(bytes.Buffer)
	r.Trace = func(string) (string, error) { return path, nil }
	return r
}

// mapping is a script that plays the trace through a function.
func mapping(body string) string {
	return `local r = phase("p", {}, replay("r", { trace = "t", timing = "fast", map = function(io) ` + body + ` end }))
local n = {}
for _, op in ipairs { "read", "write", "append", "fsync" } do
  local ok, count = pcall(function() return r.r[op].count end)
  if ok and count > 0 then n[#n + 1] = op .. "=" .. count end
end
print(table.concat(n, " "))`
}

func TestMap(t *testing.T) {
	for body, want := range map[string]string{
		`return io.op ~= "fsync"`: "read=1 write=1",
		`return 5`:                "read=1 write=1 fsync=1",
		`for i = 1, 3 do io:emit() end return false`:    "read=3 write=3 fsync=3",
		`if io.op == "read" then io.op = "write" end`:   "write=2 fsync=1",
		`if io.op == "write" then io.op = "append" end`: "read=1 append=1 fsync=1",
		`if io.op == "write" then io.offset = nil end`:  "read=1 append=1 fsync=1",
		`io.latency = nil io.latency = "1ms"`:           "read=1 write=1 fsync=1",
		`io.time = io.time - 1 assert(io.time < 0)`:     "read=1 write=1 fsync=1",
		`assert(io.direct == nil)`:                      "read=1 write=1 fsync=1",
	} {
		var out bytes.Buffer
		if o := do(t, withTrace(t, &out), mapping(body)); o.Err != nil || strings.TrimSpace(out.String()) != want {
			t.Errorf("%s: %q, %v; want %q", body, out.String(), o.Err, want)
		}
	}
}

func TestMapRefused(t *testing.T) {
	for body, want := range map[string]string{
		`error("boom")`:                   `replay "r": test.lua:1: boom`,
		`local x x.y = 1`:                 `replay "r": test.lua:1: attempt to index a nil value (local 'x')`,
		`skip(io)`:                        `replay "r": test.lua:1: attempt to call a nil value (global 'skip')`,
		`sleep(1)`:                        `sleep: a map function only says what becomes of a record: it can compute and draw, and not do I/O or wait`,
		`phase("q", {}, {})`:              `phase: a map function only says`,
		`open("f")`:                       `open "f": a map function only says`,
		`io.offset = -5`:                  `the record's offset: -5 is not a size in bytes: it must be from 0 to 2^53`,
		`io.length = 0/0`:                 `the record's length: NaN is not a size in bytes: it must be whole`,
		`io.time = -9e9`:                  `the record's time: -9000000000 is more than 146 years from 0`,
		`io.time = 0/0`:                   `the record's time: NaN is not a length of time`,
		`io.op = "wirte"`:                 `(did you mean "write"?)`,
		`io.file = {}`:                    `the record's file: a table is not a name`,
		`io.direct = true`:                `the record's direct says how it was captured and cannot be set`,
		`io.bogus = 1`:                    `a trace's record has no field "bogus"`,
		`return io.lenght`:                `no field "lenght" (did you mean "length"?)`,
		`for i = 1, 1e9 do io:emit() end`: `emit: the map function makes more than 65536 operations of one record`,
	} {
		var out bytes.Buffer
		o := do(t, withTrace(t, &out), mapping(body))
		if o.Err == nil || !strings.Contains(o.Err.Error(), want) {
			t.Errorf("%s: %v, want %q", body, o.Err, want)
		}
	}
}

// A function that does not come to an end is stopped with the run.
func TestMapInterrupted(t *testing.T) {
	s, err := Load("test.lua", mapping(`while true do end`))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	if o := withTrace(t, new(bytes.Buffer)).Do(ctx, s); !errors.Is(o.Err, context.Canceled) {
		t.Error(o.Err)
	}
}
