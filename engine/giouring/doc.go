// Package giouring is the engine "giouring": io_uring through
// github.com/pawelgaczynski/giouring, beside our own of package uring.
//
// It exists only in builds with the tag giouring. Its library reaches for a
// private function of package syscall, which since Go 1.23 the linker
// has to be told to allow:
//
//	go test -tags giouring -ldflags=-checklinkname=0 ./engine/giouring
//
// Nop, read, write, append, fsync, fdatasync, trim and allocate go through the
// ring. The library gets the rest wrong, or lacks it, so that runs on helper
// threads. Files and buffers are not registered, and every wait is a
// system call that the Go scheduler is told of.
package giouring
