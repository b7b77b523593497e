// Package engine is the contract between a workload and the storage under it.
//
// An [Engine] takes operations from slots that the caller owns, performs them
// asynchronously, and hands back completions that name the slot. One goroutine
// owns an engine, locked to its thread; only Wake may be called from elsewhere.
// No pointer into Go's heap reaches the kernel, and neither Submit nor Wait
// allocates for operations on open files.
//
// Backends live in packages beneath this one and are held to one conformance
// suite, engine/enginetest.
package engine

import (
	"errors"
	"math"
)

// NoDeadline as a deadline waits for as long as it takes.
const NoDeadline = math.MaxInt64

// ErrUnavailable is wrapped by an engine's Open when this machine cannot carry it.
var ErrUnavailable = errors.New("not available here")

// Engine performs operations.
type Engine interface {
	// Info describes the engine as it was opened.
	Info() Info

	// Submit queues ops[i] for every i in slots, in that order. The operations
	// are sure to be under way only after the next Wait, so that one system
	// call can submit and wait. The engine does not keep ops: the caller may
	// move it between calls, but must not touch a submitted slot's Buf or Meta
	// until its completion. An operation that cannot even start completes with
	// an errno like any other; the error is for an engine that is broken, and for
	// a file that the engine, or an option that it was opened with, cannot work
	// on. That is found out at the file's first use, before any I/O on it.
	// At most Config.Slots operations may be in flight, and every slot is below it.
	Submit(ops []Op, slots []uint32) error

	// Wait starts what was queued and fills out with completions. It returns
	// when at least min are there (0 only collects what is), when out is full, when
	// the deadline on Now's clock has passed, or after a Wake; n may be less
	// than min in the last two cases. With nothing in flight it sleeps until
	// the deadline or a Wake.
	Wait(out []Completion, min int, deadline int64) (n int, err error)

	// Now is the engine's clock in nanoseconds: Monotonic, or the virtual time
	// of a simulated device. All engines of a run share one clock.
	Now() int64

	// Wake makes the present or the next Wait return early. Any goroutine may call it.
	Wake()

	// Cancel asks for a submitted operation to be given up. It completes all
	// the same, with ECANCELED if the cancellation was in time.
	Cancel(slot uint32)

	// Close waits for the operations in flight, discards their completions and
	// frees the engine. Files stay open: they belong to the FS.
	Close() error
}

// Config is what an engine is opened with.
type Config struct {
	Slots   int               // the most operations in flight, and one more than the highest slot
	FS      FS                // where names and descriptors live
	Arena   *Arena            // buffers, registered with the kernel where that helps; may be nil
	Options map[string]string // the engine's own options; an unknown one is an error
	Plain   bool              // for what a run does between its phases, such as laying files out: without the options that the user gave
}

// Info says what an opened engine is.
type Info struct {
	Name     string   // as the user names it, "io_uring"
	Detail   string   // what a reader of a result must know, such as a simulated device's profile
	Features []string // optional features in use, in the field's own words
	Virtual  bool     // Now is a virtual clock
	Memory   bool     // no storage is touched
	Depth    int      // the most operations that are under way at once; 0: as many as there are slots
	Inline   bool     // all that Submit was given has completed when it returns
	Prio     bool     // Op.Prio is honoured
	Helpers  bool     // operations are made by other threads than its owner's
}
