package vm

import "testing"

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
