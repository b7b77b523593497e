package uring

import (
	"os"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// resident is how many pages of a mapping are in the page cache.
func resident(t *testing.T, m []byte) (n int) {
	t.Helper()
	in := make([]byte, len(m)/os.Getpagesize())
	if _, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&m[0])), uintptr(len(m)), uintptr(unsafe.Pointer(&in[0]))); errno != 0 {
		t.Fatal(errno)
	}
	for _, b := range in {
		n += int(b & 1)
	}
	return n
}
