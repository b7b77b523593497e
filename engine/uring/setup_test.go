package uring

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/memfs"
	"moonio/engine/osfs"
)

func TestProbe(t *testing.T) {
	features, err := Probe()
	skipUnavailable(t, err)
	r, err := openRing(1, 2, setups, new(options))
	check(t, err)
	defer func() { check(t, r.close()) }()
	for _, s := range setupNames {
		if in := slices.Contains(features, s.name); in != (r.flags&s.flag != 0) {
			t.Errorf("%s among the features: %v", s.name, in)
		}
	}
}

// TestSetups checks that every way of setting a ring up that is given later asks for less.
func TestSetups(t *testing.T) {
	for i, flags := range setups {
		r, err := openRing(8, 16, setups[i:], new(options))
		skipUnavailable(t, err)
		if r.flags&^(flags|setupCQSize) != 0 {
			t.Errorf("asked for flags %#x and less, got %#x", flags, r.flags)
		}
		if len(r.sqes) != 8 || len(r.cqes) != 16 {
			t.Errorf("%d entries and %d completions, want 8 and 16", len(r.sqes), len(r.cqes))
		}
		check(t, r.close())
	}
}

func TestUnavailable(t *testing.T) {
	for _, c := range []struct {
		errno unix.Errno
		want  string
	}{
		{unix.ENOSYS, "this kernel has no io_uring"},
		{unix.EPERM, "forbid"},
		{unix.EINVAL, "Linux 5.10"},
		{unix.ENOMEM, "RLIMIT_MEMLOCK"},
		{unix.EMFILE, "too many open files"},
	} {
		err := unavailable(c.errno)
		if !errors.Is(err, engine.ErrUnavailable) || !errors.Is(err, c.errno) {
			t.Errorf("%v does not wrap both causes", err)
		}
		if !strings.HasPrefix(err.Error(), "io_uring is not available here: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q does not say %q", err, c.want)
		}
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
		{engine.Config{Slots: 1, FS: fs, Options: map[string]string{"speed": "9"}}, `io_uring has no option "speed"; it has hipri, sqpoll, sqpoll_idle, sqpoll_cpu, force_async, registerfiles, fixedbufs, ioprio, uncached, nowait, nonvectored`},
		{engine.Config{Slots: 0, FS: fs}, "io_uring takes 1 to 32767 operations in flight on a thread, not 0: more threads share out what a phase's jobs have in flight, as with threads = 2"},
		{engine.Config{Slots: 40000, FS: fs}, "io_uring takes 1 to 32767 operations in flight on a thread, not 40000: more threads share out what a phase's jobs have in flight, as with threads = 2"},
		{engine.Config{Slots: 1, FS: memfs.New()}, "io_uring: files must be on storage, and not in memory"},
	} {
		if e, err := Open(c.cfg); err == nil || err.Error() != c.want || e != nil {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// TestNotes checks what is said of registrations that were refused.
func TestNotes(t *testing.T) {
	var e Engine
	e.note("buffers are not registered", unix.ENOMEM)
	e.note("files are not registered", unix.EMFILE)
	const want = "buffers are not registered: RLIMIT_MEMLOCK (ulimit -l) is too low; files are not registered: RLIMIT_NOFILE (ulimit -n) is too low"
	if e.detail != want {
		t.Errorf("detail %q, want %q", e.detail, want)
	}
}
