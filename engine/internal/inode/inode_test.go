package inode

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// Without statx the same is told, but for what only statx knows.
func TestWithoutStatx(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f"), make([]byte, 10_000), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("f", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	d, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	fd := int(d.Fd())
	for _, name := range []string{"", "f", "link", "absent"} {
		want, wantErr := At(fd, name)
		for _, errno := range []unix.Errno{unix.ENOSYS, unix.EPERM} {
			got, err := at(fd, name, func(int, string, int, int, *unix.Statx_t) error { return errno })
			if err != wantErr {
				t.Errorf("%q: %v, want %v", name, err, wantErr)
			}
			if got.Mask&unix.STATX_BTIME != 0 {
				t.Errorf("%q: a time of birth", name)
			}
			if got.Ino != want.Ino || got.Mode != want.Mode || got.Nlink != want.Nlink || got.Size != want.Size || got.Blocks != want.Blocks ||
				got.Mtime != want.Mtime || got.Ctime != want.Ctime || got.Dev_major != want.Dev_major || got.Dev_minor != want.Dev_minor {
				t.Errorf("%q: %+v, want %+v", name, got, want)
			}
		}
	}
}
