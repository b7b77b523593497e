package run

import (
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/memfs"
	"moonio/engine/osfs"
)

// resident is how many of a file's pages are in memory.
func resident(t *testing.T, fd, size int) int {
	t.Helper()
	b, err := unix.Mmap(fd, 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(b)
	pages := make([]byte, size/os.Getpagesize())
	if _, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&b[0])), uintptr(size), uintptr(unsafe.Pointer(&pages[0]))); errno != 0 {
		t.Fatal(errno)
	}
	n := 0
	for _, p := range pages {
		n += int(p & 1)
	}
	return n
}

// A stream that goes over its file again and again finds nothing of it in memory each time.
func TestForget(t *testing.T) {
	f, fd, size := cached(t)
	p := &phase{s: &Session{FS: f}, plan: &Phase{}}
	w := &Worker{p: p}
	s := &stream{course: &course{spec: &Stream{Forget: int64(size)}, targets: []*target{{file: &engine.File{Name: "f", FD: fd}}}}}
	s.kept.Store(s.spec.Forget)
	if err := unix.Fdatasync(fd); err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, true, false, true, false} { // whether it is still in memory when half of a pass begins
		if resident(t, fd, size) == 0 {
			if _, err := unix.Pread(fd, make([]byte, size), 0); err != nil {
				t.Fatal(err)
			}
		}
		s.forget(w, int64(size/2))
		if have := resident(t, fd, size) > 0; have != want {
			t.Errorf("in memory as half %d begins: %v, want %v", i, have, want)
		}
	}
	if p.err != nil {
		t.Error(p.err)
	}
}

// After Invalidate nothing of a file is in memory, though it was dirty.
func TestInvalidate(t *testing.T) {
	files, fd, size := cached(t)
	f := &engine.File{Name: "f", FD: fd}
	s := &Session{FS: files}
	if err := s.Invalidate(f); err != nil {
		t.Fatal(err)
	}
	if n := resident(t, fd, size); n != 0 {
		t.Errorf("%d pages are still in memory", n)
	}
	s.FS = memfs.New()
	if err := s.Invalidate(&engine.File{FD: -1}); err != nil {
		t.Error(err)
	}
}

// cached is a file that is in memory, and dirty.
func cached(t *testing.T) (files *osfs.FS, fd, size int) {
	t.Helper()
	dir, size := t.TempDir(), 64*os.Getpagesize()
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err == nil && fs.Type == unix.TMPFS_MAGIC {
		t.Skip("the temporary directory is in memory")
	}
	if err := os.WriteFile(filepath.Join(dir, "f"), make([]byte, size), 0o644); err != nil {
		t.Fatal(err)
	}
	files, err := osfs.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { files.Shutdown() })
	if fd, err = files.Open("f", unix.O_RDWR, 0); err != nil {
		t.Fatal(err)
	}
	if n := resident(t, fd, size); n == 0 {
		t.Skip("what was just written is not in memory here")
	}
	return files, fd, size
}
