package block

import (
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"moonio/engine"
)

// Bell lets one goroutine sleep until others ring. The zero value is ready, and
// needs no closing.
type Bell struct {
	rung    atomic.Uint32 // 1: Sleep has not seen it yet
	asked   atomic.Bool   // by Wake
	timeout unix.Timespec // the sleeper's
}

// The futex operations, on memory that no other process sees.
const (
	futexWait = 0 | 128
	futexWake = 1 | 128
)

// Ring ends the present or the next Sleep.
func (b *Bell) Ring() {
	if b.rung.Swap(1) == 0 {
		// It does not block, and fails only for a wrong address.
		_, _, _ = unix.Syscall(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&b.rung)), futexWake, 1)
	}
}

// Wake rings, and says that the sleeper's own caller is to be returned to.
func (b *Bell) Wake() {
	b.asked.Store(true)
	b.Ring()
}

// Asked says whether Wake was called since Asked was last true.
func (b *Bell) Asked() bool { return b.asked.Load() && b.asked.Swap(false) }

// Sleep waits for a ring, until the deadline on engine.Monotonic's clock at the
// latest. It may return early for no reason: callers look again at what they
// wait for.
func (b *Bell) Sleep(deadline int64) {
	timeout := (*unix.Timespec)(nil)
	if deadline != engine.NoDeadline {
		left := deadline - engine.Monotonic()
		if left <= 0 {
			return
		}
		b.timeout = unix.NsecToTimespec(left)
		timeout = &b.timeout
	}
	// Returns at once if it was rung before.
	_, _ = call(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&b.rung)), futexWait, 0, uintptr(unsafe.Pointer(timeout)), 0, 0)
	b.rung.Store(0)
}
