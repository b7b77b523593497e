package uring

import (
	"bytes"
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/enginetest"
	"moonio/engine/osfs"
)

// fixture is an engine on an empty directory, with buffers.
type fixture struct {
	testing.TB
	*Engine
	fs    *osfs.FS
	arena *engine.Arena
}

// newFixture locks the goroutine to its thread until the test's end.
func newFixture(t testing.TB, slots int, open func(engine.Config) (*Engine, error)) *fixture {
	t.Helper()
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	fs, err := osfs.Open(t.TempDir())
	check(t, err)
	t.Cleanup(func() { check(t, fs.Shutdown()) })
	arena, err := engine.NewArena(64<<10, nil)
	check(t, err)
	t.Cleanup(func() { check(t, arena.Close()) })
	e, err := open(engine.Config{Slots: slots, FS: fs, Arena: arena})
	skipUnavailable(t, err)
	t.Cleanup(func() { check(t, e.Close()) })
	return &fixture{t, e, fs, arena}
}

func best(cfg engine.Config) (*Engine, error) { return open(cfg, setups) }

// file makes a file that holds text.
func (b *fixture) file(name, text string, id uint32, pinned bool) *engine.File {
	b.Helper()
	fd, err := b.fs.Open(name, unix.O_RDWR|unix.O_CREAT, 0o644)
	check(b, err)
	b.Cleanup(func() { _ = b.fs.Close(fd) })
	_, err = unix.Pwrite(fd, []byte(text), 0)
	check(b, err)
	return &engine.File{Node: &engine.Node{}, Name: name, FD: fd, ID: id, Pinned: pinned}
}

func (b *fixture) buf(n int) []byte {
	b.Helper()
	buf, err := b.arena.Get(n)
	check(b, err)
	return buf
}

// do submits ops in one call, in slots from 0, and returns their results.
func (b *fixture) do(ops ...engine.Op) []int64 {
	b.Helper()
	slots := make([]uint32, len(ops))
	for i := range slots {
		slots[i] = uint32(i)
	}
	check(b, b.Submit(ops, slots))
	res := make([]int64, len(ops))
	out := make([]engine.Completion, len(ops))
	for got := 0; got < len(ops); {
		n, err := b.Wait(out, len(ops)-got, engine.NoDeadline)
		check(b, err)
		for _, c := range out[:n] {
			res[c.Slot] = c.Res
		}
		got += n
	}
	return res
}

func (b *fixture) reads(f *engine.File, want string) {
	b.Helper()
	buf := b.buf(len(want))
	if res := b.do(engine.Op{Code: engine.Read, File: f, Buf: buf})[0]; res != int64(len(want)) || string(buf) != want {
		b.Errorf("reading %s: %d, %q, want %q", f.Name, res, buf, want)
	}
}

// TestRegisteredFiles reuses an ID and a descriptor: the file that was
// registered under them must not be read any more.
func TestRegisteredFiles(t *testing.T) {
	b := newFixture(t, 4, best)
	first := b.file("first", "one", 7, true)
	b.reads(first, "one")
	if b.files[7] != first {
		t.Error("a pinned file was not registered at its first use")
	}
	check(t, b.fs.Close(first.FD))
	second := b.file("second", "two", 7, true)
	if second.FD != first.FD {
		t.Fatalf("descriptors %d and %d are not the same", first.FD, second.FD)
	}
	b.reads(second, "two")

	if res := b.do(engine.Op{Code: engine.Close, File: second}); res[0] != 0 || b.files[7] != nil {
		t.Errorf("close: %d, and the file is registered still: %v", res[0], b.files[7] != nil)
	}
	b.reads(b.file("loose", "three", 8, false), "three")
	b.reads(b.file("high", "four", maxFiles, true), "four")
	if b.files[8] != nil {
		t.Error("a file that is not pinned was registered")
	}
}

// TestFixedBuffers transfers on both sides of the registered buffer's end.
func TestFixedBuffers(t *testing.T) {
	b := newFixture(t, 4, best)
	if b.fixedLen != 64<<10 {
		t.Skipf("SKIPPED, registered buffers untested here: %s", b.detail)
	}
	f := b.file("f", "", 0, true)
	for i, n := range []int{64 << 10, 4096, 4096} { // the arena's second chunk comes second
		buf := b.buf(n)
		for j := range buf {
			buf[j] = byte(i + 1)
		}
		var s sqe
		b.fill(&s, &engine.Op{Code: engine.Write, File: f, Buf: buf}, 0)
		if want := map[bool]uint8{true: opWriteFixed, false: opWrite}[i == 0]; s.opcode != want {
			t.Errorf("buffer %d goes by opcode %d, want %d", i, s.opcode, want)
		}
		back := make([]byte, n)
		if res := b.do(engine.Op{Code: engine.Write, File: f, Buf: buf})[0]; res != int64(n) {
			t.Errorf("write: %d, want %d", res, n)
		}
		_, err := unix.Pread(f.FD, back, 0)
		check(t, err)
		if !bytes.Equal(back, buf) {
			t.Errorf("buffer %d was not written", i)
		}
	}
}

// TestFullRing submits more than the ring has entries, chains among it. A chain
// must not be torn where the ring is full: its end would go on after a failure.
func TestFullRing(t *testing.T) {
	const n = 3 * maxEntries
	b := newFixture(t, n, best)
	f := b.file("f", "text", 0, true)
	bad := engine.Op{Code: engine.Read, Flags: engine.Link, File: f, Buf: b.buf(16)} // short
	ops := make([]engine.Op, n)
	want := make([]int64, n)
	for i := 0; i < n; i += 3 {
		ops[i], want[i] = bad, 4
		ops[i+1], want[i+1] = engine.Op{Code: engine.Nop, Flags: engine.Link}, -int64(unix.ECANCELED)
		ops[i+2], want[i+2] = engine.Op{Code: engine.Nop}, -int64(unix.ECANCELED)
	}
	if got := b.do(ops...); !slices.Equal(got, want) {
		t.Error("results differ from those of chains that were kept whole")
	}
}

// TestLongChain links more operations than the ring has entries.
func TestLongChain(t *testing.T) {
	const length = maxEntries + 1
	b := newFixture(t, length, best)
	ops := make([]engine.Op, length)
	for i := range ops {
		ops[i] = engine.Op{Code: engine.Nop, Flags: engine.Link}
	}
	if got := b.do(ops...); !slices.Equal(got, make([]int64, length)) {
		t.Error("not every operation succeeded")
	}
	if b.InFlight() != 0 {
		t.Errorf("%d operations are in flight still", b.InFlight())
	}
}

// TestMixedChains links what goes through the ring with what helpers do, and
// names with names that only exist when their turn comes.
func TestMixedChains(t *testing.T) {
	canceled := -int64(unix.ECANCELED)
	for name, open := range map[string]func(engine.Config) (*Engine, error){"best": best, "plain": openPlain} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, 8, open)
			f := b.file("f", "", 0, true)
			link := func(op engine.Op) engine.Op {
				op.Flags |= engine.Link
				return op
			}
			list := &engine.Meta{Path: "d"}
			stat := &engine.Meta{Path: "d/g"}
			got := b.do(
				link(engine.Op{Code: engine.Write, File: f, Buf: b.buf(100)}),
				link(engine.Op{Code: engine.Fdatasync, File: f}),
				link(engine.Op{Code: engine.Mkdir, Meta: &engine.Meta{Path: "d", Perm: 0o755}}),
				link(engine.Op{Code: engine.Rename, Meta: &engine.Meta{Path: "f", Path2: "d/g"}}),
				link(engine.Op{Code: engine.Truncate, File: f, Len: 50}),
				link(engine.Op{Code: engine.List, Meta: list}),
				engine.Op{Code: engine.Stat, Meta: stat},
			)
			if want := []int64{100, 0, 0, 0, 0, 0, 0}; !slices.Equal(got, want) {
				t.Errorf("results %v, want %v", got, want)
			}
			if !slices.Equal(list.Names, []string{"g"}) || stat.Size != 50 {
				t.Errorf("list %q, size %d", list.Names, stat.Size)
			}
			got = b.do(
				link(engine.Op{Code: engine.Nop}),
				link(engine.Op{Code: engine.List, Meta: &engine.Meta{Path: "none"}}),
				engine.Op{Code: engine.Fsync, File: f},
				engine.Op{Code: engine.List, Meta: &engine.Meta{Path: "."}},
				link(engine.Op{Code: engine.Read, Off: -1, File: f, Buf: b.buf(1)}),
				engine.Op{Code: engine.Nop},
			)
			if want := []int64{0, -int64(unix.ENOENT), canceled, 0, -int64(unix.EINVAL), canceled}; !slices.Equal(got, want) {
				t.Errorf("results %v, want %v", got, want)
			}
		})
	}
}

// TestCannotStart is about operations that no kernel ever sees.
func TestCannotStart(t *testing.T) {
	b := newFixture(t, 8, best)
	f := b.file("f", "text", 0, true)
	got := b.do(
		engine.Op{Code: engine.Read, Buf: b.buf(1)},
		engine.Op{Code: engine.Fsync},
		engine.Op{Code: engine.Read, File: f, Buf: b.buf(1), Off: -1},
		engine.Op{Code: engine.Allocate, File: f, Off: -1, Len: 1},
		engine.Op{Code: engine.Stat},
		engine.Op{Code: engine.NumOpCodes},
		engine.Op{Code: engine.Stat, Meta: &engine.Meta{Path: "a\x00b"}},
		engine.Op{Code: engine.SyncRange, File: f, Len: 1 << 33}, // more than an SQE holds
	)
	inval, badf := -int64(unix.EINVAL), -int64(unix.EBADF)
	if want := []int64{badf, badf, inval, inval, inval, inval, inval, 0}; !slices.Equal(got, want) {
		t.Errorf("results %v, want %v", got, want)
	}
}

// pipe returns a file whose reads stay in flight until something is written.
func (b *fixture) pipe() (f *engine.File, write func(string)) {
	b.Helper()
	var p [2]int
	check(b, unix.Pipe2(p[:], unix.O_CLOEXEC))
	b.Cleanup(func() {
		check(b, unix.Close(p[0]))
		check(b, unix.Close(p[1]))
	})
	return &engine.File{Node: &engine.Node{}, FD: p[0]}, func(s string) {
		_, err := unix.Write(p[1], []byte(s))
		check(b, err)
	}
}

// longWait is, in nanoseconds, longer than a wait is kept from the scheduler.
const longWait = 3_000_000

// TestBlockedReads waits for, is woken over, and cancels reads that don't end
// by themselves, on every kind of ring.
func TestBlockedReads(t *testing.T) {
	for name, open := range map[string]func(engine.Config) (*Engine, error){"best": best, "plain": openPlain} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, 4, open)
			f, write := b.pipe()
			out := make([]engine.Completion, 4)
			ops := []engine.Op{{Code: engine.Read, File: f, Buf: b.buf(8)}, {Code: engine.Nop}}
			check(t, b.Submit(ops, []uint32{0, 1}))
			// One of two completes. The wait outlasts its raw part.
			deadline := b.Now() + longWait
			n, err := b.Wait(out, 2, deadline)
			check(t, err)
			if n != 1 || out[0].Slot != 1 || b.Now() < deadline {
				t.Errorf("before the deadline: %v", out[:n])
			}
			go func() {
				for b.Now() < deadline+longWait {
					runtime.Gosched()
				}
				b.Wake()
			}()
			if n, err := b.Wait(out, 1, engine.NoDeadline); n != 0 || err != nil {
				t.Errorf("woken: %v, %v", out[:n], err)
			}
			go write("text")
			if n, err := b.Wait(out, 1, engine.NoDeadline); n != 1 || err != nil || out[0] != (engine.Completion{Slot: 0, Res: 4}) {
				t.Errorf("after the write: %v, %v", out[:n], err)
			}

			check(t, b.Submit(ops, []uint32{0}))
			if n, err := b.Wait(out, 0, 0); n != 0 || err != nil {
				t.Errorf("with nothing to read: %v, %v", out[:n], err)
			}
			b.Cancel(0)
			if n, err := b.Wait(out, 1, engine.NoDeadline); n != 1 || err != nil || out[0].Res != -int64(unix.ECANCELED) {
				t.Errorf("canceled: %v, %v", out[:n], err)
			}
			for range 100 {
				b.Cancel(0) // finds nothing, and must not fill the completion ring
			}
			if res := b.do(engine.Op{Code: engine.Nop}); res[0] != 0 {
				t.Errorf("afterwards: %d", res[0])
			}
		})
	}
}

// TestBurst takes all of what completed together.
func TestBurst(t *testing.T) {
	enginetest.Burst(t, enginetest.Target{FS: enginetest.Dir, Open: func(cfg engine.Config) (engine.Engine, error) { return best(cfg) }})
}

// TestWrongThread uses a ring that belongs to another thread.
func TestWrongThread(t *testing.T) {
	b := newFixture(t, 1, best)
	if b.ring.flags&setupSingleIssuer == 0 {
		t.Skip("SKIPPED: this kernel's rings have no owner")
	}
	b.do(engine.Op{Code: engine.Nop})
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		b.ring.enterFD, b.ring.enter = b.ring.fd, 0 // a registered ring is the owner's only
		if err := b.Submit([]engine.Op{{Code: engine.Nop}}, []uint32{0}); err != nil {
			done <- err
			return
		}
		_, err := b.Wait(make([]engine.Completion, 1), 1, engine.NoDeadline)
		done <- err
	}()
	if err := <-done; !errors.Is(err, unix.EEXIST) {
		t.Errorf("error %v, want EEXIST", err)
	}
}

func TestWakeAfterClose(t *testing.T) {
	fs, err := osfs.Open(t.TempDir())
	check(t, err)
	defer func() { check(t, fs.Shutdown()) }()
	e, err := Open(engine.Config{Slots: 1, FS: fs})
	skipUnavailable(t, err)
	check(t, e.Close())
	// The eventfd's number may be a file's by now.
	name := filepath.Join(t.TempDir(), "f")
	fd, err := unix.Open(name, unix.O_RDWR|unix.O_CREAT|unix.O_CLOEXEC, 0o600)
	check(t, err)
	defer unix.Close(fd)
	e.Wake()
	var st unix.Stat_t
	if check(t, unix.Fstat(fd, &st)); st.Size != 0 {
		t.Errorf("%d bytes were written to a file", st.Size)
	}
}

func TestHotPathAllocatesNothing(t *testing.T) {
	const depth = 32
	b := newFixture(t, depth, best)
	f := b.file("f", string(make([]byte, 4096)), 0, true)
	ops := make([]engine.Op, depth)
	slots := make([]uint32, depth)
	for i := range ops {
		ops[i] = engine.Op{Code: engine.Read, File: f, Buf: b.buf(4096)}
		slots[i] = uint32(i)
	}
	out := make([]engine.Completion, depth)
	allocs := testing.AllocsPerRun(100, func() {
		check(t, b.Submit(ops, slots))
		for got := 0; got < depth; {
			n, err := b.Wait(out, min(16, depth-got), engine.NoDeadline)
			check(t, err)
			got += n
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations in a turn of %d reads", allocs, depth)
	}
}
