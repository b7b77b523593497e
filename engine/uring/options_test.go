package uring

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/enginetest"
	"moonio/engine/osfs"
)

// withOptions opens a ring with options, on an empty directory.
func withOptions(t *testing.T, options map[string]string) *fixture {
	t.Helper()
	return newFixture(t, 8, func(cfg engine.Config) (*Engine, error) {
		cfg.Options = options
		return open(cfg, setups)
	})
}

func TestOptionErrors(t *testing.T) {
	for _, c := range []struct {
		options map[string]string
		want    string
	}{
		{map[string]string{"sqpoll_cpu": "1"}, "io_uring: sqpoll_idle and sqpoll_cpu are of the thread that sqpoll asks for, and sqpoll is not given"},
		{map[string]string{"sqpoll": "1", "sqpoll_idle": "soon"}, "io_uring: sqpoll_idle=soon: want a number from 1 to 1073741824"},
		{map[string]string{"nonvectored": "0"}, "io_uring: nonvectored=0: it always reads and writes without a vector"},
		{map[string]string{"hipri": "yes"}, "io_uring: hipri=yes: want 1 or 0"},
		{map[string]string{"ioprio": "rt/9"}, `io_uring: ioprio=rt/9: priority "rt/9": want rt/0 to rt/7, be/0 to be/7, or idle; 0 is the highest`},
	} {
		if err := CheckOptions(c.options); err == nil || err.Error() != c.want {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
	for _, o := range Options() {
		if o.About == "" || o.Name == "" {
			t.Errorf("option %+v", o)
		}
	}
}

// A processor that there is not is refused by the kernel, and the error says
// what it was asked for.
func TestRefusedSetup(t *testing.T) {
	fs, err := osfs.Open(t.TempDir())
	check(t, err)
	defer func() { check(t, fs.Shutdown()) }()
	plain, err := Open(engine.Config{Slots: 1, FS: fs})
	skipUnavailable(t, err)
	check(t, plain.Close())
	_, err = Open(engine.Config{Slots: 1, FS: fs, Options: map[string]string{"sqpoll": "1", "sqpoll_cpu": "65000"}})
	if !errors.Is(err, unix.EINVAL) || !strings.Contains(err.Error(), "with sqpoll_cpu=65000: there is no such processor") {
		t.Errorf("error %v", err)
	}
}

// TestEntries checks what the options put into the ring's entries.
func TestEntries(t *testing.T) {
	b := withOptions(t, map[string]string{"force_async": "1", "registerfiles": "0", "fixedbufs": "0", "ioprio": "be/3", "nowait": "1"})
	f := b.file("f", "text", 0, true)
	var s sqe
	b.fill(&s, &engine.Op{Code: engine.Write, File: f, Buf: b.buf(10), Flags: engine.DSync}, 3)
	if s.flags != sqeAsync || s.ioprio != 0x4003 || s.opFlags != unix.RWF_NOWAIT|unix.RWF_DSYNC || s.opcode != opWrite || s.userData != 3 {
		t.Errorf("%+v", s)
	}
	b.fill(&s, &engine.Op{Code: engine.Read, File: f, Buf: b.buf(10), Prio: 0x6000}, 4)
	if s.ioprio != 0x6000 || s.opFlags != unix.RWF_NOWAIT {
		t.Errorf("%+v", s)
	}
	b.fill(&s, &engine.Op{Code: engine.Fsync, File: f}, 5)
	if s.ioprio != 0 || s.opFlags != 0 || s.flags != sqeAsync {
		t.Errorf("%+v", s)
	}
	if got := b.Info().Features; !slices.Contains(got, "force_async") || !slices.Contains(got, "nowait") || slices.Contains(got, "registered files") {
		t.Errorf("features %q", got)
	}
}

// With a number, every so many operations one goes to a thread of the kernel's.
func TestSomeAsync(t *testing.T) {
	b := withOptions(t, map[string]string{"force_async": "3"})
	f := b.file("f", "text", 0, true)
	var s sqe
	for n := range 9 {
		b.fill(&s, &engine.Op{Code: engine.Read, File: f, Buf: b.buf(10)}, 1)
		if forced := s.flags&sqeAsync != 0; forced != (n%3 == 2) {
			t.Errorf("operation %d: forced %v", n, forced)
		}
	}
	if res := b.do(engine.Op{Code: engine.Read, File: f, Buf: b.buf(4)}, engine.Op{Code: engine.Read, File: f, Buf: b.buf(4)}, engine.Op{Code: engine.Read, File: f, Buf: b.buf(4)}); res[0] != 4 || res[1] != 4 || res[2] != 4 {
		t.Errorf("%v", res)
	}
}

// A priority reaches the kernel: one that there is not is refused.
func TestPriority(t *testing.T) {
	b := newFixture(t, 4, best)
	f := b.file("f", "text", 0, true)
	op := engine.Op{Code: engine.Read, File: f, Buf: b.buf(4), Prio: 0x6000}
	if res := b.do(op)[0]; res != 4 {
		t.Errorf("idle: %d", res)
	}
	op.Prio = 7 << 13
	if res := b.do(op)[0]; res != -int64(unix.EINVAL) {
		t.Errorf("a class that there is not: %d, want EINVAL", res)
	}
}

// What passes through the page cache does not stay there.
func TestUncached(t *testing.T) {
	b := withOptions(t, map[string]string{"uncached": "1"})
	f := b.file("f", strings.Repeat("x", 1<<16), 0, true)
	check(t, unix.Fsync(f.FD))
	check(t, unix.Fadvise(f.FD, 0, 0, unix.FADV_DONTNEED))
	err := b.Submit([]engine.Op{{Code: engine.Read, File: f, Buf: b.buf(1 << 16)}}, []uint32{0})
	if errors.Is(err, unix.EOPNOTSUPP) {
		t.Skip("SKIPPED: ", err)
	}
	check(t, err)
	out := make([]engine.Completion, 1)
	if n, err := b.Wait(out, 1, engine.NoDeadline); n != 1 || err != nil || out[0].Res != 1<<16 {
		t.Fatal(n, err, out)
	}
	// Of the pages only the first, which the option was tried on, may be cached.
	m, err := unix.Mmap(f.FD, 0, 1<<16, unix.PROT_READ, unix.MAP_SHARED)
	check(t, err)
	defer unix.Munmap(m)
	if n := resident(t, m); n > 1 {
		t.Errorf("%d of 16 pages are cached", n)
	}
}

// TestRefusedOption asks for what tmpfs can't do: no I/O is done, and the ring
// can be closed.
func TestRefusedOption(t *testing.T) {
	for _, chained := range []bool{false, true} {
		fs, err := osfs.Open(enginetest.Tmpfs(t))
		check(t, err)
		fd, err := fs.Open("f", unix.O_RDWR|unix.O_CREAT, 0o644)
		check(t, err)
		f := &engine.File{Node: &engine.Node{}, Name: "f", FD: fd}
		runtime.LockOSThread()
		e, err := Open(engine.Config{Slots: 2, FS: fs, Options: map[string]string{"uncached": "1"}})
		skipUnavailable(t, err)
		ops := []engine.Op{{Code: engine.Write, File: f, Buf: make([]byte, 10)}, {Code: engine.Fsync, File: f}}
		if chained {
			ops[0].Flags = engine.Link
		}
		err = e.Submit(ops, []uint32{0, 1})
		const want = `io_uring: option uncached on file "f": tmpfs refuses it: leave the option out, or use another file system: operation not supported`
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
		check(t, e.Close())
		runtime.UnlockOSThread()
		if n, err := fs.Size(fd); n != 0 || err != nil {
			t.Errorf("%d bytes were written, %v", n, err)
		}
		check(t, errors.Join(fs.Close(fd), fs.Shutdown()))
	}
}

// On a polled ring the rest is done by helpers, and waits, deadlines and wakes are
// as on any other.
func TestPolledRing(t *testing.T) {
	b := withOptions(t, map[string]string{"hipri": "1"})
	f := b.file("f", "text", 0, true)
	got := b.do(
		engine.Op{Code: engine.Nop},
		engine.Op{Code: engine.Mkdir, Meta: &engine.Meta{Path: "d", Perm: 0o755}},
		engine.Op{Code: engine.Fsync, Flags: engine.Link, File: f},
		engine.Op{Code: engine.Truncate, File: f, Len: 100},
		engine.Op{Code: engine.Stat, Meta: &engine.Meta{Path: "none"}},
	)
	if want := []int64{0, 0, 0, 0, -int64(unix.ENOENT)}; !slices.Equal(got, want) {
		t.Errorf("results %v, want %v", got, want)
	}
	out := make([]engine.Completion, 1)
	deadline := b.Now() + longWait
	if n, err := b.Wait(out, 1, deadline); n != 0 || err != nil || b.Now() < deadline {
		t.Errorf("before the deadline: %d, %v", n, err)
	}
	go b.Wake()
	if n, err := b.Wait(out, 1, engine.NoDeadline); n != 0 || err != nil {
		t.Errorf("woken: %d, %v", n, err)
	}
	err := b.Submit([]engine.Op{{Code: engine.Read, File: f, Buf: b.buf(4)}}, []uint32{0})
	const want = `io_uring: option hipri on file "f": only direct I/O can be polled for: open it with direct = true`
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// TestRefusedLater asks for what can't be done in an operation that is linked to others: the ring can be
// closed though the wait that met it handed out what had completed before.
func TestRefusedLater(t *testing.T) {
	b := withOptions(t, map[string]string{"hipri": "1"})
	f := b.file("f", "text", 0, true)
	ops := []engine.Op{
		{Code: engine.Fsync, Flags: engine.Link, File: f},
		{Code: engine.Read, Flags: engine.Link, File: f, Buf: b.buf(4)},
		{Code: engine.Fsync, File: f},
	}
	check(t, b.Submit(ops, []uint32{0, 1, 2}))
	out := make([]engine.Completion, len(ops))
	if _, err := b.Wait(out, len(ops), engine.NoDeadline); err == nil || !strings.Contains(err.Error(), "option hipri on file") {
		t.Errorf("error %v", err)
	}
} // the fixture closes the ring

// TestPolledReads reads direct where the device can be polled, and is told why
// not where it can't.
func TestPolledReads(t *testing.T) {
	b := withOptions(t, map[string]string{"hipri": "1"})
	b.file("f", strings.Repeat("x", 64<<10), 0, true)
	fd, err := b.fs.Open("f", unix.O_RDONLY|unix.O_DIRECT, 0)
	if err != nil {
		t.Skip("SKIPPED: no direct I/O in the temporary directory: ", err)
	}
	defer func() { check(t, b.fs.Close(fd)) }()
	f := &engine.File{Node: &engine.Node{}, Name: "f", FD: fd, ID: 1, Direct: true}
	ops := make([]engine.Op, 8)
	slots := make([]uint32, len(ops))
	for i := range ops {
		ops[i] = engine.Op{Code: engine.Read, File: f, Buf: b.buf(4096), Off: int64(i) * 4096}
		slots[i] = uint32(i)
	}
	if err := b.Submit(ops, slots); err != nil {
		if !strings.HasPrefix(err.Error(), fmt.Sprintf("io_uring: option hipri on file %q: ", "f")) {
			t.Error(err)
		}
		t.Skip("SKIPPED, polled reads untested here: ", err)
	}
	out := make([]engine.Completion, len(ops))
	for done := 0; done < len(ops); {
		n, err := b.Wait(out, len(ops)-done, engine.NoDeadline)
		check(t, err)
		for _, c := range out[:n] {
			if c.Res != 4096 {
				t.Errorf("slot %d: %d", c.Slot, c.Res)
			}
		}
		done += n
	}
}

// What a client opens on tmpfs is open as all else is there: without O_NONBLOCK the kernel would hand each of
// its reads to another thread.
func TestOpenedOnTmpfs(t *testing.T) {
	fs, err := osfs.Open(enginetest.Tmpfs(t))
	check(t, err)
	defer func() { check(t, fs.Shutdown()) }()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	e, err := Open(engine.Config{Slots: 1, FS: fs})
	skipUnavailable(t, err)
	defer func() { check(t, e.Close()) }()
	fd := enginetest.Do(t, e, engine.Op{Code: engine.Create, Meta: &engine.Meta{Path: "f", Flags: unix.O_RDWR | unix.O_CREAT | unix.O_EXCL, Perm: 0o600}})
	if fd < 0 {
		t.Fatal(unix.Errno(-fd))
	}
	defer func() { check(t, fs.Close(int(fd))) }()
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if check(t, err); flags&unix.O_NONBLOCK == 0 {
		t.Errorf("flags %#x without O_NONBLOCK", flags)
	}
}
