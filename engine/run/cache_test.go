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

// After Invalidate nothing of a file is in memory, though it was dirty.
func TestInvalidate(t *testing.T) {
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
	defer files.Shutdown()
	fd, err := files.Open("f", unix.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	f := &engine.File{Name: "f", FD: fd}
	if n := resident(t, fd, size); n == 0 {
		t.Skip("what was just written is not in memory here")
	}
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
