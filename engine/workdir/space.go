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

func checkSpace(statfs func(string, *unix.Statfs_t) error, dir string, need int64) error {
	var st unix.Statfs_t
	if err := statfs(dir, &st); err != nil {
		return fmt.Errorf("free space in %s: %w", dir, err)
	}
	if st.Blocks == 0 {
		return nil // the file system has no such figures
	}
	unit := uint64(st.Frsize)
	if unit == 0 {
		unit = uint64(st.Bsize)
	}
	total, free := float64(st.Blocks*unit), float64(st.Bavail*unit)
	kept := total / reserve
	if float64(need) <= free-kept {
		return nil
	}
	return fmt.Errorf("%w in %s: the files need %s; of %s %s are free, and %s (5 %%) stay so, which leaves %s; make the files smaller, make room, or use another --dir",
		ErrNoSpace, dir, units.ApproxSize(float64(need)), units.ApproxSize(total), units.ApproxSize(free), units.ApproxSize(kept),
		units.ApproxSize(max(0, free-kept)))
}
