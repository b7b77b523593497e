package osfs

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// TestNonblockOnTmpfs sees that files are opened so that io_uring reads them at once
// where nothing can block, and only there.
func TestNonblockOnTmpfs(t *testing.T) {
	for _, parent := range []string{t.TempDir(), "/dev/shm"} {
		t.Run(parent, func(t *testing.T) {
			dir, err := os.MkdirTemp(parent, "osfs")
			if err != nil {
				t.Skipf("no directory to try: %v", err)
			}
			defer os.RemoveAll(dir)
			var st unix.Statfs_t
			if err := unix.Statfs(dir, &st); err != nil {
				t.Fatal(err)
			}
			fs, err := Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer fs.Shutdown()
			fd, err := fs.Open("f", unix.O_RDWR|unix.O_CREAT, 0o600)
			if err != nil {
				t.Fatal(err)
			}
			defer fs.Close(fd)
			flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
			if err != nil {
				t.Fatal(err)
			}
			got, want := flags&unix.O_NONBLOCK != 0, st.Type == unix.TMPFS_MAGIC
			if got != want {
				t.Errorf("O_NONBLOCK is %v on a file system of type %#x, want %v", got, st.Type, want)
			}
		})
	}
}
