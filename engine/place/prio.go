package place

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"

	"moonio/engine"
)

// Prio is an I/O priority as the kernel has it: a class, and a level in it. 0 is none in
// particular.
type Prio uint16

// The classes, by which a Prio is named.
const (
	realTime   = 1
	bestEffort = 2
	idle       = 3
)

var classNames = map[int]string{realTime: "rt", bestEffort: "be", idle: "idle"}

// ParsePrio reads "rt/4", "be/7" or "idle", as engine.ParsePrio does.
func ParsePrio(s string) (Prio, error) {
	p, err := engine.ParsePrio(s)
	return Prio(p), err
}

// String is the priority as ParsePrio reads it; nothing for 0.
func (p Prio) String() string {
	switch class, level := engine.SplitPrio(uint16(p)); class {
	case 0:
		return ""
	case idle:
		return classNames[class]
	default:
		return fmt.Sprintf("%s/%d", classNames[class], level)
	}
}

func (p Prio) check() error {
	if class, level := engine.SplitPrio(uint16(p)); p != 0 && (class < realTime || class > idle || level > 7) {
		return fmt.Errorf("ioprio: class %d and level %d are none of the kernel's", class, level)
	}
	return nil
}

// apply gives the calling thread's I/O the priority.
func (p Prio) apply() error {
	const thread = 1 // IOPRIO_WHO_PROCESS, which with 0 is the caller
	if _, _, errno := syscall.RawSyscall(unix.SYS_IOPRIO_SET, thread, 0, uintptr(p)); errno != 0 {
		return errno
	}
	return nil
}
