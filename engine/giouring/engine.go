//go:build giouring

package giouring

import (
	"errors"
	"fmt"
	"math/bits"
	"syscall"

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

// Engine is an open ring. The goroutine that first calls Submit or Wait owns it
// and must be locked to its thread.
type Engine struct {
	*helper.Loop
	ring     *lib.Ring
	features []string
	slots    int
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
	if err := helper.NewSettings(Name, cfg.Options).Err(); err != nil {
		return nil, err
	}
	if err := helper.CheckRing(Name, &cfg, maxSlots); err != nil {
		return nil, err
	}
	e := &Engine{slots: cfg.Slots}
	if err := e.openRing(); err != nil {
		return nil, err
	}
	var err error
	if e.wakes, err = unix.Mmap(-1, 0, 8, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS); err != nil {
		e.ring.QueueExit()
		return nil, fmt.Errorf("mapping memory for the ring: %w", err)
	}
	if e.Loop, err = helper.NewLoop(kernel{e}, cfg.FS, cfg.Slots); err != nil {
		e.ring.QueueExit()
		return nil, errors.Join(err, unix.Munmap(e.wakes))
	}
	e.Told = true
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

// Info describes the ring.
func (e *Engine) Info() engine.Info { return engine.Info{Name: Name, Features: e.features, Prio: true} }

// Cancel asks for slot's operation to be given up, at the next Wait.
func (e *Engine) Cancel(slot uint32) {
	if !e.MayCancel() {
		return
	}
	s, err := e.next()
	if err != nil {
		return // the next Wait will meet the same error, and report it
	}
	s.PrepareCancel64(uint64(slot), 0)
	s.UserData = helper.MarkCancel
}

// Close waits for what is in flight and frees the ring. Only the owner may call it.
func (e *Engine) Close() error {
	err := e.Loop.Close()
	e.ring.QueueExit()
	return errors.Join(err, unix.Munmap(e.wakes))
}
