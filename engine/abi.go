//go:build !linux || 386 || arm || mips || mipsle

package engine

// Other systems are refused here, and by a name that says so. Offsets are handed to the kernel in one register each: on
// a 32-bit machine what lies beyond 4 GiB would be written elsewhere.
var _ = moonioNeeds64BitLinux
