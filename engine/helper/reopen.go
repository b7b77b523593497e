package helper

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"moonio/engine"
)

// Reopen opens a file that is open once more, for a descriptor of its own that has open's flags and O_CLOEXEC.
func Reopen(f *engine.File, flags int) (int, error) { return reopen("/proc/self/fd", f.FD, flags) }

var errNoProc = errors.New("it would be found in /proc/self/fd, and /proc is not mounted")

func reopen(descriptors string, fd, flags int) (int, error) {
	again, err := unix.Open(fmt.Sprintf("%s/%d", descriptors, fd), flags|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) && unix.Access(descriptors, unix.F_OK) != nil {
		return -1, errNoProc // the file is there: ENOENT would say it is not
	}
	return again, err
}
