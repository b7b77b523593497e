package vm

import (
	"errors"
	"strings"
	"testing"

	"moonio/engine/run"
)

// That there is no such name is an answer: it ends nothing, it is timed, and it is the same in a client as at the top level.
func TestStatOfNothing(t *testing.T) {
	r := newRun(t, "sim:nvme")
	out := do(t, r, `
assert(select("#", stat("nothing")) == 0)
phase("p", { iterations = 3 }, clients("c", 1, function()
  assert(select("#", stat("nothing")) == 0)
  local f = open("there")
  assert(stat("there") == f:size())
  f:append("4KiB")
  f:close()
end))`)
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	if o := out.Phases[0].Jobs[0].Ops["stat"]; o.Count != 6 || o.Errors != 0 {
		t.Errorf("%d stats, %d errors", o.Count, o.Errors)
	}
}

// An operation that fails is placed where a client asked for it, also within what the script has called.
func TestFailureIsPlaced(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"plain":          {"\nf:read(4096, 1e9)\n", "test.lua:3: "},
		"in a function":  {"\nlocal function g()\n f:read(4096, 1e9)\n end g()\n", "test.lua:4: "},
		"protected":      {"\npcall(function()\n f:read(4096, 1e9) end)\n", "test.lua:4: "},
		"in a span":      {"\nspan('s', function()\n f:read(4096, 1e9)\n end)\n", "test.lua:4: "},
		"in a coroutine": {"\ncoroutine.wrap(function()\n f:read(4096, 1e9)\n end)()\n", "test.lua:4: "},
		"of a name":      {"\nrename('no', 'where')\n", "test.lua:3: "},
		"in a queue":     {"\nlocal q = queue(2)\nq:read(f, 4096, 1e9)\nq:wait()", "test.lua:2: "},
	} {
		t.Run(name, func(t *testing.T) {
			out := do(t, newRun(t, "sim:nvme"), `local f = open("f", { size = "64KiB" })
phase("p", { iterations = 1 }, clients("c", 1, function()`+c.body+` end))`)
			var op *run.OpError
			if !errors.As(out.Err, &op) || !strings.HasPrefix(out.Err.Error(), c.want+`job "c": `) {
				t.Errorf("got %v, want it at %s", out.Err, c.want)
			}
		})
	}
}

// A directory is opened to be read, and synced.
func TestDirectoryIsSynced(t *testing.T) {
	r := newRun(t, "sim:nvme")
	out := do(t, r, `
mkdir("d")
local ok, why = pcall(open, "d")
assert(not ok and tostring(why):find("write = false opens a directory", 1, true), tostring(why))
phase("p", { iterations = 2 }, clients("c", 1, function()
  local d = open("d", { write = false })
  d:fsync()
  d:close()
end))
phase("q", { iterations = 1 }, clients("c", 1, function() open("d") end))`)
	if out.Err == nil || !strings.Contains(out.Err.Error(), "a directory can be listed, and synced when it is opened with write = false") {
		t.Error(out.Err)
	}
	if n := out.Phases[0].Jobs[0].Ops["fsync"].Count; n != 2 {
		t.Errorf("%d syncs of a directory", n)
	}
}

// Clients that make so many turns each are done, and others begin then.
func TestClientsIterations(t *testing.T) {
	got := output(t, `local f = open("f", { size = "64KiB" })
local left = counter(20)
local r = phase("make", {}, {
  clients("ld", 1, { after = "cc", iterations = 2 }, function() assert(left:get() < 0) f:write("4KiB", 0) end),
  clients("cc", 4, { iterations = 1 }, function() while left:add(-1) >= 0 do f:read("4KiB", 0) end end),
})
print(r.cc.iteration.count, r.cc.read.count, r.ld.iteration.count, r.ld.write.count)`)
	if got != "4\t20\t2\t2\n" {
		t.Error(got)
	}
	got = output(t, `phase("p", {}, { clients("a", 1, { after = "b" }, function() end), clients("b", 1, function() end) })`)
	if !strings.Contains(got, `job "a": after: job "b" would never be over`) {
		t.Error(got)
	}
}
