package run

import (
	"testing"

	"moonio/engine"
)

// Where the device is slow, operations are handed over as they come, unless something
// holds them together.
func TestPiece(t *testing.T) {
	batch := []uint32{0, 1, 2, 3, 4, 5, 6, 7}
	const all = 8
	for _, c := range []struct {
		why           string
		gap           int64
		whole, inline bool
		linked        int // so many from the first are a chain
		want          int
	}{
		{"nothing is known yet", 0, false, false, 0, all},
		{"a slow device", 60_000, false, false, 0, 1},
		{"a disk at 100 k IOPS", 10_000, false, false, 0, 1},
		{"half a million a second", 2000, false, false, 0, 3},
		{"faster than calls", 100, false, false, 0, all},
		{"a chain", 60_000, false, false, 3, 3},
		{"a chain of all", 60_000, false, false, all, all},
		{"batches of the script's own, or a virtual clock", 60_000, true, false, 0, all},
		{"an engine that completes at once", 60_000, false, true, 0, all},
	} {
		w := &Worker{ops: make([]engine.Op, all), gap: c.gap, whole: c.whole, inline: c.inline}
		for i := range max(0, c.linked-1) {
			w.ops[i].Flags = engine.Link
		}
		if got := w.piece(batch); got != c.want {
			t.Errorf("%s: %d of %d at a time, want %d", c.why, got, all, c.want)
		}
	}
}
