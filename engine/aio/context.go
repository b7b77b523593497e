package aio

import (
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"moonio/engine"
)

// context is the kernel's side of an engine: its completion ring, and the
// memory that the kernel reads and writes.
type context struct {
	id    uintptr
	ring  *ringHeader // nil if its layout is not the one that is known
	ready []event     // the ring's

	mem    []byte
	iocbs  []iocb   // by slot, and one for the waker
	list   []uint64 // addresses of those to be submitted
	events []event  // what a wait returned, from first on, up to last
	first  int
	last   int
	ts     *unix.Timespec
}

// maxEvents is how many completions one wait can return.
const maxEvents = 256

// newContext makes a context for so many operations at once.
func newContext(n int) (*context, error) {
	c := new(context)
	if err := setup(n, &c.id); err != nil {
		return nil, unavailable(err)
	}
	if err := c.mapMemory(n); err != nil {
		return nil, errors.Join(err, destroy(c.id))
	}
	// The context's number is the address of its ring.
	r := *(**ringHeader)(unsafe.Pointer(&c.id))
	if r.magic == ringMagic && r.incompat == 0 && r.length == uint32(unsafe.Sizeof(*r)) {
		c.ring = r
		c.ready = unsafe.Slice((*event)(unsafe.Add(unsafe.Pointer(r), r.length)), r.nr)
	}
	return c, nil
}

func (c *context) mapMemory(n int) (err error) {
	const ts = unsafe.Sizeof(unix.Timespec{})
	iocbs, list, events := n*int(unsafe.Sizeof(iocb{})), n*8, maxEvents*int(unsafe.Sizeof(event{}))
	size := iocbs + list + events + int(ts)
	if c.mem, err = unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS); err != nil {
		return fmt.Errorf("mapping %d bytes for libaio: %w", size, err)
	}
	c.iocbs = unsafe.Slice((*iocb)(unsafe.Pointer(&c.mem[0])), n)
	c.list = unsafe.Slice((*uint64)(unsafe.Pointer(&c.mem[iocbs])), n)[:0]
	c.events = unsafe.Slice((*event)(unsafe.Pointer(&c.mem[iocbs+list])), maxEvents)
	c.ts = (*unix.Timespec)(unsafe.Pointer(&c.mem[iocbs+list+events]))
	return nil
}

// close frees the context. Nothing may be in flight.
func (c *context) close() error {
	err := errors.Join(destroy(c.id), unix.Munmap(c.mem))
	if err != nil {
		return fmt.Errorf("freeing libaio's context: %w", err)
	}
	return nil
}

// wait calls the kernel for completions. They come from the ring, so what is
// there already counts.
func (c *context) wait(least int, ns int64, raw bool) error {
	var ts *unix.Timespec
	if ns >= 0 {
		*c.ts = unix.NsecToTimespec(ns)
		ts = c.ts
	}
	least = min(least, maxEvents)
	n, errno := getEvents(c.id, least, c.events, ts, raw)
	if errno != 0 {
		return errno
	}
	if c.first, c.last = 0, n; n < least && ns >= 0 {
		return unix.ETIME
	}
	return nil
}

// next is a completion that the last wait returned, or nil.
func (c *context) next() *event {
	if c.first < c.last {
		c.first++
		return &c.events[c.first-1]
	}
	return nil
}

// window is what the ring holds: from head up to tail, and round its end.
// The kernel writes an event before it moves the tail, from another processor if it
// likes, so the tail is loaded with acquire order. Only the owner moves the head.
func (c *context) window() (head, tail uint32) {
	return c.ring.head, atomic.LoadUint32(&c.ring.tail)
}

// consumed gives the ring's events before head back. The kernel may overwrite
// them at once, so the store must come after the reads of them.
func (c *context) consumed(head uint32) { atomic.StoreUint32(&c.ring.head, head) }

// unavailable explains why io_setup failed.
func unavailable(err error) error {
	why := err.Error()
	switch {
	case errors.Is(err, unix.ENOSYS):
		why = "this kernel has no asynchronous I/O, or a seccomp filter hides it"
	case errors.Is(err, unix.EPERM):
		why = "a seccomp filter or security module forbids it, as containers often do"
	case errors.Is(err, unix.EAGAIN):
		why = "all operations that the system allows are taken; raise sysctl fs.aio-max-nr"
	}
	return fmt.Errorf("libaio is %w: %s (%w)", engine.ErrUnavailable, why, err)
}
