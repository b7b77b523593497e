package aio

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/enginetest"
	"moonio/engine/osfs"
)

func TestConformance(t *testing.T) {
	for name, open := range map[string]func(engine.Config) (engine.Engine, error){"ring": Open, "calls": openWithoutRing} {
		t.Run(name, func(t *testing.T) {
			enginetest.Run(t, enginetest.Target{FS: enginetest.Dir, Open: open})
		})
	}
}

// openWithoutRing opens an engine on a kernel whose ring it doesn't know.
func openWithoutRing(cfg engine.Config) (engine.Engine, error) {
	e, err := Open(cfg)
	if err != nil {
		return nil, err
	}
	e.(*Engine).ctx.ring = nil
	return e, nil
}

// complete waits until so many of a context's events lie ready, of which none is taken.
func complete(t *testing.T, c *context, n uint32) {
	t.Helper()
	ring := *(**ringHeader)(unsafe.Pointer(&c.id))
	if ring.magic != ringMagic {
		t.Skip("SKIPPED: the kernel's ring has another layout")
	}
	for atomic.LoadUint32(&ring.tail)-ring.head < n { // nothing has gone round it yet
		time.Sleep(time.Millisecond)
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// fixture is an engine with an empty file and buffers.
type fixture struct {
	engine.Engine
	fs    *osfs.FS
	f     *engine.File
	arena *engine.Arena
}

func newFixture(t testing.TB, dir string, flags, slots int, options map[string]string) *fixture {
	t.Helper()
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	fs, err := osfs.Open(dir)
	check(t, err)
	t.Cleanup(func() { check(t, fs.Shutdown()) })
	fd, err := fs.Open("f", unix.O_RDWR|unix.O_CREAT|flags, 0o644)
	if errors.Is(err, unix.EINVAL) {
		t.Skip("SKIPPED: no direct I/O in the temporary directory")
	}
	check(t, err)
	t.Cleanup(func() { check(t, fs.Close(fd)) })
	arena, err := engine.NewArena(slots*4096, nil)
	check(t, err)
	t.Cleanup(func() { check(t, arena.Close()) })
	e, err := Open(engine.Config{Slots: slots, FS: fs, Arena: arena, Options: options})
	if errors.Is(err, engine.ErrUnavailable) {
		t.Skip("SKIPPED, libaio untested here: ", err)
	}
	check(t, err)
	t.Cleanup(func() { check(t, e.Close()) })
	return &fixture{e, fs, &engine.File{Node: &engine.Node{}, Name: "f", FD: fd, Direct: flags&unix.O_DIRECT != 0}, arena}
}

func (x *fixture) buf(t testing.TB, n int) []byte {
	t.Helper()
	b, err := x.arena.Get(n)
	check(t, err)
	return b
}

func (x *fixture) do(t testing.TB, op engine.Op) int64 {
	t.Helper()
	return enginetest.Do(t, x, op)
}

// Among operations that the kernel takes there are some that it refuses, first,
// last and in the middle. Each has its own result.
func TestRefusedAmongOthers(t *testing.T) {
	x := newFixture(t, t.TempDir(), 0, 16, nil)
	dir, err := x.fs.Open(".", unix.O_RDONLY, 0)
	check(t, err)
	defer func() { check(t, x.fs.Close(dir)) }()
	directory := &engine.File{Node: &engine.Node{}, FD: dir}
	closed := &engine.File{Node: &engine.Node{}, FD: 1 << 20}
	var ops []engine.Op
	var want []int64
	add := func(op engine.Op, res int64) {
		op.Buf = x.buf(t, 100)
		ops, want = append(ops, op), append(want, res)
	}
	for range 4 {
		add(engine.Op{Code: engine.Read, File: closed}, -int64(unix.EBADF))
		add(engine.Op{Code: engine.Write, File: x.f, Off: 0}, 100)
		add(engine.Op{Code: engine.Read, File: directory}, -int64(unix.EISDIR))
		add(engine.Op{Code: engine.Write, File: x.f, Off: -5}, -int64(unix.EINVAL))
	}
	slots := make([]uint32, len(ops))
	for i := range slots {
		slots[i] = uint32(i)
	}
	check(t, x.Submit(ops, slots))
	out := make([]engine.Completion, len(ops))
	for done := 0; done < len(ops); {
		n, err := x.Wait(out, len(ops)-done, engine.NoDeadline)
		check(t, err)
		for _, c := range out[:n] {
			if c.Res != want[c.Slot] {
				t.Errorf("operation %d: %d, want %d", c.Slot, c.Res, want[c.Slot])
			}
		}
		done += n
	}
}

// What is refused when its turn in a chain has come, with nothing else in
// flight, ends the wait.
func TestRefusedInChain(t *testing.T) {
	x := newFixture(t, t.TempDir(), 0, 2, nil)
	closed := &engine.File{Node: &engine.Node{}, FD: 1 << 20}
	ops := []engine.Op{{Code: engine.Fdatasync, Flags: engine.Link, File: x.f}, {Code: engine.Read, File: closed, Buf: x.buf(t, 10)}}
	out := make([]engine.Completion, 2)
	for range 20 {
		check(t, x.Submit(ops, []uint32{0, 1}))
		n, err := x.Wait(out, 2, engine.NoDeadline)
		check(t, err)
		if n != 2 || out[0].Res != 0 || out[1].Res != -int64(unix.EBADF) {
			t.Fatal(out[:n])
		}
	}
}

// A priority reaches the kernel: one that there is not is refused.
func TestPriority(t *testing.T) {
	idle, err := engine.ParsePrio("idle")
	check(t, err)
	for _, options := range []map[string]string{nil, {"ioprio": "be/7"}} {
		x := newFixture(t, t.TempDir(), 0, 1, options)
		if !x.Info().Prio {
			t.Error("priorities are not among what the engine does")
		}
		op := engine.Op{Code: engine.Write, File: x.f, Buf: x.buf(t, 10), Prio: idle}
		if res := x.do(t, op); res != 10 {
			t.Errorf("idle: %d", res)
		}
		op.Prio = 7 << 13
		if res := x.do(t, op); res != -int64(unix.EINVAL) {
			t.Errorf("a class that there is not: %d, want EINVAL", res)
		}
	}
}

// TestRefusedOption asks for what tmpfs can't do: no I/O is done.
func TestRefusedOption(t *testing.T) {
	x := newFixture(t, enginetest.Tmpfs(t), 0, 1, map[string]string{"uncached": "1"})
	err := x.Submit([]engine.Op{{Code: engine.Write, File: x.f, Buf: x.buf(t, 10)}}, []uint32{0})
	const want = `libaio: option uncached on file "f": tmpfs refuses it: leave the option out, or use another file system: operation not supported`
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if n, err := x.fs.Size(x.f.FD); n != 0 || err != nil {
		t.Errorf("%d bytes were written, %v", n, err)
	}
}

func TestOpenErrors(t *testing.T) {
	fs := enginetest.Dir(t)
	for want, cfg := range map[string]engine.Config{
		"libaio: files must be on storage, and not in memory": {Slots: 1, FS: enginetest.Memory(t)},
		"libaio takes 1 to 32767 operations in flight on a thread, not 32768: more threads share out what a phase's jobs have in flight, as with threads = 2": {Slots: 32768, FS: fs},
		`libaio has no option "hipri"; it has uncached, nowait, ioprio`:                                                                                       {Slots: 1, FS: fs, Options: map[string]string{"hipri": "1"}},
		`libaio: ioprio=rt: priority "rt": want rt/0 to rt/7, be/0 to be/7, or idle; 0 is the highest`:                                                        {Slots: 1, FS: fs, Options: map[string]string{"ioprio": "rt"}},
	} {
		if _, err := Open(cfg); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestUnavailable(t *testing.T) {
	err := unavailable(unix.EAGAIN)
	const want = "libaio is not available here: all operations that the system allows are taken; raise sysctl fs.aio-max-nr (resource temporarily unavailable)"
	if !errors.Is(err, engine.ErrUnavailable) || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

const benchBlock, benchSize = 4096, 16 << 20

func BenchmarkRead(b *testing.B) {
	for _, c := range []struct {
		name         string
		flags        int
		depth, least int
	}{
		{"buffered/depth=1", 0, 1, 1},
		{"buffered/depth=32/min=16", 0, 32, 16},
		{"direct/depth=1", unix.O_DIRECT, 1, 1},
		{"direct/depth=32/min=1", unix.O_DIRECT, 32, 1},
		{"direct/depth=32/min=8", unix.O_DIRECT, 32, 8},
		{"direct/depth=32/min=16", unix.O_DIRECT, 32, 16},
	} {
		b.Run(c.name, func(b *testing.B) { benchmark(b, c.flags, c.depth, c.least) })
	}
}

func benchmark(b *testing.B, flags, depth, least int) {
	x := newFixture(b, b.TempDir(), flags, depth, nil)
	data := x.buf(b, 1<<20)
	for i := range data {
		data[i] = byte(i)
	}
	for off := int64(0); off < benchSize; off += 1 << 20 {
		if _, err := unix.Pwrite(x.f.FD, data, off); err != nil {
			b.Fatal(err)
		}
	}
	ops := make([]engine.Op, depth)
	ready := make([]uint32, 0, depth)
	for i := range ops {
		ops[i] = engine.Op{Code: engine.Read, File: x.f, Buf: x.buf(b, benchBlock)}
		ready = append(ready, uint32(i))
	}
	out := make([]engine.Completion, depth)
	rng := rand.New(rand.NewPCG(1, 2))
	b.ReportAllocs()
	b.ResetTimer()
	for done := 0; done < b.N; {
		for _, s := range ready {
			ops[s].Off = rng.Int64N(benchSize/benchBlock) * benchBlock
		}
		if err := x.Submit(ops, ready); err != nil {
			b.Fatal(err)
		}
		n, err := x.Wait(out, least, engine.NoDeadline)
		check(b, err)
		done += n
		ready = ready[:0]
		for _, c := range out[:n] {
			if c.Res != benchBlock {
				b.Fatal(c)
			}
			ready = append(ready, c.Slot)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "op/s")
}

// A wait may return the waker's event beside others, and leave it for the next. A close comes to it first.
func TestCloseWithWakeLeftBehind(t *testing.T) {
	dir := t.TempDir()
	x := newFixture(t, dir, unix.O_DIRECT, 2, nil)
	e, err := openWithoutRing(engine.Config{Slots: 2, FS: x.fs, Arena: x.arena})
	check(t, err)
	buf := x.buf(t, 4096)
	check(t, e.Submit([]engine.Op{{Code: engine.Write, File: x.f, Buf: buf}}, []uint32{0}))
	out := make([]engine.Completion, 1)
	if n, err := e.Wait(out, 0, e.Now()); n != 0 || err != nil {
		t.Skip("SKIPPED: the write was done too soon: ", n, err)
	}
	e.(*Engine).Waker.Nudge()
	complete(t, e.(*Engine).ctx, 2)
	if n, err := e.Wait(out, 1, engine.NoDeadline); n != 1 || err != nil {
		t.Fatalf("%d completions, %v; want the write's", n, err)
	}
	check(t, e.Close())
}
