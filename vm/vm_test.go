package vm

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"moonio/engine"
	"moonio/engine/backend"
	"moonio/engine/run"
)

// newRun is a run on a memory engine.
func newRun(t testing.TB, spec string) *Run {
	t.Helper()
	c, err := backend.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	b, err := backend.Open(c, nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	s := &run.Session{FS: b.FS(), Engine: func(c engine.Config) (engine.Engine, error) { return b.Engine(c) }, Seed: 1, Virtual: b.Virtual()}
	return &Run{Session: s, Out: os.Stdout, Err: os.Stderr}
}

func do(t testing.TB, r *Run, src string) *Outcome {
	t.Helper()
	s, err := Load("test.lua", src)
	if err != nil {
		t.Fatal(err)
	}
	return r.Do(context.Background(), s)
}

func TestWAL(t *testing.T) {
	out := do(t, newRun(t, "sim:nvme"), `
local p = params { record = {"4KiB", "bytes"}, clients = {16, "n"}, time = {"3s", "t"} }
local wal = open("wal.log", { size = "1GiB" })
local r = phase("commit", { duration = p.time, warmup = "1s" },
  clients("session", p.clients, function()
    wal:append(p.record)
    span("sync", function() wal:fdatasync() end)
  end))
expect(r.session.fdatasync.p99 < ms(5), "commit")
print(r.session.append.count, r.session.fdatasync.count, r.session.iteration.count, r.session.sync.p99, r.session.fdatasync.p99)
`)
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	if len(out.Expectations) != 1 || !out.Expectations[0].Passed {
		t.Error(out.Expectations)
	}
}

func BenchmarkClientsNull(b *testing.B) {
	b.ReportAllocs()
	out := do(b, newRun(b, "null"), strings.ReplaceAll(`
local f = open("f", { size = "1GiB" })
local at = random()
phase("p", { ops = N }, clients("c", 32, function() f:read(4096, at) end))
`, "N", fmt.Sprint(b.N)))
	if out.Err != nil {
		b.Fatal(out.Err)
	}
	if n := out.Phases[0].Jobs[0].Ops["read"].Count; n != int64(b.N) {
		b.Fatal(n)
	}
}
