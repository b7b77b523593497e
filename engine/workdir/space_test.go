package workdir

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"
)

func TestCheckSpace(t *testing.T) {
	// 1000 GiB, of which 100 can be had and 120 are free.
	disk := unix.Statfs_t{Frsize: 4096, Bsize: 1 << 20, Blocks: 1000 << 18, Bfree: 120 << 18, Bavail: 100 << 18}
	noFragments, noFigures := disk, unix.Statfs_t{}
	noFragments.Frsize, noFragments.Bsize = 0, 4096
	const gib = 1 << 30
	for _, c := range []struct {
		st   unix.Statfs_t
		need int64
		fits bool
	}{
		{disk, 0, true},
		{disk, 50 * gib, true},
		{disk, 50*gib + 1, false},
		{disk, 1 << 62, false},
		{noFragments, 50 * gib, true},
		{noFragments, 50*gib + 1, false},
		{noFigures, 1 << 62, true},
	} {
		err := checkSpace(func(_ string, st *unix.Statfs_t) error { *st = c.st; return nil }, "/data", c.need)
		if c.fits != (err == nil) || err != nil && !errors.Is(err, ErrNoSpace) {
			t.Errorf("%d bytes: %v", c.need, err)
		}
	}
	err := checkSpace(func(_ string, st *unix.Statfs_t) error { *st = disk; return nil }, "/data", 60*gib)
	const want = "not enough space in /data: the files need 60.0 GiB; of 1000 GiB 100 GiB are free, and 50.0 GiB (5 %) stay so, which leaves 50.0 GiB; make the files smaller, make room, or use another --dir"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestCheckSpaceForReal(t *testing.T) {
	dir := t.TempDir()
	noError(t, CheckSpace(dir, 4096))
	if err := CheckSpace(dir, 1<<62); !errors.Is(err, ErrNoSpace) {
		t.Errorf("4 EiB: %v", err)
	}
	if err := CheckSpace(dir+"/missing", 0); !errors.Is(err, unix.ENOENT) {
		t.Errorf("missing directory: %v", err)
	}
}
