// Package uring is the engine "io_uring": the kernel's ring, through raw
// system calls.
//
// Submit fills the ring's entries, and Wait hands them over and waits for
// completions in one system call, so the caller chooses the batch: what it
// submits between two waits, and the min it waits for. Every operation that the
// kernel has an opcode for goes through the ring; the rest, and lists, run on
// helper threads.
//
// With the option hipri the ring is polled. It then takes nothing but direct
// transfers, which can't be given up, and all else runs on helper threads.
//
// The FS must be one of the operating system's descriptors. Names go through
// the ring if it also has the methods Resolve, OpenFlags and Renamed of osfs.FS.
package uring

import (
	"errors"
	"math/bits"

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

// Engine is an open ring. The goroutine that first calls Submit or Wait owns it
// and must be locked to its thread.
type Engine struct {
	*helper.Loop
	ring   *ring
	slots  int
	opts   options
	sync   int  // operations since the last that was forced to a thread of the kernel's
	picky  bool // some option is not for every file
	native [engine.NumOpCodes]bool
	has    [256]bool
	detail string

	fates []fate // by slot

	polledFiles map[*engine.File]bool // that polling was tried on

	files    []*engine.File // registered, by ID
	fixedBuf uintptr        // the registered buffer
	fixedLen uintptr

	resolve resolver
	nameMem []nameMemory
	metas   []*engine.Meta // by slot, while an operation on a name is in flight
}

var _ engine.Engine = (*Engine)(nil)

// Open opens a ring. The error wraps engine.ErrUnavailable
// if this machine has no io_uring or forbids it.
func Open(cfg engine.Config) (engine.Engine, error) {
	e, err := open(cfg, setups)
	if err != nil {
		return nil, err
	}
	return e, nil
}

func open(cfg engine.Config, setups []uint32) (*Engine, error) {
	o, err := readOptions(cfg.Options)
	if err != nil {
		return nil, err
	}
	if err := helper.CheckRing(Name, &cfg, maxSlots); err != nil {
		return nil, err
	}
	e := &Engine{slots: cfg.Slots, opts: o, picky: o.hipri || o.transfer.Flags != 0, fates: make([]fate, cfg.Slots)}
	if o.hipri {
		e.polledFiles = map[*engine.File]bool{}
	}
	e.resolve, _ = cfg.FS.(resolver)
	if err := e.openRing(setups); err != nil {
		return nil, err
	}
	if e.Loop, err = helper.NewLoop(kernel{e}, cfg.FS, cfg.Slots); err != nil {
		return nil, errors.Join(err, e.ring.close())
	}
	if err := e.registerTables(cfg.Arena); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

func (e *Engine) openRing(setups []uint32) error {
	entries := pow2(min(e.slots, maxEntries-1) + 1) // one for the wake-up
	// Room for every slot, for a cancellation of each, and the wake-up, so that it
	// can't overflow.
	r, err := openRing(entries, pow2(2*e.slots+1), setups, &e.opts)
	if err != nil {
		return err
	}
	if e.has, err = r.opcodes(); err != nil {
		return errors.Join(err, r.close())
	}
	e.ring = r
	for code, op := range opcodeOf {
		e.native[code] = e.has[op] && (!e.opts.hipri || engine.OpCode(code).Transfers())
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
	f = append(f, e.opts.features()...)
	return engine.Info{Name: Name, Detail: e.detail, Features: f, Prio: true}
}

// Cancel asks for slot's operation to be given up. The kernel is asked at the
// next Wait. It can give up what has not begun, as what waits behind other
// operations; not what is at a device.
func (e *Engine) Cancel(slot uint32) {
	if e.opts.hipri || !e.MayCancel() {
		return
	}
	s, err := e.next()
	if err != nil {
		return // the next Wait will meet the same error, and report it
	}
	*s = sqe{opcode: opAsyncCancel, fd: -1, addr: uint64(slot), userData: helper.MarkCancel}
}

// Close waits for what is in flight and frees the ring. Only the owner may call it.
func (e *Engine) Close() error {
	return errors.Join(e.Loop.Close(), e.unregister(), e.ring.disown(), e.ring.close())
}
