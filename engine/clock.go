package engine

import (
	"sync/atomic"
	_ "unsafe" // for linkname
)

// nanotime is CLOCK_MONOTONIC, as time.Since reads it, without what that does besides: a fifth
// of a reading. The runtime keeps it for callers outside: go.dev/issue/67401.
//
//go:linkname nanotime runtime.nanotime
func nanotime() int64

var started = nanotime()

// straight is the line that Monotonic follows; nil where there is no time stamp to trust.
var straight atomic.Pointer[line]

// Monotonic is the time in nanoseconds since this program started: the clock
// of every engine that works in real time. It is CLOCK_MONOTONIC. Where the kernel
// itself takes that from the processor's time stamp counter, it is read from there, at
// a third of the price, and compared with the kernel's every 10 ms.
func Monotonic() int64 {
	l := straight.Load()
	if l == nil {
		return nanotime() - started
	}
	t := timestamp()
	if d := uint64(t - l.from.stamp); d < l.reach {
		return l.from.ns + int64(d*l.mult>>fraction)
	}
	return discipline.read(t)
}
