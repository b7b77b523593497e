package vm

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"moonio/engine"
	"moonio/engine/backend"
	"moonio/engine/dist"
	"moonio/engine/hist"
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

// BenchmarkBareClients is what gopher-lua takes for the least that clients are: 32 coroutines are resumed
// in turn, each calls a function that draws an offset and yields, and the time since its last turn is
// recorded.
func BenchmarkBareClients(b *testing.B) {
	b.ReportAllocs()
	L := lua.NewState()
	defer L.Close()
	var drawn uint64
	chance := dist.NewRand(1)
	L.SetGlobal("read", L.NewFunction(func(L *lua.LState) int {
		drawn += chance.Uint64n(1<<18) * uint64(L.CheckNumber(1))
		return L.Yield()
	}))
	fn, err := L.LoadString("while true do read(4096) end")
	if err != nil {
		b.Fatal(err)
	}
	var threads [32]*lua.LState
	var since [32]int64
	for i := range threads {
		threads[i], _ = L.NewThread()
	}
	latencies := hist.New()
	for i := 0; b.Loop(); i = (i + 1) % len(threads) {
		if state, err, _ := L.Resume(threads[i], fn); state == lua.ResumeError {
			b.Fatal(err)
		}
		now := engine.Monotonic()
		latencies.Record(now - since[i])
		since[i] = now
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

// What clients on several threads print and log comes out whole, all of it.
func TestPrintAndLogFromThreads(t *testing.T) {
	var out, log bytes.Buffer
	r := newRun(t, "null")
	r.Out, r.Err = &out, &log
	o := do(t, r, `
phase("p", { iterations = 2000, threads = 4 }, clients("c", 8, function()
  print("a", "line")
  log("a", "line")
  sleep("1us")
end))`)
	if o.Err != nil {
		t.Fatal(o.Err)
	}
	for what, text := range map[string]string{"a\tline\n": out.String(), "a line\n": log.String()} {
		if n := strings.Count(text, what); n != 2000 || len(text) != n*len(what) {
			t.Errorf("%d × %q in %d bytes", n, what, len(text))
		}
	}
	if len(o.Log) != 2000 {
		t.Errorf("%d lines in the result's log", len(o.Log))
	}
}
