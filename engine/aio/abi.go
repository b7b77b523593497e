package aio

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// The kernel's interface, as linux/aio_abi.h gives it for little-endian
// machines. x/sys has the system calls' numbers and nothing else of it.

// iocb is struct iocb.
type iocb struct {
	data    uint64
	key     uint32
	rwFlags uint32
	opcode  uint16
	prio    int16
	fd      uint32
	buf     uint64 // of a poll: the events
	n       uint64
	off     int64
	_       uint64
	flags   uint32
	resFD   uint32
}

// event is struct io_event.
type event struct {
	data uint64
	obj  uint64
	res  int64
	res2 int64
}

// ringHeader is struct aio_ring, which the kernel maps where a context's number
// says. Events follow it.
type ringHeader struct {
	id, nr           uint32
	head, tail       uint32
	magic            uint32
	compat, incompat uint32
	length           uint32
}

const ringMagic = 0xa10a10a1

// Opcodes.
const (
	cmdPread  = 0
	cmdPwrite = 1
	cmdFsync  = 2
	cmdFdsync = 3
	cmdPoll   = 5 // Linux 4.18
)

// flagPrio says that an iocb has a priority (4.18).
const flagPrio = 1 << 1

func setup(n int, ctx *uintptr) error {
	_, _, errno := unix.Syscall(unix.SYS_IO_SETUP, uintptr(n), uintptr(unsafe.Pointer(ctx)), 0)
	if errno != 0 {
		return errno
	}
	return nil
}

func destroy(ctx uintptr) error {
	if _, _, errno := unix.Syscall(unix.SYS_IO_DESTROY, ctx, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// submit and getEvents tell the scheduler of the call, unless it is to be raw.

func submit(ctx uintptr, list []uint64, raw bool) (int, unix.Errno) {
	call := unix.Syscall
	if raw {
		call = unix.RawSyscall
	}
	n, _, errno := call(unix.SYS_IO_SUBMIT, ctx, uintptr(len(list)), uintptr(unsafe.Pointer(&list[0])))
	return int(n), errno
}

func getEvents(ctx uintptr, least int, to []event, ts *unix.Timespec, raw bool) (int, unix.Errno) {
	call := unix.Syscall6
	if raw {
		call = unix.RawSyscall6
	}
	n, _, errno := call(unix.SYS_IO_GETEVENTS, ctx, uintptr(least), uintptr(len(to)), uintptr(unsafe.Pointer(&to[0])), uintptr(unsafe.Pointer(ts)), 0)
	return int(n), errno
}

// addr is a pointer into memory outside Go's heap as the kernel wants it.
func addr[T any](p *T) uint64 { return uint64(uintptr(unsafe.Pointer(p))) }
