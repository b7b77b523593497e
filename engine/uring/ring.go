package uring

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ring is an io_uring instance: its memory, shared with the kernel, and the
// calls that move its heads and tails. One thread owns it.
type ring struct {
	fd       int
	enterFD  int    // fd, or its index among the thread's registered rings
	flags    uint32 // setup flags in use
	features uint32
	enter    uint32 // flags for every enter

	sqes     []sqe
	sqHead   *uint32
	sqTail   *uint32
	sqFlags  *uint32
	sqMask   uint32
	sqNext   uint32 // our own tail: the kernel's plus what has not been shown to it
	unsubmit uint32 // filled SQEs that the kernel has not consumed; with SQPOLL, that it has not been shown

	cqes   []cqe
	cqHead *uint32
	cqTail *uint32
	cqMask uint32

	shared *shared
	maps   [][]byte
}

// shared is memory outside Go's heap that the kernel reads and writes while
// operations are in flight.
type shared struct {
	wakes uint64 // the eventfd's counter
	fd    int32  // a descriptor to be registered
	ts    timespec
	arg   geteventsArg
}

// newRing sets a ring up with these parameters and maps it.
func newRing(entries, completions uint32, p params) (*ring, error) {
	p.flags |= setupCQSize
	p.cqEntries = completions
	fd, err := setup(entries, &p)
	if err != nil {
		return nil, err
	}
	r := &ring{fd: fd, enterFD: fd, flags: p.flags, features: p.features}
	if err := r.mapMemory(&p); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func (r *ring) mapMemory(p *params) error {
	if p.features&(featSingleMmap|featNoDrop|featFastPoll) != featSingleMmap|featNoDrop|featFastPoll {
		return fmt.Errorf("io_uring's features %#x are those of a kernel before 5.10: %w", p.features, unix.EOPNOTSUPP)
	}
	size := max(int(p.sqOff.array)+4*int(p.sqEntries), int(p.cqOff.cqes)+int(unsafe.Sizeof(cqe{}))*int(p.cqEntries))
	rings, err := r.mmap(r.fd, offRings, size)
	if err != nil {
		return err
	}
	entries, err := r.mmap(r.fd, offSQEs, int(unsafe.Sizeof(sqe{}))*int(p.sqEntries))
	if err != nil {
		return err
	}
	page, err := r.mmap(-1, 0, int(unsafe.Sizeof(shared{})))
	if err != nil {
		return err
	}
	word := func(off uint32) *uint32 { return (*uint32)(unsafe.Pointer(&rings[off])) }
	r.sqes = unsafe.Slice((*sqe)(unsafe.Pointer(&entries[0])), p.sqEntries)
	r.sqHead, r.sqTail, r.sqFlags, r.sqMask = word(p.sqOff.head), word(p.sqOff.tail), word(p.sqOff.flags), p.sqEntries-1
	r.cqes = unsafe.Slice((*cqe)(unsafe.Pointer(&rings[p.cqOff.cqes])), p.cqEntries)
	r.cqHead, r.cqTail, r.cqMask = word(p.cqOff.head), word(p.cqOff.tail), p.cqEntries-1
	r.shared = (*shared)(unsafe.Pointer(&page[0]))
	if r.flags&setupNoSQArray == 0 {
		// SQEs are always used in order, so the indirection is filled once.
		for i := range p.sqEntries {
			*word(p.sqOff.array + 4*i) = i
		}
	}
	return nil
}

// addr is a pointer into memory outside Go's heap as the kernel wants it.
func addr[T any](p *T) uint64 { return uint64(uintptr(unsafe.Pointer(p))) }

// mmap maps memory of the ring, or fresh memory if fd is -1, until close.
func (r *ring) mmap(fd int, off int64, n int) ([]byte, error) {
	flags := unix.MAP_SHARED | unix.MAP_POPULATE
	if fd < 0 {
		flags = unix.MAP_PRIVATE | unix.MAP_ANONYMOUS
	}
	m, err := unix.Mmap(fd, off, n, unix.PROT_READ|unix.PROT_WRITE, flags)
	if err != nil {
		return nil, fmt.Errorf("mapping %d bytes for the ring: %w", n, err)
	}
	r.maps = append(r.maps, m)
	return m, nil
}

// close frees the ring. Nothing may be in flight.
func (r *ring) close() error {
	first := unix.Close(r.fd)
	for _, m := range r.maps {
		if err := unix.Munmap(m); err != nil && first == nil {
			first = err
		}
	}
	if first != nil {
		return fmt.Errorf("freeing the ring: %w", first)
	}
	return nil
}

// room is how many SQEs can be filled before the next submission.
func (r *ring) room() int {
	if r.flags&setupSQPoll != 0 {
		return len(r.sqes) - int(r.sqNext-atomic.LoadUint32(r.sqHead))
	}
	return len(r.sqes) - int(r.unsubmit)
}

// next returns the next SQE to fill; there must be room.
func (r *ring) next() *sqe {
	s := &r.sqes[r.sqNext&r.sqMask]
	r.sqNext++
	r.unsubmit++
	return s
}

// submit enters the kernel with what was filled, and waits there for wait
// completions, for at most ns nanoseconds (below 0: for as long as it takes).
// A raw call keeps the scheduler out: it is for waits that are sure to be short.
// The error is an errno; ETIME and EINTR are ordinary ends of a wait.
func (r *ring) submit(wait uint32, ns int64, raw bool) error {
	// Published with a store that the compiler can't move ahead of the SQEs. The
	// kernel reads it inside the call, on this thread, so no stronger order is needed.
	atomic.StoreUint32(r.sqTail, r.sqNext)
	flags := r.enter | enterGetEvents
	if r.flags&setupSQPoll != 0 {
		f, must := r.rouse(wait)
		if !must {
			return nil
		}
		flags |= f
	}
	var n uint32
	var errno unix.Errno
	switch {
	case wait > 0 && r.flags&setupIOPoll != 0:
		n, errno = r.enterPolling(wait, flags, raw)
	case wait > 0 && r.features&featExtArg == 0:
		n, errno = r.submitAndPoll(ns, flags)
	case wait > 0 && raw:
		n, errno = enterRaw(r.enterFD, r.unsubmit, wait, flags|enterExtArg, r.timeout(ns))
	case wait > 0:
		n, errno = enter(r.enterFD, r.unsubmit, wait, flags|enterExtArg, r.timeout(ns))
	default:
		n, errno = enterRaw(r.enterFD, r.unsubmit, 0, flags, nil)
	}
	switch {
	case r.flags&setupSQPoll != 0:
		r.unsubmit = 0 // the tail is all that its thread needs
	case errno == 0:
		r.unsubmit -= n
	}
	if errno != 0 {
		return errno
	}
	return nil
}

// rouse is for rings that the kernel's own thread empties: with which flags to
// enter, and whether it must be done at all.
func (r *ring) rouse(wait uint32) (flags uint32, must bool) {
	// The store of the tail comes before this load, in the order that all see.
	if atomic.LoadUint32(r.sqFlags)&sqNeedWakeup != 0 {
		flags = enterSQWakeup
	}
	if r.room() == 0 {
		flags |= enterSQWait
	}
	if flags == 0 && wait == 0 && !r.pendingWork() {
		r.unsubmit = 0
		return 0, false
	}
	return flags, true
}

// enterPolling waits on a polled ring, which has no timeouts.
func (r *ring) enterPolling(wait, flags uint32, raw bool) (uint32, unix.Errno) {
	if raw {
		return enterRaw(r.enterFD, r.unsubmit, wait, flags, nil)
	}
	return enter(r.enterFD, r.unsubmit, wait, flags, nil)
}

// timeout makes the extended argument of a wait.
func (r *ring) timeout(ns int64) *geteventsArg {
	s := r.shared
	s.arg.ts = 0
	if ns >= 0 {
		s.arg.ts = addr(&s.ts)
		s.ts = timespec{sec: ns / 1e9, nsec: ns % 1e9}
	}
	return &s.arg
}

// submitAndPoll is for kernels before 5.11, whose enter knows no timeout: a
// second call waits for one completion.
func (r *ring) submitAndPoll(ns int64, flags uint32) (n uint32, errno unix.Errno) {
	if n, errno = enterRaw(r.enterFD, r.unsubmit, 0, flags, nil); errno != 0 {
		return n, errno
	}
	var ts *unix.Timespec
	if ns >= 0 {
		t := unix.NsecToTimespec(ns)
		ts = &t
	}
	// Its errors are those of any wait that ends early; what was submitted counts.
	_, _ = unix.Ppoll([]unix.PollFd{{Fd: int32(r.fd), Events: unix.POLLIN}}, ts, nil)
	return n, 0
}

// ready returns the range of completions to read: from head up to tail. The
// kernel writes a CQE before it moves the tail, from another processor if it
// likes, so the tail is loaded with acquire order.
func (r *ring) ready() (head, tail uint32) {
	// Only this thread moves the head.
	return *r.cqHead, atomic.LoadUint32(r.cqTail)
}

// consumed gives the CQEs before head back. The kernel may overwrite them at
// once, so the store must come after the reads of them.
func (r *ring) consumed(head uint32) { atomic.StoreUint32(r.cqHead, head) }

// pendingWork says whether completions wait for this thread to enter the
// kernel. The kernel sets the flags from interrupts and other processors. A
// flag seen late is seen at the next look.
func (r *ring) pendingWork() bool {
	return atomic.LoadUint32(r.sqFlags)&(sqTaskrun|sqCQOverflow) != 0
}
