package psync

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/enginetest"
	"moonio/engine/osfs"
)

var names = []string{Psync, Sync, Pvsync2}

func TestConformance(t *testing.T) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			enginetest.Run(t, enginetest.Target{
				FS:   enginetest.Dir,
				Open: func(cfg engine.Config) (engine.Engine, error) { return Open(name, cfg) },
			})
		})
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// fixture is an engine with an empty file and a buffer.
type fixture struct {
	engine.Engine
	fs  *osfs.FS
	f   *engine.File
	buf []byte
}

func newFixture(t testing.TB, name, dir string, slots int, options map[string]string) *fixture {
	t.Helper()
	fs, err := osfs.Open(dir)
	check(t, err)
	fd, err := fs.Open("f", unix.O_RDWR|unix.O_CREAT, 0o644)
	check(t, err)
	arena, err := engine.NewArena(1<<16, nil)
	check(t, err)
	buf, err := arena.Get(1 << 16)
	check(t, err)
	e, err := Open(name, engine.Config{Slots: slots, FS: fs, Arena: arena, Options: options})
	check(t, err)
	t.Cleanup(func() { check(t, errors.Join(e.Close(), fs.Close(fd), fs.Shutdown(), arena.Close())) })
	return &fixture{e, fs, &engine.File{Node: &engine.Node{}, Name: "f", FD: fd}, buf}
}

func (x *fixture) do(t testing.TB, op engine.Op) int64 {
	t.Helper()
	return enginetest.Do(t, x, op)
}

func TestInfo(t *testing.T) {
	for _, name := range names {
		x := newFixture(t, name, t.TempDir(), 64, nil)
		if info := x.Info(); info.Name != name || info.Depth != 1 || info.Detail == "" || info.Features != nil {
			t.Errorf("%+v", info)
		}
	}
}

// Each engine of sync has a position of its own, though the file is shared, and
// finds its way whatever the order of offsets.
func TestOwnPosition(t *testing.T) {
	x := newFixture(t, Sync, t.TempDir(), 1, nil)
	other, err := Open(Sync, engine.Config{Slots: 1, FS: x.fs})
	check(t, err)
	y := &fixture{other, x.fs, x.f, x.buf[1<<15:]}
	for i, step := range []struct {
		x   *fixture
		off int64
	}{{x, 0}, {x, 100}, {y, 0}, {x, 200}, {y, 100}, {x, 50}, {y, 200}} {
		buf := step.x.buf[:100]
		for j := range buf {
			buf[j] = byte(i + 1)
		}
		if res := step.x.do(t, engine.Op{Code: engine.Write, File: x.f, Buf: buf, Off: step.off}); res != 100 {
			t.Fatal(res)
		}
		back := make([]byte, 100)
		if n, err := unix.Pread(x.f.FD, back, step.off); n != 100 || err != nil || !slices.Equal(back, buf) {
			t.Errorf("write %d at %d went elsewhere", i, step.off)
		}
	}
	if at, err := unix.Seek(x.f.FD, 0, unix.SEEK_CUR); at != 0 || err != nil {
		t.Errorf("the shared descriptor's position is %d, %v", at, err)
	}
	e := other.(*Engine)
	if res := y.do(t, engine.Op{Code: engine.Read, File: x.f, Buf: y.buf[:10], Off: -1}); res != -int64(unix.EINVAL) {
		t.Errorf("read at -1: %d", res)
	}
	fd := e.own[0].fd
	check(t, other.Close())
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0); err != unix.EBADF {
		t.Errorf("the engine's descriptor after its end: %v", err)
	}
}

// After a call that failed, when it is not known where the descriptor stands, what lies before the start is refused too.
func TestPositionLost(t *testing.T) {
	x := newFixture(t, Sync, t.TempDir(), 1, nil)
	fd, err := x.fs.Open("f", unix.O_RDWR|unix.O_DIRECT, 0)
	if err != nil {
		t.Skip("SKIPPED: no direct I/O in the temporary directory: ", err)
	}
	defer func() { check(t, x.fs.Close(fd)) }()
	direct := &engine.File{Node: x.f.Node, Name: "f", FD: fd, ID: 1, Direct: true}
	if res := x.do(t, engine.Op{Code: engine.Write, File: direct, Buf: x.buf[1:4097]}); res >= 0 {
		t.Skip("SKIPPED: the file system takes unaligned operations")
	}
	if res := x.do(t, engine.Op{Code: engine.Write, File: direct, Buf: x.buf[:4096], Off: -1}); res != -int64(unix.EINVAL) {
		t.Errorf("write at -1: %d", res)
	}
}

// A file that has another's ID, after that was closed, is not mistaken for it.
func TestReusedID(t *testing.T) {
	x := newFixture(t, Sync, t.TempDir(), 1, nil)
	if res := x.do(t, engine.Op{Code: engine.Write, File: x.f, Buf: x.buf[:10]}); res != 10 {
		t.Fatal(res)
	}
	fd, err := x.fs.Open("g", unix.O_RDWR|unix.O_CREAT, 0o644)
	check(t, err)
	g := &engine.File{Node: &engine.Node{}, Name: "g", FD: fd}
	if res := x.do(t, engine.Op{Code: engine.Read, File: g, Buf: x.buf[:10]}); res != 0 {
		t.Errorf("an empty file gives %d bytes", res)
	}
	if res := x.do(t, engine.Op{Code: engine.Close, File: g}); res != 0 {
		t.Error(res)
	}
	if res := x.do(t, engine.Op{Code: engine.Read, File: g, Buf: x.buf[:10]}); res != -int64(unix.EBADF) {
		t.Errorf("read of a closed file: %d", res)
	}
}

// TestRefusedOption asks for what tmpfs can't do: no I/O is done.
func TestRefusedOption(t *testing.T) {
	for _, option := range []string{"uncached", "nowait"} {
		x := newFixture(t, Pvsync2, enginetest.Tmpfs(t), 1, map[string]string{option: "1"})
		err := x.Submit([]engine.Op{{Code: engine.Write, File: x.f, Buf: x.buf[:10]}}, []uint32{0})
		want := fmt.Sprintf("pvsync2: option %s on file \"f\": tmpfs refuses it: leave the option out, or use another file system: operation not supported", option)
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
		if n, err := x.fs.Size(x.f.FD); n != 0 || err != nil {
			t.Errorf("%d bytes were written, %v", n, err)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	fs := enginetest.Dir(t)
	for want, c := range map[string]struct {
		name string
		cfg  engine.Config
	}{
		"psync: files must be on storage, and not in memory":     {Psync, engine.Config{Slots: 1, FS: enginetest.Memory(t)}},
		`psync has no option "nowait": it takes none`:            {Psync, engine.Config{Slots: 1, FS: fs, Options: map[string]string{"nowait": "1"}}},
		`pvsync2 has no option "hipri"; it has uncached, nowait`: {Pvsync2, engine.Config{Slots: 1, FS: fs, Options: map[string]string{"hipri": "1"}}},
		`pvsync2: uncached=yes: want 1 or 0`:                     {Pvsync2, engine.Config{Slots: 1, FS: fs, Options: map[string]string{"uncached": "yes"}}},
	} {
		if _, err := Open(c.name, c.cfg); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	for _, name := range names {
		b.Run(name, func(b *testing.B) {
			const size = 16 << 20
			x := newFixture(b, name, b.TempDir(), 1, nil)
			check(b, x.fs.Truncate(x.f.FD, size))
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			ops := []engine.Op{{Code: engine.Read, File: x.f, Buf: x.buf[:4096]}}
			slots := []uint32{0}
			out := make([]engine.Completion, 1)
			b.ReportAllocs()
			for b.Loop() {
				ops[0].Off = (ops[0].Off + 5*4096) % size
				_ = x.Submit(ops, slots)
				if n, _ := x.Wait(out, 1, engine.NoDeadline); n != 1 || out[0].Res != 4096 {
					b.Fatal(n, out[0])
				}
			}
		})
	}
}
