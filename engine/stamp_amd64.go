package engine

// stamps says that the processor has time stamps, and timestamp reads them.
const stamps = true

// timestamp is the processor's time stamp counter. A processor may read it while loads from memory that
// come before are still under way; ordering it would cost as much again.
func timestamp() int64
