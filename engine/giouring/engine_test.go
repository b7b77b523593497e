//go:build giouring

package giouring

import (
	"errors"
	"runtime"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/enginetest"
	"moonio/engine/memfs"
	"moonio/engine/osfs"
)

func TestConformance(t *testing.T) {
	enginetest.Run(t, enginetest.Target{FS: enginetest.Dir, Open: Open})
}

// TestBurst takes all of what completed together.
func TestBurst(t *testing.T) {
	enginetest.Burst(t, enginetest.Target{FS: enginetest.Dir, Open: Open})
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestOpenRefuses(t *testing.T) {
	fs, err := osfs.Open(t.TempDir())
	check(t, err)
	defer func() { check(t, fs.Shutdown()) }()
	for _, c := range []struct {
		cfg  engine.Config
		want string
	}{
		{engine.Config{Slots: 1, FS: fs, Options: map[string]string{"speed": "9"}}, `giouring has no option "speed": it takes none`},
		{engine.Config{Slots: 1 << 15, FS: fs}, "giouring takes 1 to 32767 operations in flight on a thread, not 32768: more threads share out what a phase's jobs have in flight, as with threads = 2"},
		{engine.Config{Slots: 1, FS: memfs.New()}, "giouring: files must be on storage, and not in memory"},
	} {
		if e, err := Open(c.cfg); err == nil || err.Error() != c.want || e != nil {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// TestSetups runs chains of ring and helper operations on every kind of ring.
func TestSetups(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	all := setups
	defer func() { setups = all }()
	for i := range all {
		setups = all[i:]
		fs, err := osfs.Open(t.TempDir())
		check(t, err)
		arena, err := engine.NewArena(1<<16, nil)
		check(t, err)
		e, err := Open(engine.Config{Slots: 8, FS: fs, Arena: arena})
		if errors.Is(err, engine.ErrUnavailable) {
			t.Skip("SKIPPED, giouring untested here: ", err)
		}
		check(t, err)
		fd, err := fs.Open("f", unix.O_RDWR|unix.O_CREAT, 0o600)
		check(t, err)
		f := &engine.File{Node: &engine.Node{}, FD: fd}
		buf, err := arena.Get(100)
		check(t, err)
		ops := []engine.Op{
			{Code: engine.Write, Flags: engine.Link | engine.DSync, File: f, Buf: buf},
			{Code: engine.Truncate, Flags: engine.Link, File: f, Len: 50},
			{Code: engine.Read, Flags: engine.Link, File: f, Buf: buf}, // short
			{Code: engine.Nop},
			{Code: engine.Read, File: f, Buf: buf, Off: -1},
		}
		check(t, e.Submit(ops, []uint32{0, 1, 2, 3, 4}))
		got := make([]int64, len(ops))
		out := make([]engine.Completion, len(ops))
		for done := 0; done < len(ops); {
			n, err := e.Wait(out, len(ops)-done, engine.NoDeadline)
			check(t, err)
			for _, c := range out[:n] {
				got[c.Slot] = c.Res
			}
			done += n
		}
		if want := []int64{100, 0, 50, -int64(unix.ECANCELED), -int64(unix.EINVAL)}; !slices.Equal(got, want) {
			t.Errorf("with setup %d: %v, want %v", i, got, want)
		}
		check(t, e.Close())
		check(t, fs.Close(fd))
		check(t, fs.Shutdown())
		check(t, arena.Close())
	}
}
