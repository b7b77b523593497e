// Package block makes system calls that are expected to block, and sleeps.
//
// An ordinary call keeps its goroutine's processor until the scheduler's monitor
// takes it away, 20 µs later at the soonest. With more calls in flight than
// processors, that serialises their starts: on two processors, 32 reads of 100 µs
// were never more than a few at once. These calls give the processor up
// before they enter the kernel, so that as many are under way as there are
// goroutines to make them.
//
// The arguments are passed as on 64-bit machines.
package block

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The runtime keeps these two for callers outside: go.dev/issue/67401.

//go:linkname entersyscallblock runtime.entersyscallblock
func entersyscallblock()

//go:linkname exitsyscall runtime.exitsyscall
func exitsyscall()

// call enters the kernel. The stack must neither grow nor move meanwhile: hence
// nosplit, and pointers that are turned into arguments escape to the heap.
//
//go:nosplit
//go:uintptrescapes
func call(trap, a1, a2, a3, a4, a5, a6 uintptr) (uintptr, syscall.Errno) {
	entersyscallblock()
	r, _, errno := syscall.RawSyscall6(trap, a1, a2, a3, a4, a5, a6)
	exitsyscall()
	return r, errno
}

// result is a call's return value, or minus its errno.
func result(r uintptr, errno syscall.Errno) int64 {
	if errno != 0 {
		return -int64(errno)
	}
	return int64(r)
}

// Pread reads into b at off. Like the calls below it returns what the kernel
// does: a count or 0, or minus an errno, EINTR among them.
func Pread(fd int, b []byte, off int64) int64 {
	return result(call(unix.SYS_PREAD64, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), uintptr(off), 0, 0))
}

// Pwrite writes b at off.
func Pwrite(fd int, b []byte, off int64) int64 {
	return result(call(unix.SYS_PWRITE64, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), uintptr(off), 0, 0))
}

// Pwritev2 writes what vec names at off. vec is on the heap.
func Pwritev2(fd int, vec *unix.Iovec, off int64, flags int) int64 {
	return result(call(unix.SYS_PWRITEV2, uintptr(fd), uintptr(unsafe.Pointer(vec)), 1, uintptr(off), 0, uintptr(flags)))
}

// Fsync makes a file's data and metadata durable.
func Fsync(fd int) int64 { return result(call(unix.SYS_FSYNC, uintptr(fd), 0, 0, 0, 0, 0)) }

// Fdatasync makes a file's data durable.
func Fdatasync(fd int) int64 { return result(call(unix.SYS_FDATASYNC, uintptr(fd), 0, 0, 0, 0, 0)) }

// SyncFileRange writes back a range's pages.
func SyncFileRange(fd int, off, n int64, flags int) int64 {
	return result(call(unix.SYS_SYNC_FILE_RANGE, uintptr(fd), uintptr(off), uintptr(n), uintptr(flags), 0, 0))
}
