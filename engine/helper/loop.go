package helper

import (
	"errors"
	"fmt"
	"math"
	"runtime"

	"golang.org/x/sys/unix"

	"moonio/engine"
)

// Kernel is an interface of the kernel's that takes operations and gives
// completions back, as its engine drives it. Loop calls it, on the owner's thread.
type Kernel interface {
	// Begin makes the calling thread the owner, once, before all else.
	Begin() error
	// Start queues an operation for the kernel, gives it to the loop's Pool, or
	// completes it there if it can't start.
	Start(op *engine.Op, slot uint32) error
	// StartLinked does so for linked operations, of which there are two or more; or
	// it does nothing and returns false, and they are started one after the other.
	StartLinked(ops []engine.Op, chain []uint32) (bool, error)
	// ArmWake makes the Waker's next nudge a completion with MarkWake.
	ArmWake() error
	// Take fills out with completions that can be had without a call. The
	// kernel's answers to the engine's own requests go to Loop.Own.
	Take(out []engine.Completion) (int, error)
	// Unsubmitted is how many operations are queued, and Lagging whether the
	// kernel holds completions back until it is called.
	Unsubmitted() int
	Lagging() bool
	// Enter hands over what is queued and waits for so many completions, of the
	// engine's own requests too, for ns nanoseconds at most (below 0: without
	// limit). A raw wait is kept from the Go scheduler. The error is an errno.
	Enter(wait int, ns int64, raw bool) error
}

// Marks of completions that no caller asked for.
const (
	MarkWake   = 1 << 63
	MarkCancel = 1<<63 | 1
)

// Loop is what engines on such interfaces have in common: handing operations
// over in batches, waiting, chains, helper threads, waking.
//
// A wait begins with a system call that the Go scheduler does not know of, which
// is cheaper but keeps this thread's processor from other goroutines and from
// a garbage collection. It is bounded, by a timer of a millisecond or by the
// signal with which the runtime asks for the processor; what takes longer goes
// on in a normal system call.
type Loop struct {
	Pool  *Pool
	Waker *Waker
	Told  bool // Enter tells the scheduler of every wait, raw or not

	kernel   Kernel
	chains   *Chains
	begun    bool
	closing  bool
	inFlight int // submitted, not yet handed out
	cancels  int // not yet answered
	slots    int
}

// NewLoop makes a loop for an engine with so many slots on files of fs.
func NewLoop(k Kernel, fs engine.FS, slots int) (*Loop, error) {
	w, err := newWaker()
	if err != nil {
		return nil, err
	}
	return &Loop{Pool: newPool(fs, slots, w), Waker: w, kernel: k, chains: NewChains(slots), slots: slots}, nil
}

// begin makes the calling thread the owner.
func (l *Loop) begin() error {
	if l.begun {
		return nil
	}
	if err := l.kernel.Begin(); err != nil {
		return err
	}
	l.begun = true
	return l.kernel.ArmWake()
}

// Now is engine.Monotonic.
func (l *Loop) Now() int64 { return engine.Monotonic() }

// Wake makes the present or the next Wait return early.
func (l *Loop) Wake() { l.Waker.Wake() }

// InFlight is how many operations were submitted and not handed out, those that
// helpers do and those that are held back included.
func (l *Loop) InFlight() int { return l.inFlight }

// InKernel is how many of them the kernel has, or is about to be given.
func (l *Loop) InKernel() int {
	return l.inFlight - l.Pool.Running() - l.Pool.Ready() - l.chains.Held()
}

// MayCancel says whether a request to cancel has room for its answer, and counts it.
func (l *Loop) MayCancel() bool {
	if l.cancels == l.slots {
		return false // asked for more often than there are operations
	}
	l.cancels++
	return true
}

// Submit starts operations.
func (l *Loop) Submit(ops []engine.Op, slots []uint32) error {
	if err := l.begin(); err != nil {
		return err
	}
	l.inFlight += len(slots)
	for len(slots) > 0 {
		n := chainLen(ops, slots)
		var err error
		if n == 1 {
			err = l.kernel.Start(&ops[slots[0]], slots[0])
		} else {
			err = l.startChain(ops, slots[:n])
		}
		if err != nil {
			l.inFlight -= len(slots) // which never were
			return err
		}
		slots = slots[n:]
	}
	return nil
}

// chainLen is how many of slots, from the first, are linked: 1 if it stands alone.
func chainLen(ops []engine.Op, slots []uint32) int {
	n := 1
	for n < len(slots) && ops[slots[n-1]].Flags&engine.Link != 0 {
		n++
	}
	return n
}

// startChain begins linked operations: as one chain if the kernel takes it,
// otherwise one after the other.
func (l *Loop) startChain(ops []engine.Op, chain []uint32) error {
	if ok, err := l.kernel.StartLinked(ops, chain); ok || err != nil {
		return err
	}
	if err := l.kernel.Start(&ops[chain[0]], chain[0]); err != nil {
		return err
	}
	l.chains.Hold(ops, chain)
	return nil
}

// Flush hands over what is queued, without waiting.
func (l *Loop) Flush() error { return l.check(l.kernel.Enter(0, 0, true)) }

// check sorts an Enter's errno: nil if it is worth going on.
func (l *Loop) check(err error) error {
	switch {
	case err == nil, errors.Is(err, unix.ETIME):
		return nil
	case errors.Is(err, unix.EINTR):
		// The runtime wants this thread, most likely for a garbage collection.
		runtime.Gosched()
		return nil
	case errors.Is(err, unix.EBUSY), errors.Is(err, unix.EAGAIN):
		// The kernel has no memory for more requests. It will have when some of
		// those in flight are done; if there are none, it won't.
		if l.inFlight > l.kernel.Unsubmitted() {
			runtime.Gosched()
			return nil
		}
	case errors.Is(err, unix.EEXIST):
		return fmt.Errorf("entering the ring from a thread that doesn't own it: %w", err)
	}
	return fmt.Errorf("submitting %d operations: %w", l.kernel.Unsubmitted(), err)
}

// rawWait bounds, in nanoseconds, a wait for several completions that the Go
// scheduler doesn't know of. It is also the longest that a Wake goes unnoticed there.
const rawWait = 1_000_000

// untimed is from how far off, in nanoseconds, a deadline is not given to the kernel
// with a wait for one completion. Setting a timer costs several microseconds in a virtual
// machine, a tenth of a read at depth 1. What ends such a wait early, if nothing
// completes, is the signal with which Go's runtime takes a processor back that has been busy
// for 10 ms.
const untimed = 50_000_000

// Wait starts what was queued and collects completions.
func (l *Loop) Wait(out []engine.Completion, least int, deadline int64) (int, error) {
	if err := l.begin(); err != nil {
		return 0, err
	}
	need := min(least, len(out))
	n, err := l.collect(out)
	switch {
	case err != nil:
		return n, err
	case n >= need, l.Waker.Asked():
		return l.poke(out, n)
	}
	return l.sleep(out, n, need, deadline)
}

// poke starts what was queued, and collects what can be had without waiting.
func (l *Loop) poke(out []engine.Completion, n int) (int, error) {
	if l.kernel.Unsubmitted() == 0 && !l.kernel.Lagging() {
		return n, nil
	}
	for first := true; first || l.kernel.Unsubmitted() > 0; first = false {
		if err := l.Flush(); err != nil {
			return n, err
		}
	}
	m, err := l.collect(out[n:])
	return n + m, err
}

// sleep starts what was queued, and waits.
func (l *Loop) sleep(out []engine.Completion, n, need int, deadline int64) (int, error) {
	for slow := false; ; {
		left := int64(math.MaxInt64)
		if deadline != engine.NoDeadline {
			if left = deadline - engine.Monotonic(); left <= 0 {
				return l.poke(out, n)
			}
		}
		// Helpers want a processor to run on, and nothing in flight can't end early.
		short := !slow && l.Pool.Running() == 0 && (l.inFlight > 0 || left <= rawWait)
		err := l.kernel.Enter(l.waitFor(need-n, left, short))
		slow = slow || err == unix.ETIME || err == unix.EINTR
		if err := l.check(err); err != nil {
			return n, err
		}
		m, err := l.collect(out[n:])
		n += m
		switch {
		case err != nil:
			return n, err
		case n >= need, l.Waker.Asked():
			return l.rest(out, n)
		}
	}
}

// rest collects what the kernel has kept back of completions that came together: it hands
// out only so many in one call (20, since Linux 6.14). Who began new operations before taking the rest
// would make two bursts of one.
func (l *Loop) rest(out []engine.Completion, n int) (int, error) {
	for n < len(out) && l.kernel.Lagging() {
		if err := l.Flush(); err != nil {
			return n, err
		}
		m, err := l.collect(out[n:])
		if n += m; err != nil || m == 0 {
			return n, err
		}
	}
	return n, nil
}

// waitFor is how many completions to wait for in one system call, and how long
// at most (below 0: without limit).
func (l *Loop) waitFor(need int, left int64, short bool) (n int, ns int64, raw bool) {
	if l.chains.Held() > 0 || !short { // the kernel has fewer than are in flight
		need = 1
	}
	n, raw = max(1, min(need, l.inFlight)), short && !l.Told
	switch {
	case n == 1 && (left == math.MaxInt64 && !short || raw && left >= untimed):
		return n, -1, raw
	case n == 1 && !raw:
		return n, left, raw
	}
	return n, min(left, rawWait), raw
}

// collect fills out with completions that are there. With an error, those that it counts are handed out too.
func (l *Loop) collect(out []engine.Completion) (n int, err error) {
	n, err = l.kernel.Take(out)
	if l.chains.Held() > 0 {
		for i := 0; i < n && err == nil; i++ {
			err = l.after(out[i].Slot, out[i].Res)
		}
	}
	for ; n < len(out) && err == nil && l.Pool.Take(&out[n]); n++ {
		err = l.after(out[n].Slot, out[n].Res)
	}
	l.inFlight -= n
	return n, err
}

// after starts, or gives up, the operation that waited for this one.
func (l *Loop) after(slot uint32, res int64) error {
	next, op, ok := l.chains.Done(slot, res)
	switch {
	case !ok:
		return nil
	case op == nil:
		l.Pool.Complete(next, Canceled)
		return nil
	}
	err := l.kernel.Start(op, next)
	if err != nil {
		l.Pool.Complete(next, Canceled)
	}
	return err
}

// Own deals with the completion of a request that no caller made.
func (l *Loop) Own(mark uint64) error {
	switch {
	case mark == MarkCancel:
		l.cancels--
	case l.closing:
		l.closing = false
	default:
		return l.kernel.ArmWake()
	}
	return nil
}

// Close waits for what is in flight, the read of the waker included, and ends
// the helpers. The kernel's interface is then for the engine to close.
func (l *Loop) Close() error {
	err := l.drain()
	l.Pool.Close()
	return errors.Join(err, l.Waker.Close())
}

func (l *Loop) drain() error {
	if !l.begun {
		return nil
	}
	out := make([]engine.Completion, 64)
	for l.inFlight > 0 {
		if _, err := l.Wait(out, 1, engine.NoDeadline); err != nil {
			return err
		}
	}
	l.closing = true
	l.Waker.Nudge()
	// What an earlier wait has returned comes first: the nudge that ends this may be in it, and
	// the next wait would overwrite it.
	for {
		if _, err := l.collect(out); err != nil || !l.closing {
			return err
		}
		if err := l.check(l.kernel.Enter(1, -1, false)); err != nil {
			return err
		}
	}
}
