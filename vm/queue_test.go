package vm

import (
	"strings"
	"testing"
)

// A turn is over when what the queues made in it have in flight is done: whoever forgets to wait has
// no more in flight than the queue's depth, and what was asked for is counted.
func TestTurnEndsWithItsQueues(t *testing.T) {
	out := do(t, newRun(t, "sim:nvme"), `local f = open("f", { size = "1MiB" })
phase("p", { iterations = 100 }, clients("c", 2, function()
  local a, b = queue(8), queue(4)
  for i = 1, 6 do a:write(f, "4KiB", random()) end
  b:read(f, "4KiB", 0)
  if chance(0.5) then sleep(0) end
end))`)
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	ops := out.Phases[0].Jobs[0].Ops
	if w, r, n := ops["write"], ops["read"], ops["iteration"]; w.Count != 600 || r.Count != 100 || n.Count != 100 {
		t.Errorf("%d writes, %d reads, %d turns", w.Count, r.Count, n.Count)
	} else if n.Service.MinNS < w.Service.MinNS {
		t.Errorf("a turn took %d ns, and a write %d", n.Service.MinNS, w.Service.MinNS)
	}
}

// Direct I/O must be aligned on memory engines too: a script that works there works on a disk.
func TestDirectIsAligned(t *testing.T) {
	for body, want := range map[string]string{
		`f:read(4096, 512) f:write(512, 0)`:    "",
		`f:read(1000, 0)`:                      `test.lua:1: read of 1000 bytes at 0 in "f": `,
		`f:write(512, 100)`:                    `test.lua:1: write of 512 bytes at 100 in "f": `,
		`queue(1):append(f, 100)`:              `append of 100 bytes`,
		`local b = f:read(512, 0) f:append(b)`: "",
	} {
		got := output(t, `local f = open("f", { size = "64KiB", direct = true }) phase("p", { iterations = 2 }, clients("c", 1, function() `+body+` end))`)
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", body, got, want)
		}
	}
}

// A queue that is kept goes on over the turns after that in which it was made.
func TestQueueIsKept(t *testing.T) {
	got := output(t, `local f = open("f", { size = "1MiB" })
local queues, most = {}, counter()
local r = phase("p", { iterations = 50 }, clients("c", 1, function(id)
  local q = queues[id] or queue(32)
  queues[id] = q
  q:read(f, "4KiB", random())
  most:set(math.max(most:get(), q:in_flight()))
end))
print(r.c.read.count, most:get())`)
	if got != "50\t32\n" {
		t.Error(got)
	}
}

// A chain that a turn leaves open is an error: it would never be submitted.
func TestTurnLeavesChainOpen(t *testing.T) {
	got := output(t, `local f = open("f", { size = "1MiB" })
phase("p", { iterations = 1 }, clients("c", 1, function()
  local q = queue(8)
  q:link():write(f, "4KiB", 0)
end))`)
	if !strings.Contains(got, "test.lua:5: at the end of the client's turn: the last operation is linked to one that never came") {
		t.Error(got)
	}
}
