package psync

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// again makes a call until no signal cuts it short, and returns what it
// returned, or minus its errno. Addresses are outside Go's heap.
func again(call uintptr, fd int, a1 uintptr, a2 int, a3 int64, a4 uint32) int64 {
	for {
		r, _, errno := unix.Syscall6(call, uintptr(fd), a1, uintptr(a2), uintptr(a3), uintptr(a4), 0)
		if errno == 0 {
			return int64(r)
		}
		if errno != unix.EINTR {
			return -int64(errno)
		}
	}
}

// againVec is again for the calls that take a vector.
func againVec(call uintptr, fd int, vec *unix.Iovec, off int64, flags uint32) int64 {
	for {
		r, _, errno := unix.Syscall6(call, uintptr(fd), uintptr(unsafe.Pointer(vec)), 1, uintptr(off), 0, uintptr(flags))
		if errno == 0 {
			return int64(r)
		}
		if errno != unix.EINTR {
			return -int64(errno)
		}
	}
}

// setVec makes the engine's vector name b.
func (e *Engine) setVec(b []byte) *unix.Iovec {
	e.vec.Base = unsafe.SliceData(b)
	e.vec.SetLen(len(b))
	return e.vec
}
