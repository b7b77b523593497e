package helper

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// Without /proc it is not the file that is missing.
func TestReopenWithoutProc(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "f"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := reopen(filepath.Join(t.TempDir(), "fd"), int(f.Fd()), unix.O_RDONLY); err != errNoProc {
		t.Errorf("got %v, want %v", err, errNoProc)
	}
	fd, err := reopen("/proc/self/fd", int(f.Fd()), unix.O_RDONLY)
	if err != nil {
		t.Fatal(err)
	}
	unix.Close(fd)
	if _, err := reopen("/proc/self/fd", fd, unix.O_RDONLY); !errors.Is(err, unix.ENOENT) {
		t.Errorf("of a closed file: %v", err)
	}
}
