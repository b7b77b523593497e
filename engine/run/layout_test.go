package run

import (
	"bytes"
	"compress/flate"
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/osfs"
	"moonio/engine/pool"
)

func poolSession(t *testing.T) (*Session, string) {
	t.Helper()
	dir := t.TempDir()
	fs, err := osfs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = fs.Shutdown() })
	return &Session{FS: fs, Engine: pool.Open, Seed: 1}, dir
}

// A file that is laid out has its blocks, each unlike any other of the run, and they do
// not compress.
func TestLayout(t *testing.T) {
	s, dir := poolSession(t)
	seen := map[[4096]byte]string{}
	for name, c := range map[string]struct{ from, to int64 }{
		"direct": {0, 5 << 20}, "buffered": {0, 3<<20 + 100}, "other": {0, 5 << 20},
		"block": {0, 4096}, "tiny": {0, 100}, "long": {0, 9<<20 + 5}, "odd": {0, 1<<20 + 4096},
	} {
		if err := s.Layout(t.Context(), name, c.from, c.to); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || int64(len(data)) != c.to {
			t.Fatalf("%s: %d bytes, want %d: %v", name, len(data), c.to, err)
		}
		var st unix.Stat_t
		if err := unix.Stat(filepath.Join(dir, name), &st); err != nil || st.Blocks*512 < c.to {
			t.Errorf("%s: %d bytes on the disk, want %d: %v", name, st.Blocks*512, c.to, err)
		}
		for b := data; len(b) >= 4096; b = b[4096:] {
			if first, ok := seen[[4096]byte(b)]; ok {
				t.Fatalf("a block of %s is one of %s", name, first)
			}
			seen[[4096]byte(b)] = name
		}
		var packed bytes.Buffer
		w, _ := flate.NewWriter(&packed, flate.BestSpeed)
		part := data[:min(1<<20, len(data))]
		_, _ = w.Write(part)
		_ = w.Close()
		if packed.Len() < len(part) {
			t.Errorf("%s: %d bytes were compressed to %d", name, len(part), packed.Len())
		}
	}
	// What is there already stays.
	before, _ := os.ReadFile(filepath.Join(dir, "direct"))
	if err := s.Layout(t.Context(), "direct", 5<<20, 6<<20); err != nil {
		t.Fatal(err)
	}
	after, _ := os.ReadFile(filepath.Join(dir, "direct"))
	if len(after) != 6<<20 || !bytes.Equal(after[:5<<20], before) {
		t.Errorf("laid out further, the file has %d bytes, or others at its beginning", len(after))
	}
}

func TestLayoutInMemory(t *testing.T) {
	s := nullSession(t)
	f := s.testFile(t, "f", 1<<20)
	if f.Size() != 1<<20 {
		t.Errorf("%d bytes", f.Size())
	}
	if err := s.Layout(t.Context(), "f", 0, 2<<20); err != nil || f.Size() != 2<<20 {
		t.Errorf("%d bytes, want 2 MiB: %v", f.Size(), err)
	}
	if err := s.Layout(t.Context(), "f", 0, 1<<20); err != nil || f.Size() != 2<<20 {
		t.Errorf("%d bytes, want what there was: %v", f.Size(), err)
	}
	if size, _, err := s.FS.Stat("f"); size != 2<<20 || err != nil {
		t.Errorf("%d bytes are there: %v", size, err)
	}
}

// A layout ends when it is told to, and has closed what it opened.
func TestLayoutInterrupted(t *testing.T) {
	s, dir := poolSession(t)
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	s.Progress = func(p Progress) {
		if calls++; !p.Layout || p.Share <= 0 || p.Share > 1 {
			t.Errorf("progress %+v", p)
		}
		cancel()
	}
	err := s.Layout(ctx, "f", 0, 256<<20)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if st, err := os.Stat(filepath.Join(dir, "f")); err != nil || st.Size() > 32<<20 {
		t.Errorf("%d bytes were written all the same: %v", st.Size(), err)
	}
	if fds, _ := os.ReadDir("/proc/self/fd"); len(fds) > 0 {
		for _, fd := range fds {
			if to, _ := os.Readlink("/proc/self/fd/" + fd.Name()); to == filepath.Join(dir, "f") {
				t.Error("the file is still open")
			}
		}
	}
}

// What the storage refuses is said, and a short write is carried on.
func TestLayoutFaults(t *testing.T) {
	s, dir := poolSession(t)
	open := s.Engine
	with := func(rule string) {
		s.Engine = func(c engine.Config) (engine.Engine, error) {
			e, err := open(c)
			return rules(t, rule)(e, 1), err
		}
	}
	with("write:errno=ENOSPC,nth=2")
	err := s.Layout(t.Context(), "f", 0, 4<<20)
	var e *OpError
	if !errors.Is(err, syscall.ENOSPC) || !errors.As(err, &e) {
		t.Errorf("%v", err)
	}
	with("write:short=8192,every=3")
	if err := s.Layout(t.Context(), "g", 0, 4<<20); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "g"))
	if err != nil || len(data) != 4<<20 || bytes.Contains(data, make([]byte, 64)) {
		t.Errorf("%d bytes, or zeros among them: %v", len(data), err)
	}
}
