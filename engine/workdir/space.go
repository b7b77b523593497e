package workdir

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"moonio/engine/units"
)

// ErrNoSpace is wrapped by CheckSpace's error for a layout that does not fit.
var ErrNoSpace = errors.New("not enough space")

// reserve is the part of a file system that a layout leaves free: one in so many.
const reserve = 20

// CheckSpace says whether need bytes more can be laid out in dir and leave 5 %
// of its file system free. What counts as free is what any user may take.
func CheckSpace(dir string, need int64) error { return checkSpace(unix.Statfs, dir, need) }

// Room is how many bytes more CheckSpace lets be laid out in dir; 0 if the file system does not say.
func Room(dir string) (int64, error) {
	total, free, err := space(unix.Statfs, dir)
	return int64(max(0, free-total/reserve)), err
}

// Free is how many bytes any user may take in dir; 0 if the file system does not say.
func Free(dir string) (int64, error) {
	_, free, err := space(unix.Statfs, dir)
	return int64(free), err
}

// space is how large the file system is, and how much of it is free; 0 if it has no such figures.
func space(statfs func(string, *unix.Statfs_t) error, dir string) (total, free float64, err error) {
	var st unix.Statfs_t
	if err := statfs(dir, &st); err != nil {
		return 0, 0, fmt.Errorf("free space in %s: %w", dir, err)
	}
	unit := uint64(st.Frsize)
	if unit == 0 {
		unit = uint64(st.Bsize)
	}
	return float64(st.Blocks * unit), float64(st.Bavail * unit), nil
}

func checkSpace(statfs func(string, *unix.Statfs_t) error, dir string, need int64) error {
	total, free, err := space(statfs, dir)
	if err != nil || total == 0 {
		return err
	}
	kept := total / reserve
	if float64(need) <= free-kept {
		return nil
	}
	return fmt.Errorf("%w in %s: the files need %s; of %s %s are free, and %s (5 %%) stay so, which leaves %s; make the files smaller, make room, or use another --dir",
		ErrNoSpace, dir, units.ApproxSize(float64(need)), units.ApproxSize(total), units.ApproxSize(free), units.ApproxSize(kept),
		units.ApproxSize(max(0, free-kept)))
}
