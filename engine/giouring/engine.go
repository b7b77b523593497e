//go:build giouring

package giouring

import (
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"runtime"
	"slices"
	"syscall"
	"unsafe"

	lib "github.com/pawelgaczynski/giouring"
	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/helper"
)

// Name is the engine's name.
const Name = "giouring"

const (
	maxSlots   = 1<<15 - 1 // what the largest ring holds, beside the wake-up
	maxWorkers = 1024      // the kernel's threads for operations that block
)

// Marks in user data that are not slots.
const (
	markWake   = 1 << 63
	markCancel = 1<<63 | 1
)

// Engine is an open ring. The goroutine that first calls Submit or Wait owns it
// and must be locked to its thread.
type Engine struct {
	ring     *lib.Ring
	features []string
	slots    int
	enabled  bool
	inFlight int // submitted, not yet handed out
	cancels  int // not yet answered
	chains   *helper.Chains
	pool     *helper.Pool
	waker    *helper.Waker
	closing  bool
	cqes     [64]*lib.CompletionQueueEvent
	timeout  syscall.Timespec // here, and not on a stack that may move: the library keeps its address
	wakes    []byte           // where the kernel puts the eventfd's counter, outside Go's heap
}

var _ engine.Engine = (*Engine)(nil)

// setups are the flags to try, the best first.
var setups = []struct {
	flags    uint32
	features []string
}{
	{lib.SetupSingleIssuer | lib.SetupDeferTaskrun | lib.SetupTaskrunFlag | lib.SetupSubmitAll | lib.SetupRDisabled,
		[]string{"SINGLE_ISSUER", "DEFER_TASKRUN"}},
	{lib.SetupCoopTaskrun | lib.SetupTaskrunFlag | lib.SetupSubmitAll | lib.SetupRDisabled, []string{"COOP_TASKRUN"}},
	{lib.SetupRDisabled, nil},
}

// Open opens a ring. It has no options. The error wraps engine.ErrUnavailable
// if this machine has no io_uring or forbids it.
func Open(cfg engine.Config) (engine.Engine, error) {
	switch {
	case len(cfg.Options) > 0:
		return nil, fmt.Errorf("giouring has no option %q: it takes none", slices.Min(slices.Collect(maps.Keys(cfg.Options))))
	case cfg.Slots < 1 || cfg.Slots > maxSlots:
		return nil, fmt.Errorf("giouring takes 1 to %d operations in flight, not %d", maxSlots, cfg.Slots)
	case cfg.FS == nil || cfg.FS.Memory():
		return nil, errors.New("giouring works on the operating system's files, and these are in memory")
	}
	e := &Engine{slots: cfg.Slots, chains: helper.NewChains(cfg.Slots)}
	if err := e.openRing(); err != nil {
		return nil, err
	}
	var err error
	if e.waker, err = helper.NewWaker(); err != nil {
		e.ring.QueueExit()
		return nil, err
	}
	if e.wakes, err = unix.Mmap(-1, 0, 8, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS); err != nil {
		e.ring.QueueExit()
		return nil, errors.Join(fmt.Errorf("mapping memory for the ring: %w", err), e.waker.Close())
	}
	e.pool = helper.NewPool(cfg.FS, cfg.Slots, e.waker)
	return e, nil
}

func (e *Engine) openRing() error {
	// The completion ring is twice as large, enough for every slot, a cancellation
	// of each, and the wake-up.
	entries := uint32(1) << bits.Len(uint(e.slots))
	var err error
	for _, s := range setups {
		e.ring = lib.NewRing()
		if err = e.ring.QueueInit(entries, s.flags); err == nil {
			e.features = s.features
			return nil
		}
		if !errors.Is(err, unix.EINVAL) {
			break
		}
	}
	return fmt.Errorf("giouring is %w: setting a ring up: %w", engine.ErrUnavailable, err)
}

// begin makes the calling thread the ring's owner.
func (e *Engine) begin() error {
	if e.enabled {
		return nil
	}
	if _, err := e.ring.EnableRings(); err != nil {
		return fmt.Errorf("enabling the ring: %w", err)
	}
	// The kernel's worker threads, as many as operations that can block; kernels
	// before 5.15 can't be told. The library's own call passes the wrong size.
	limits := [2]uint32{uint32(min(e.slots, maxWorkers)), 0}
	_, _ = e.ring.Register(e.ring.RingFd(), lib.RegisterIOWQMaxWorkers, unsafe.Pointer(&limits), 2)
	e.enabled = true
	return e.armWake()
}

// Info describes the ring.
func (e *Engine) Info() engine.Info { return engine.Info{Name: Name, Features: e.features} }

// Now is engine.Monotonic.
func (e *Engine) Now() int64 { return engine.Monotonic() }

// Wake makes the present or the next Wait return early.
func (e *Engine) Wake() { e.waker.Wake() }

// armWake keeps a read of the waker's eventfd in the ring.
func (e *Engine) armWake() error {
	s, err := e.next()
	if err != nil {
		return err
	}
	s.PrepareRead(e.waker.FD(), address(e.wakes), 8, 0)
	s.UserData = markWake
	return nil
}

// Cancel asks for slot's operation to be given up, at the next Wait.
func (e *Engine) Cancel(slot uint32) {
	if e.cancels == e.slots {
		return // asked for more often than there are operations
	}
	s, err := e.next()
	if err != nil {
		return // the next Wait will meet the same error, and report it
	}
	e.cancels++
	s.PrepareCancel64(uint64(slot), 0)
	s.UserData = markCancel
}

// Close waits for what is in flight and frees the ring. Only the owner may call it.
func (e *Engine) Close() error {
	err := e.drain()
	e.pool.Close()
	e.ring.QueueExit()
	return errors.Join(err, e.waker.Close(), unix.Munmap(e.wakes))
}

// drain waits until the kernel holds nothing of ours, the wake-up's read included.
func (e *Engine) drain() error {
	if !e.enabled {
		return nil
	}
	out := make([]engine.Completion, 64)
	for e.inFlight > 0 {
		if _, err := e.Wait(out, 1, engine.NoDeadline); err != nil {
			return err
		}
	}
	e.closing = true
	e.waker.Nudge()
	for e.closing {
		if err := e.enter(1, -1); err != nil {
			return err
		}
		if _, err := e.collect(out); err != nil {
			return err
		}
	}
	return nil
}

// checkEnter sorts the errors of system calls: nil if it is worth going on.
func (e *Engine) checkEnter(err error) error {
	switch {
	case err == nil, errors.Is(err, unix.ETIME), errors.Is(err, unix.EINTR):
		return nil
	case (errors.Is(err, unix.EBUSY) || errors.Is(err, unix.EAGAIN)) && e.inFlight > int(e.ring.SQReady()):
		// Out of memory for requests, until some of those in flight are done.
		runtime.Gosched()
		return nil
	}
	return fmt.Errorf("submitting %d operations: %w", e.ring.SQReady(), err)
}
