package engine

import _ "unsafe" // for linkname

// nanotime is CLOCK_MONOTONIC, as time.Since reads it, without what that does besides: a fifth
// of a reading, of which every operation has two. The runtime keeps it for callers outside:
// go.dev/issue/67401.
//
//go:linkname nanotime runtime.nanotime
func nanotime() int64

var started = nanotime()

// Monotonic is the time in nanoseconds since this program started: the clock
// of every engine that works in real time.
func Monotonic() int64 { return nanotime() - started }
