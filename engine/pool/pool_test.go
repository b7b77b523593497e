package pool

import (
	"errors"
	"fmt"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/enginetest"
)

func TestConformance(t *testing.T) {
	enginetest.Run(t, enginetest.Target{
		FS:   enginetest.Dir,
		Open: Open,
	})
}

// One slot: the owner makes the calls, in order, with no thread beside it.
func TestOneSlot(t *testing.T) {
	e, f, arena := opened(t, 1, nil)
	buf, err := arena.Get(100)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]engine.Completion, 1)
	do := func(op engine.Op) int64 {
		if err := e.Submit([]engine.Op{op}, []uint32{0}); err != nil {
			t.Fatal(err)
		}
		if n, err := e.Wait(out, 1, engine.NoDeadline); n != 1 || err != nil {
			t.Fatal(n, err)
		}
		return out[0].Res
	}
	for _, c := range []struct {
		op   engine.Op
		want int64
	}{
		{engine.Op{Code: engine.Write, File: f, Buf: buf, Off: 50}, 100},
		{engine.Op{Code: engine.Write, Flags: engine.DSync, File: f, Buf: buf}, 100},
		{engine.Op{Code: engine.Write, Flags: engine.DSync, File: f}, 0},
		{engine.Op{Code: engine.Read, File: f, Buf: buf, Off: 120}, 30},
		{engine.Op{Code: engine.Stat, Meta: &engine.Meta{Path: "none"}}, -int64(unix.ENOENT)},
	} {
		if got := do(c.op); got != c.want {
			t.Errorf("%v: %d, want %d", c.op.Code, got, c.want)
		}
	}
	e.Wake()
	if n, err := e.Wait(out, 1, engine.NoDeadline); n != 0 || err != nil {
		t.Errorf("woken with nothing in flight: %d, %v", n, err)
	}
	if e.started != 0 {
		t.Errorf("%d threads", e.started)
	}
}

// With fewer threads than operations, the rest wait; all are made.
func TestThreads(t *testing.T) {
	const slots = 16
	e, f, _ := opened(t, slots, map[string]string{"threads": "2"})
	want := "a thread with a synchronous call for each operation in flight, at most 2 at once: operations beyond wait for one"
	if got := e.Info(); got.Detail != want || got.Depth != 2 {
		t.Errorf("detail %q, depth %d", got.Detail, got.Depth)
	}
	ops := make([]engine.Op, slots)
	which := make([]uint32, slots)
	for i := range ops {
		ops[i] = engine.Op{Code: engine.Fdatasync, File: f}
		which[i] = uint32(i)
	}
	out := make([]engine.Completion, slots)
	for range 3 {
		if err := e.Submit(ops, which); err != nil {
			t.Fatal(err)
		}
		if n, err := e.Wait(out, slots, engine.NoDeadline); n != slots || err != nil {
			t.Fatal(n, err)
		}
	}
	if e.started != 2 {
		t.Errorf("%d threads, want 2", e.started)
	}
	if err := e.Submit(ops, append(which, 0)); err == nil {
		t.Error("more operations than slots were taken")
	}
}

func TestOpenErrors(t *testing.T) {
	fs := enginetest.Dir(t)
	for want, cfg := range map[string]engine.Config{
		"pool: files must be on storage, and not in memory": {Slots: 1, FS: enginetest.Memory(t)},
		`pool has no option "depth"; it has threads`:        {Slots: 1, FS: fs, Options: map[string]string{"depth": "1"}},
		"pool: threads=many: want a number from 1 to 8192":  {Slots: 1, FS: fs, Options: map[string]string{"threads": "many"}},
		"pool: threads=0: want a number from 1 to 8192":     {Slots: 1, FS: fs, Options: map[string]string{"threads": "0"}},
		"pool: threads=10000: want a number from 1 to 8192": {Slots: 1, FS: fs, Options: map[string]string{"threads": "10000"}},
	} {
		if _, err := Open(cfg); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// opened is an engine with an empty file and buffers.
func opened(t testing.TB, slots int, options map[string]string) (*Engine, *engine.File, *engine.Arena) {
	t.Helper()
	fs := enginetest.Dir(t)
	fd, err := fs.Open("f", unix.O_RDWR|unix.O_CREAT, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	arena, err := engine.NewArena(slots*4096, nil)
	if err != nil {
		t.Fatal(err)
	}
	e, err := Open(engine.Config{Slots: slots, FS: fs, Arena: arena, Options: options})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(e.Close(), fs.Close(fd), arena.Close()); err != nil {
			t.Error(err)
		}
	})
	return e.(*Engine), &engine.File{Node: &engine.Node{}, Name: "f", FD: fd}, arena
}

func BenchmarkReads(b *testing.B) {
	for _, depth := range []int{1, 32} {
		b.Run(fmt.Sprintf("depth=%d", depth), func(b *testing.B) { benchmark(b, depth) })
	}
}

// benchmark keeps depth reads of 4 KiB in flight, of a file in the page cache:
// it shows what a read costs beside the storage.
func benchmark(b *testing.B, depth int) {
	const size = 16 << 20
	e, f, arena := opened(b, depth, nil)
	if err := e.fs.Truncate(f.FD, size); err != nil {
		b.Fatal(err)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	ops := make([]engine.Op, depth)
	ready := make([]uint32, 0, depth)
	for i := range ops {
		buf, err := arena.Get(4096)
		if err != nil {
			b.Fatal(err)
		}
		ops[i] = engine.Op{Code: engine.Read, File: f, Buf: buf}
		ready = append(ready, uint32(i))
	}
	out := make([]engine.Completion, depth)
	b.ReportAllocs()
	b.ResetTimer()
	for done := 0; done < b.N; {
		for _, s := range ready {
			ops[s].Off = (ops[s].Off + int64(s+1)*4096) % size
		}
		_ = e.Submit(ops, ready)
		n, _ := e.Wait(out, 1, engine.NoDeadline)
		done += n
		ready = ready[:0]
		for _, c := range out[:n] {
			if c.Res != 4096 {
				b.Fatal(c)
			}
			ready = append(ready, c.Slot)
		}
	}
}

// The program's threads are bounded over all engines, but each engine has one.
func TestProgramThreads(t *testing.T) {
	total.Add(maxThreads)
	defer total.Add(-maxThreads)
	e, f, _ := opened(t, 4, nil)
	ops := make([]engine.Op, 4)
	for i := range ops {
		ops[i] = engine.Op{Code: engine.Fdatasync, File: f}
	}
	if err := e.Submit(ops, []uint32{0, 1, 2, 3}); err != nil {
		t.Fatal(err)
	}
	out := make([]engine.Completion, 4)
	if n, err := e.Wait(out, 4, engine.NoDeadline); n != 4 || err != nil {
		t.Fatal(n, err)
	}
	if e.started != 1 {
		t.Errorf("%d threads, want 1", e.started)
	}
}
