package helper

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/osfs"
)

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T) (*osfs.FS, *Waker) {
	t.Helper()
	fs, err := osfs.Open(t.TempDir())
	check(t, err)
	t.Cleanup(func() { check(t, fs.Shutdown()) })
	w, err := newWaker()
	check(t, err)
	t.Cleanup(func() { check(t, w.Close()) })
	return fs, w
}

// nudges blocks until there are some, and counts them.
func nudges(t *testing.T, w *Waker) uint64 {
	t.Helper()
	var b [8]byte
	_, err := unix.Read(w.FD(), b[:])
	check(t, err)
	return binary.NativeEndian.Uint64(b[:])
}

func TestWaker(t *testing.T) {
	_, w := open(t)
	if w.Asked() {
		t.Error("asked before any Wake")
	}
	w.Wake()
	w.Wake()
	if n := nudges(t, w); n != 1 {
		t.Errorf("two wakes nudged %d times, want once", n)
	}
	w.Nudge()
	if !w.Asked() || w.Asked() {
		t.Error("want asked, once")
	}
	check(t, w.Close())
	w.Wake() // must not write to what now has the descriptor's number
	check(t, w.Close())
}

func TestPool(t *testing.T) {
	fs, w := open(t)
	const n = 2 * maxWorkers
	p := newPool(fs, n, w)
	for i := range n {
		p.Start(uint32(i), &engine.Op{Code: engine.Mkdir, Meta: &engine.Meta{Path: fmt.Sprintf("d%03d", i/2), Perm: 0o755}})
	}
	p.Complete(n, 0) // as if it had been made and succeeded
	done := make([]engine.Completion, 0, n+1)
	for p.Running() > 0 {
		nudges(t, w)
		for c := (engine.Completion{}); p.Take(&c); {
			done = append(done, c)
		}
	}
	// Of each two that make the same directory, one succeeds.
	made, seen := 0, map[uint32]bool{}
	for _, c := range done {
		seen[c.Slot] = true
		switch c.Res {
		case 0:
			made++
		case -int64(unix.EEXIST):
		default:
			t.Errorf("slot %d: %d", c.Slot, c.Res)
		}
	}
	if len(done) != n+1 || len(seen) != n+1 || made != n/2+1 {
		t.Errorf("%d completions of %d slots, %d successes; want %d, %d, %d", len(done), len(seen), made, n+1, n+1, n/2+1)
	}
	if p.workers != maxWorkers {
		t.Errorf("%d workers, want %d", p.workers, maxWorkers)
	}
	p.Close()
}

func TestDo(t *testing.T) {
	fs, _ := open(t)
	meta := &engine.Meta{Path: "f", Flags: unix.O_RDWR | unix.O_CREAT | unix.O_EXCL, Perm: 0o600}
	f := &engine.File{FD: int(Do(fs, &engine.Op{Code: engine.Create, Meta: meta}))}
	if f.FD < 0 {
		t.Fatalf("create: %d", f.FD)
	}
	buf := []byte("0123456789")
	back := make([]byte, 20)
	stat := &engine.Meta{Path: "g"}
	list := &engine.Meta{Path: "."}
	for i, c := range []struct {
		op   engine.Op
		want int64
	}{
		{engine.Op{Code: engine.Nop}, 0},
		{engine.Op{Code: engine.Write, File: f, Buf: buf, Off: 5}, 10},
		{engine.Op{Code: engine.Append, Flags: engine.DSync, File: f, Buf: buf}, 10},
		{engine.Op{Code: engine.Read, File: f, Buf: back, Off: 1}, 14},
		{engine.Op{Code: engine.Fsync, File: f}, 0},
		{engine.Op{Code: engine.Fdatasync, File: f}, 0},
		{engine.Op{Code: engine.SyncRange, File: f, Len: 10}, 0},
		{engine.Op{Code: engine.Allocate, File: f, Len: 100}, 0},
		{engine.Op{Code: engine.Truncate, File: f, Len: 7}, 0},
		{engine.Op{Code: engine.Mkdir, Meta: &engine.Meta{Path: "d", Perm: 0o755}}, 0},
		{engine.Op{Code: engine.Rename, Meta: &engine.Meta{Path: "f", Path2: "g"}}, 0},
		{engine.Op{Code: engine.Stat, Meta: stat}, 0},
		{engine.Op{Code: engine.List, Meta: list}, 0},
		{engine.Op{Code: engine.Unlink, Meta: &engine.Meta{Path: "g"}}, 0},
		{engine.Op{Code: engine.Open, Meta: &engine.Meta{Path: "g"}}, -int64(unix.ENOENT)},
		{engine.Op{Code: engine.Unlink, Meta: &engine.Meta{Path: "d"}}, -int64(unix.EISDIR)},
		{engine.Op{Code: engine.Close, File: f}, 0},
		{engine.Op{Code: engine.Fsync, File: f}, -int64(unix.EBADF)},
		{engine.Op{Code: engine.Read}, -int64(unix.EBADF)},
		{engine.Op{Code: engine.Stat}, -int64(unix.EINVAL)},
	} {
		if got := Do(fs, &c.op); got != c.want {
			t.Errorf("%d, %v: %d, want %d", i, c.op.Code, got, c.want)
		}
	}
	if string(back[:14]) != "12345678956789" {
		t.Errorf("read %q", back[:14])
	}
	if stat.Size != 7 || stat.Dir || !slices.Equal(list.Names, []string{"d", "g"}) {
		t.Errorf("size %d, directory %v, names %q", stat.Size, stat.Dir, list.Names)
	}
}

func TestErrno(t *testing.T) {
	if got := Errno(fmt.Errorf("wrapped: %w", unix.ENOSPC)); got != -int64(unix.ENOSPC) {
		t.Errorf("a wrapped errno: %d", got)
	}
	if got := Errno(errors.New("no errno")); got != -int64(unix.EIO) {
		t.Errorf("another error: %d", got)
	}
}

func TestChains(t *testing.T) {
	ops := make([]engine.Op, 10)
	ops[4] = engine.Op{Code: engine.Write, Buf: make([]byte, 100)}
	ops[2] = engine.Op{Code: engine.Fsync}
	ops[7] = engine.Op{Code: engine.Read, Buf: make([]byte, 10)}
	for _, c := range []struct {
		what    string
		results []int64 // of the first two
		started int     // how many of the chain's three
	}{
		{"all succeed", []int64{100, 0}, 3},
		{"a short write", []int64{99, 0}, 1},
		{"a failed sync", []int64{100, -int64(unix.EIO)}, 2},
	} {
		chains := NewChains(10)
		if _, _, ok := chains.Done(4, 100); ok {
			t.Errorf("%s: something waited before any chain", c.what)
		}
		chain := []uint32{4, 2, 7}
		chains.Hold(ops, chain)
		started := 1
		for i, want := range chain[1:] {
			res := c.results[i]
			if started < i+1 {
				res = Canceled
			}
			next, op, ok := chains.Done(chain[i], res)
			if !ok || next != want {
				t.Fatalf("%s: after slot %d comes %d, %v", c.what, chain[i], next, ok)
			}
			if op != nil {
				started++
				if op.Code != ops[want].Code {
					t.Errorf("%s: slot %d is started as %v", c.what, want, op.Code)
				}
			}
		}
		if _, _, ok := chains.Done(7, 10); ok || chains.Held() != 0 || started != c.started {
			t.Errorf("%s: %d started, want %d; %d held", c.what, started, c.started, chains.Held())
		}
	}
}
