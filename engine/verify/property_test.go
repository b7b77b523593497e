package verify

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"moonio/engine/content"
)

// flight is a write on its way.
type flight struct {
	off  int64
	b    []byte
	left []int // sectors that have not arrived
}

// world is storage on which writes arrive sector by sector, in any order, and which may
// lose what was not synced.
type world struct {
	*File
	cached, stable []byte
	flying         []*flight
	syncs          []pendingSync
}

type pendingSync struct {
	epoch uint32
	data  []byte // what it makes durable
}

const worldBlocks = 12

func (w *world) begin(t *rapid.T) {
	if len(w.flying) >= 6 {
		return
	}
	grain := int64(rapid.SampledFrom([]int{512, 1024, 2048}).Draw(t, "grain"))
	off := rapid.Int64Range(0, worldBlocks*w.Interval/grain-1).Draw(t, "off") * grain
	n := min(rapid.Int64Range(1, 6).Draw(t, "n")*grain, worldBlocks*w.Interval-off)
	f := &flight{off: off, b: make([]byte, n)}
	w.Prime(f.b)
	if err := w.Write(f.b, off); err != nil {
		t.Fatal(err)
	}
	for s := range int(n / sector) {
		f.left = append(f.left, s)
	}
	w.flying = append(w.flying, f)
}

// arrive lets a sector of a write reach the storage.
func (w *world) arrive(t *rapid.T, f *flight) {
	if len(f.left) == 0 {
		return
	}
	i := rapid.IntRange(0, len(f.left)-1).Draw(t, "sector")
	s := f.left[i]
	f.left = append(f.left[:i], f.left[i+1:]...)
	copy(w.cached[f.off+int64(s)*sector:], f.b[s*sector:(s+1)*sector])
}

func (w *world) end(t *rapid.T) {
	if len(w.flying) == 0 {
		return
	}
	i := rapid.IntRange(0, len(w.flying)-1).Draw(t, "flight")
	f := w.flying[i]
	if rapid.IntRange(0, 3).Draw(t, "part") == 0 {
		w.arrive(t, f)
		return
	}
	w.flying = append(w.flying[:i], w.flying[i+1:]...)
	n := int64(len(f.b))
	if rapid.IntRange(0, 9).Draw(t, "fails") == 0 {
		w.Wrote(f.off, n, -5, false)
		return
	}
	for len(f.left) > 0 {
		w.arrive(t, f)
	}
	w.Wrote(f.off, n, n, false)
}

func (w *world) sync(t *rapid.T) {
	if len(w.syncs) > 0 && rapid.Bool().Draw(t, "ends") {
		w.stable = w.syncs[0].data
		w.Synced(w.syncs[0].epoch)
		w.syncs = w.syncs[1:]
		return
	}
	if len(w.syncs) < 2 {
		w.syncs = append(w.syncs, pendingSync{w.Syncing(), append([]byte(nil), w.cached...)})
	}
}

func (w *world) check(t *rapid.T) {
	var tally Tally
	n := int64(len(w.cached))
	w.Read(w.cached, 0, w.Reading(0, n), &tally)
	// Those that are not written now.
	for u := range int64(worldBlocks) {
		off := u * w.Interval
		w.Read(w.cached[off:off+w.Interval], off, w.Reading(off, w.Interval), &tally)
	}
	if tally.Mismatches > 0 {
		t.Fatalf("a false alarm: %s", tally.First[0].Error())
	}
}

// Storage that does what it is told is never accused of anything, whatever overlaps and whenever it
// fails.
func TestNoFalseAlarm(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		_ = os.Remove(dir + "/state")
		c := Config{
			Name: "f", Seed: 1,
			Method:   rapid.SampledFrom([]Method{CRC32C, XXHash, SHA1, Header}).Draw(t, "method"),
			Interval: int64(rapid.SampledFrom([]int{512, 1024, 2048}).Draw(t, "interval")),
			Data:     content.Spec{Refill: rapid.Bool().Draw(t, "refill")},
		}
		open := func() {
			s, err := OpenState(Open{FD: stateFile(t, dir), Name: "state", Interval: c.Interval, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			c.State = s
		}
		open()
		f, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		w := &world{File: f, cached: make([]byte, worldBlocks*c.Interval), stable: make([]byte, worldBlocks*c.Interval)}
		defer func() { w.die() }()
		t.Repeat(map[string]func(*rapid.T){
			"begin": w.begin, "begin too": w.begin, "end": w.end, "end too": w.end, "sync": w.sync, "": w.check,
			"trim": func(t *rapid.T) {
				u := rapid.Int64Range(0, worldBlocks-1).Draw(t, "block")
				if err := w.Destroy(u*w.Interval, w.Interval); err != nil {
					t.Fatal(err)
				}
				w.end(t)
				clear(w.cached[u*w.Interval : (u+1)*w.Interval])
				w.check(t)
				w.begin(t)
				w.Destroyed(u*w.Interval, w.Interval)
			},
			"crash": func(t *rapid.T) {
				if rapid.IntRange(0, 4).Draw(t, "rarely") > 0 {
					return
				}
				if rapid.Bool().Draw(t, "power cut") {
					copy(w.State.head[atBoot:], "another boot                        ")
					for s := range len(w.cached) / sector {
						if rapid.Bool().Draw(t, "lost") {
							copy(w.cached[s*sector:(s+1)*sector], w.stable[s*sector:])
						}
					}
				}
				w.flying, w.syncs = nil, nil
				w.stable = append([]byte(nil), w.cached...)
				w.die()
				open()
				if w.File, err = New(c); err != nil {
					t.Fatal(err)
				}
			},
		})
	})
}

// die leaves the state as a killed program would.
func (w *world) die() {
	w.State.unmap()
	_ = unix.Close(w.State.fd)
}
