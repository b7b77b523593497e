package uring

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/osfs"
)

const benchBlock = 4096

// rig is an engine with a file and a buffer per slot.
type rig struct {
	e     *Engine
	ops   []engine.Op
	slots []uint32
	out   []engine.Completion
	rng   *rand.Rand
	size  int64
}

// newRig locks the goroutine to its thread until the test's end.
func newRig(t testing.TB, depth int, file string, direct bool) *rig {
	t.Helper()
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	fs, err := osfs.Open(filepath.Dir(file))
	check(t, err)
	t.Cleanup(func() { check(t, fs.Shutdown()) })
	flags := unix.O_RDWR
	if direct {
		flags |= unix.O_DIRECT
	}
	fd, err := fs.Open(filepath.Base(file), flags, 0)
	if direct && err != nil {
		t.Skipf("no direct I/O in the temporary directory: %v", err)
	}
	check(t, err)
	t.Cleanup(func() { check(t, fs.Close(fd)) })
	arena, err := engine.NewArena(depth*benchBlock, nil)
	check(t, err)
	t.Cleanup(func() { check(t, arena.Close()) })
	eng, err := Open(engine.Config{Slots: depth, FS: fs, Arena: arena})
	skipUnavailable(t, err)
	t.Cleanup(func() { check(t, eng.Close()) })
	size, err := fs.Size(fd)
	check(t, err)
	r := &rig{e: eng.(*Engine), ops: make([]engine.Op, depth), out: make([]engine.Completion, depth), rng: rand.New(rand.NewPCG(1, 2)), size: size}
	f := &engine.File{Node: &engine.Node{}, FD: fd, Pinned: true, Direct: direct}
	for i := range r.ops {
		buf, err := arena.Get(benchBlock)
		check(t, err)
		r.ops[i] = engine.Op{Code: engine.Read, File: f, Buf: buf}
		r.slots = append(r.slots, uint32(i))
	}
	return r
}

// turn keeps the queue full with one submission and one wait.
func (r *rig) turn(t testing.TB, least int) int {
	for _, s := range r.slots {
		r.ops[s].Off = r.rng.Int64N(r.size/benchBlock) * benchBlock
	}
	if err := r.e.Submit(r.ops, r.slots); err != nil {
		t.Fatal(err)
	}
	n, err := r.e.Wait(r.out, least, engine.NoDeadline)
	if err != nil {
		t.Fatal(err)
	}
	r.slots = r.slots[:0]
	for _, c := range r.out[:n] {
		if c.Res != benchBlock && r.ops[c.Slot].Code == engine.Read {
			t.Fatalf("read returned %d", c.Res)
		}
		r.slots = append(r.slots, c.Slot)
	}
	return n
}

func (r *rig) run(b *testing.B, least int) {
	for done := 0; done < b.N; {
		done += r.turn(b, least)
	}
}

// benchFile is what URING_BENCH_FILE names, or a small file of its own.
func benchFile(b *testing.B) string {
	if f := os.Getenv("URING_BENCH_FILE"); f != "" {
		return f
	}
	name := filepath.Join(b.TempDir(), "data")
	check(b, os.WriteFile(name, make([]byte, 64<<20), 0o644))
	return name
}

func BenchmarkRead(b *testing.B) {
	for _, c := range []struct {
		name   string
		direct bool
		depth  int
		least  int
	}{
		{"buffered/depth=1", false, 1, 1},
		{"buffered/depth=32/min=1", false, 32, 1},
		{"buffered/depth=32/min=8", false, 32, 8},
		{"buffered/depth=32/min=16", false, 32, 16},
		{"buffered/depth=32/min=32", false, 32, 32},
		{"direct/depth=1", true, 1, 1},
		{"direct/depth=32/min=1", true, 32, 1},
		{"direct/depth=32/min=4", true, 32, 4},
		{"direct/depth=32/min=8", true, 32, 8},
		{"direct/depth=32/min=16", true, 32, 16},
		{"direct/depth=32/min=24", true, 32, 24},
		{"direct/depth=32/min=32", true, 32, 32},
	} {
		b.Run(c.name, func(b *testing.B) {
			r := newRig(b, c.depth, benchFile(b), c.direct)
			b.ReportAllocs()
			b.SetBytes(benchBlock)
			b.ResetTimer()
			r.run(b, c.least)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "op/s")
		})
	}
}

func BenchmarkNop(b *testing.B) {
	for _, c := range []struct {
		name         string
		depth, least int
	}{{"depth=1", 1, 1}, {"depth=16", 16, 16}, {"depth=32", 32, 32}} {
		b.Run(c.name, func(b *testing.B) {
			name := filepath.Join(b.TempDir(), "data")
			check(b, os.WriteFile(name, make([]byte, benchBlock), 0o644))
			r := newRig(b, c.depth, name, false)
			for i := range r.ops {
				r.ops[i].Code = engine.Nop
			}
			b.ReportAllocs()
			b.ResetTimer()
			r.run(b, c.least)
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "op/s")
		})
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func skipUnavailable(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Skip("SKIPPED, io_uring untested here: ", err)
	}
}
