package workdir_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"moonio/engine/workdir"
)

// What the running system is on is never filled to the last byte.
func TestBrim(t *testing.T) {
	for _, dir := range []string{"/", t.TempDir()} {
		if err := workdir.CheckBrim(dir, 1<<40); !errors.Is(err, workdir.ErrSystem) {
			t.Errorf("%s: %v", dir, err)
		}
	}
	if err := workdir.CheckBrim("/there/is/no/such", 1<<40); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skip("mounting a file system: ", err)
	}
	t.Cleanup(func() { unix.Unmount(dir, unix.MNT_DETACH) })
	if err := workdir.CheckBrim(dir, 8<<20); err != nil {
		t.Error(err)
	}
	if err := workdir.CheckBrim(dir, 2<<20); err == nil || !strings.Contains(err.Error(), "is in memory") {
		t.Error(err)
	}
}
