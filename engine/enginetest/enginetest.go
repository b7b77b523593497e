// Package enginetest is the suite that every engine is held to. It takes the
// contract in package engine at its word and asserts results, bytes and orders,
// never how long something took on a real clock.
//
// An engine's own test is a few lines:
//
//	func TestConformance(t *testing.T) {
//		enginetest.Run(t, enginetest.Target{FS: enginetest.Dir, Open: uring.Open})
//	}
//
// Every subtest makes its own namespace and engine, on a goroutine that is
// locked to its thread.
package enginetest

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/memfs"
	"moonio/engine/osfs"
)

// Target is how to make what is tested.
type Target struct {
	// FS makes an empty namespace that is gone when the test is: Dir or Memory.
	FS func(testing.TB) engine.FS
	// Open opens the engine on cfg.FS. A test is skipped when it reports
	// engine.ErrUnavailable.
	Open func(cfg engine.Config) (engine.Engine, error)
	// Allocates excuses the engine from the test that the hot path allocates nothing.
	Allocates bool
	// NoDirect says that the engine refuses files that are open for direct I/O.
	NoDirect bool
}

// Dir makes a namespace in a temporary directory.
func Dir(t testing.TB) engine.FS {
	t.Helper()
	fs, err := osfs.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := fs.Shutdown(); err != nil {
			t.Error(err)
		}
	})
	return fs
}

// Tmpfs makes a directory on a file system in memory, which refuses some of the
// kernel's options. The test is skipped when there is none.
func Tmpfs(t testing.TB) string {
	t.Helper()
	const shm = "/dev/shm"
	var st unix.Statfs_t
	if err := unix.Statfs(shm, &st); err != nil || st.Type != unix.TMPFS_MAGIC {
		t.Skip("SKIPPED: no tmpfs at ", shm)
	}
	dir, err := os.MkdirTemp(shm, "moonio-test-*")
	if err != nil {
		t.Skip("SKIPPED: ", err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// Memory makes a namespace in memory.
func Memory(testing.TB) engine.FS { return memfs.New() }

// Do performs one operation on an engine that has nothing in flight.
func Do(t testing.TB, e engine.Engine, op engine.Op) int64 {
	t.Helper()
	if err := e.Submit([]engine.Op{op}, []uint32{0}); err != nil {
		t.Fatal(err)
	}
	out := make([]engine.Completion, 1)
	if n, err := e.Wait(out, 1, engine.NoDeadline); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	return out[0].Res
}

// Run holds the target to the contract.
func Run(t *testing.T, target Target) {
	for _, c := range []struct {
		name string
		run  func(*testing.T, Target)
	}{
		{"info", testInfo},
		{"read", testRead},
		{"write", testWrite},
		{"append", testAppend},
		{"end of file", testEnd},
		{"sync", testSync},
		{"ranges", testRanges},
		{"direct", testDirect},
		{"no space", testNoSpace},
		{"errors", testErrors},
		{"names", testNames},
		{"name errors", testNameErrors},
		{"many in flight", testManyInFlight},
		{"depth", testDepth},
		{"moved operations", testMoved},
		{"links", testLinks},
		{"failed links", testFailedLinks},
		{"wait", testWait},
		{"deadline", testDeadline},
		{"wake", testWake},
		{"wake under load", testWakeUnderLoad},
		{"cancel", testCancel},
		{"close in flight", testCloseInFlight},
		{"allocations", testAllocations},
		{"random operations", testRandom},
		{"an hour", testHours},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, target) })
	}
}

// rig is an engine with slots, buffers and a namespace, for one test.
type rig struct {
	t     *testing.T
	fs    engine.FS
	e     engine.Engine
	arena *engine.Arena
	ops   []engine.Op
	out   []engine.Completion
	ids   engine.FileIDs
}

// slots is what most tests need.
const slots = 64

func newRig(t *testing.T, target Target, slots int) *rig {
	t.Helper()
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	arena, err := engine.NewArena(1<<20, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := arena.Close(); err != nil {
			t.Error(err)
		}
	})
	r := &rig{t: t, fs: target.FS(t), arena: arena, ops: make([]engine.Op, slots), out: make([]engine.Completion, slots)}
	r.e, err = target.Open(engine.Config{Slots: slots, FS: r.fs, Arena: arena})
	if errors.Is(err, engine.ErrUnavailable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal("opening the engine: ", err)
	}
	t.Cleanup(r.close)
	return r
}

func (r *rig) close() {
	if r.e == nil {
		return
	}
	if err := r.e.Close(); err != nil {
		r.t.Error("closing the engine: ", err)
	}
	r.e = nil
}

// contents says whether files hold what was written to them.
func (r *rig) contents() bool { return !r.fs.Memory() }

// needContents skips tests that mean nothing in memory.
func (r *rig) needContents() {
	r.t.Helper()
	if !r.contents() {
		r.t.Skip("files have no contents")
	}
}

// buf returns n bytes that depend on tag.
func (r *rig) buf(n int, tag byte) []byte {
	r.t.Helper()
	b, err := r.arena.Get(n)
	if err != nil {
		r.t.Fatal(err)
	}
	fill(b, tag)
	return b
}

func fill(b []byte, tag byte) {
	for i := range b {
		b[i] = tag + byte(i) + byte(i>>8)
	}
}

// open opens a file through the namespace. It is closed at the test's end
// unless it was before.
func (r *rig) open(name string, flags int) *engine.File {
	r.t.Helper()
	fd, err := r.fs.Open(name, flags, 0o644)
	if err != nil {
		r.t.Fatalf("opening %s: %v", name, err)
	}
	f := r.file(name, fd)
	f.Direct = flags&unix.O_DIRECT != 0
	f.DSync = flags&unix.O_DSYNC != 0
	r.t.Cleanup(func() {
		if f.FD >= 0 {
			r.must(r.fs.Close(f.FD))
		}
	})
	return f
}

func (r *rig) file(name string, fd int) *engine.File {
	return &engine.File{Node: &engine.Node{}, Name: name, FD: fd, ID: r.ids.Take()}
}

// sized makes a file of n bytes, which hold what fill put there.
func (r *rig) sized(name string, n int, tag byte) *engine.File {
	r.t.Helper()
	f := r.open(name, unix.O_RDWR|unix.O_CREAT)
	b := r.buf(n, tag)
	r.want("write", r.do(engine.Op{Code: engine.Write, File: f, Buf: b}), int64(n))
	return f
}

// do performs one operation and returns its completion's Res.
func (r *rig) do(op engine.Op) int64 {
	r.t.Helper()
	return r.together(op)[0]
}

// together submits operations in one call and returns their results, in the
// order of the operations.
func (r *rig) together(ops ...engine.Op) []int64 {
	r.t.Helper()
	copy(r.ops, ops)
	r.submit(r.ops, upTo(len(ops))...)
	res := make([]int64, len(ops))
	for _, c := range r.collect(len(ops)) {
		res[c.Slot] = c.Res
	}
	return res
}

func upTo(n int) []uint32 {
	s := make([]uint32, n)
	for i := range s {
		s[i] = uint32(i)
	}
	return s
}

func (r *rig) submit(ops []engine.Op, slots ...uint32) {
	r.t.Helper()
	if err := r.e.Submit(ops, slots); err != nil {
		r.t.Fatal("submit: ", err)
	}
}

// wait is one Wait that must not fail.
func (r *rig) wait(out []engine.Completion, min int, deadline int64) []engine.Completion {
	r.t.Helper()
	n, err := r.e.Wait(out, min, deadline)
	if err != nil {
		r.t.Fatal("wait: ", err)
	}
	if n < 0 || n > len(out) {
		r.t.Fatalf("wait returned %d for room of %d", n, len(out))
	}
	return out[:n]
}

// collect waits for n completions and returns them in their order. It checks
// that each slot comes once.
func (r *rig) collect(n int) []engine.Completion {
	r.t.Helper()
	var all []engine.Completion
	seen := map[uint32]bool{}
	for len(all) < n {
		got := r.wait(r.out, n-len(all), engine.NoDeadline)
		for _, c := range got {
			if seen[c.Slot] {
				r.t.Fatalf("slot %d completed twice", c.Slot)
			}
			seen[c.Slot] = true
		}
		all = append(all, got...)
	}
	if len(all) > n {
		r.t.Fatalf("%d completions, want %d", len(all), n)
	}
	return all
}

func (r *rig) want(what string, got, want int64) {
	r.t.Helper()
	if got != want {
		r.t.Errorf("%s: %s, want %s", what, text(got), text(want))
	}
}

func (r *rig) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Error(err)
	}
}

// text is a completion's Res as a person reads it.
func text(res int64) string {
	if res < 0 && res > -4096 {
		return unix.ErrnoName(unix.Errno(-res))
	}
	return fmt.Sprint(res)
}

// errno is the Res of a failure.
func errno(e unix.Errno) int64 { return -int64(e) }
