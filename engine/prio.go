package engine

import (
	"fmt"
	"strconv"
	"strings"
)

// The kernel's classes of I/O priority, and how a priority is put together.
const (
	prioRealtime = 1
	prioBest     = 2
	prioIdle     = 3
	prioShift    = 13
)

// ParsePrio reads an I/O priority as ionice has it, "rt/0" (the highest) to
// "rt/7", "be/0" to "be/7" and "idle", and returns the kernel's value for it.
func ParsePrio(s string) (uint16, error) {
	class, level, given := strings.Cut(s, "/")
	n, err := strconv.Atoi(level)
	switch {
	case class == "idle" && !given:
		return prioIdle << prioShift, nil
	case class != "rt" && class != "be", err != nil, n < 0, n > 7:
		return 0, fmt.Errorf("priority %q: want rt/0 to rt/7, be/0 to be/7, or idle; 0 is the highest", s)
	case class == "rt":
		return prioRealtime<<prioShift | uint16(n), nil
	}
	return prioBest<<prioShift | uint16(n), nil
}

// SplitPrio is the class of a priority and its level in that.
func SplitPrio(prio uint16) (class, level int) {
	return int(prio >> prioShift), int(prio & (1<<prioShift - 1))
}
