package uring

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

func setup(entries uint32, p *params) (int, error) {
	fd, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, uintptr(entries), uintptr(unsafe.Pointer(p)), 0)
	if errno != 0 {
		return -1, errno
	}
	return int(fd), nil
}

// register's arg points to what the operation wants, n of them.
func register(fd int, op uint32, arg unsafe.Pointer, n int) error {
	_, _, errno := unix.Syscall6(unix.SYS_IO_URING_REGISTER, uintptr(fd), uintptr(op), uintptr(arg), uintptr(n), 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// enter tells the scheduler, which can give this thread's processor to other
// goroutines and go on with a garbage collection.
func enter(fd int, submit, wait, flags uint32, arg *geteventsArg) (uint32, unix.Errno) {
	n, _, errno := unix.Syscall6(unix.SYS_IO_URING_ENTER, uintptr(fd), uintptr(submit), uintptr(wait), uintptr(flags),
		uintptr(unsafe.Pointer(arg)), argSize(arg))
	return uint32(n), errno
}

// enterRaw doesn't, which is cheaper by up to a microsecond.
func enterRaw(fd int, submit, wait, flags uint32, arg *geteventsArg) (uint32, unix.Errno) {
	n, _, errno := unix.RawSyscall6(unix.SYS_IO_URING_ENTER, uintptr(fd), uintptr(submit), uintptr(wait), uintptr(flags),
		uintptr(unsafe.Pointer(arg)), argSize(arg))
	return uint32(n), errno
}

func argSize(arg *geteventsArg) uintptr {
	if arg == nil {
		return 0
	}
	return unsafe.Sizeof(*arg)
}
