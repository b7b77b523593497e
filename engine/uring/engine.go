// Package uring is the engine "io_uring": the kernel's ring, through raw
// system calls.
//
// Submit fills the ring's entries, and Wait hands them over and waits for
// completions in one system call, so the caller chooses the batch: what it
// submits between two waits, and the min it waits for. Every operation that the
// kernel has an opcode for goes through the ring; the rest, and lists, run on
// helper threads.
//
// A wait begins with a system call that the Go scheduler does not know of, which
// is cheaper but keeps this thread's processor from other goroutines and from
// a garbage collection. It is bounded, by a timer of a millisecond or by the signal with which the
// runtime asks for the processor; what takes longer goes on in a normal system
// call.
//
// The FS must be one of the operating system's descriptors. Names go through
// the ring if it also has the methods Resolve and Renamed of osfs.FS.
package uring

import (
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"moonio/engine"
	"moonio/engine/helper"
)

// Name is the engine's name.
const Name = "io_uring"

const (
	maxSlots   = 32767 // so that twice as many and one fit the kernel's largest completion ring
	maxEntries = 256   // SQEs: what is submitted beyond takes a system call for each so many
	maxWorkers = 1024  // the kernel's threads for operations that block
)

// Marks in user_data that are not slots.
const (
	markWake   = 1 << 63
	markCancel = 1<<63 | 1
)

// Engine is an open ring. The goroutine that first calls Submit or Wait owns it
// and must be locked to its thread.
type Engine struct {
	ring   *ring
	slots  int
	native [engine.NumOpCodes]bool
	has    [256]bool
	detail string

	inFlight int    // submitted, not yet handed out
	cancels  int    // not yet answered
	fates    []fate // by slot

	files    []*engine.File // registered, by ID
	fixedBuf uintptr        // the registered buffer
	fixedLen uintptr

	resolve resolver
	nameMem []nameMemory
	metas   []*engine.Meta // by slot, while an operation on a name is in flight

	chains  *helper.Chains
	pool    *helper.Pool
	waker   *helper.Waker
	closing bool
}

var _ engine.Engine = (*Engine)(nil)

// Open opens a ring. It has no options. The error wraps engine.ErrUnavailable
// if this machine has no io_uring or forbids it.
func Open(cfg engine.Config) (engine.Engine, error) {
	e, err := open(cfg, setups)
	if err != nil {
		return nil, err
	}
	return e, nil
}

func open(cfg engine.Config, setups []uint32) (*Engine, error) {
	switch {
	case len(cfg.Options) > 0:
		return nil, fmt.Errorf("io_uring has no option %q: it takes none", slices.Min(slices.Collect(maps.Keys(cfg.Options))))
	case cfg.Slots < 1 || cfg.Slots > maxSlots:
		return nil, fmt.Errorf("io_uring takes 1 to %d operations in flight, not %d", maxSlots, cfg.Slots)
	case cfg.FS == nil || cfg.FS.Memory():
		return nil, errors.New("io_uring works on the operating system's files, and these are in memory")
	}
	e := &Engine{
		slots:  cfg.Slots,
		fates:  make([]fate, cfg.Slots),
		chains: helper.NewChains(cfg.Slots),
	}
	e.resolve, _ = cfg.FS.(resolver)
	if err := e.openRing(setups); err != nil {
		return nil, err
	}
	var err error
	if e.waker, err = helper.NewWaker(); err != nil {
		return nil, errors.Join(err, e.ring.close())
	}
	e.pool = helper.NewPool(cfg.FS, cfg.Slots, e.waker)
	e.registerTables(cfg.Arena)
	return e, nil
}

func (e *Engine) openRing(setups []uint32) error {
	entries := pow2(min(e.slots, maxEntries-1) + 1) // one for the wake-up
	// Room for every slot, for a cancellation of each, and the wake-up, so that it
	// can't overflow.
	r, err := openRing(entries, pow2(2*e.slots+1), setups)
	if err != nil {
		return err
	}
	if e.has, err = r.opcodes(); err != nil {
		return errors.Join(err, r.close())
	}
	e.ring = r
	for code, op := range opcodeOf {
		e.native[code] = e.has[op]
	}
	return nil
}

// pow2 is the smallest power of two that is not below n.
func pow2(n int) uint32 { return 1 << bits.Len(uint(n-1)) }

// Info describes the ring and what it uses.
func (e *Engine) Info() engine.Info {
	f := e.ring.featureNames(&e.has)
	if e.files != nil {
		f = append(f, "registered files")
	}
	if e.fixedLen > 0 {
		f = append(f, "registered buffers")
	}
	return engine.Info{Name: Name, Detail: e.detail, Features: f}
}

// Now is engine.Monotonic.
func (e *Engine) Now() int64 { return engine.Monotonic() }

// Wake makes the present or the next Wait return early.
func (e *Engine) Wake() { e.waker.Wake() }

// begin makes the calling thread the ring's owner.
func (e *Engine) begin() error {
	if !e.ring.disabled() {
		return nil
	}
	if err := e.ring.enable(min(e.slots, maxWorkers)); err != nil {
		return err
	}
	return e.armWake()
}

// armWake keeps a read of the waker's eventfd in the ring.
func (e *Engine) armWake() error {
	s, err := e.next()
	if err != nil {
		return err
	}
	*s = sqe{opcode: opRead, fd: int32(e.waker.FD()), addr: addr(&e.ring.shared.wakes), len: 8, userData: markWake}
	return nil
}

// Cancel asks for slot's operation to be given up. The kernel is asked at the
// next Wait. It can give up what has not begun, as what waits behind other
// operations; not what is at a device.
func (e *Engine) Cancel(slot uint32) {
	if e.cancels == e.slots {
		return // asked for more often than there are operations
	}
	s, err := e.next()
	if err != nil {
		return // the next Wait will meet the same error, and report it
	}
	e.cancels++
	*s = sqe{opcode: opAsyncCancel, fd: -1, addr: uint64(slot), userData: markCancel}
}

// Close waits for what is in flight and frees the ring. Only the owner may call it.
func (e *Engine) Close() error {
	err := e.drain()
	e.pool.Close()
	err = errors.Join(err, e.unregister(), e.ring.disown())
	return errors.Join(err, e.waker.Close(), e.ring.close())
}

// drain waits until the kernel holds nothing of ours, the wake-up's read included.
func (e *Engine) drain() error {
	if e.ring.disabled() {
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
		if err := e.checkSubmit(e.ring.submit(1, -1, false)); err != nil {
			return err
		}
		if _, err := e.collect(out); err != nil {
			return err
		}
	}
	return nil
}
