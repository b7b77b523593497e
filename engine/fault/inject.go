package fault

import (
	"math"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"moonio/engine"
)

// injector is an engine around another. Operations that no rule names pass
// through, and so do their chains. The others it adopts: it submits them one
// by one when their turn comes, and holds their completions until they are due.
type injector struct {
	engine.Engine
	rules []*Rule
	rng   *rand.Rand

	ops     []engine.Op // by slot: adopted operations as the engine beneath gets them
	slots   []slot
	adopted int // adopted and not yet handed out
	held    held
	queued  bool // something was submitted beneath since the last Wait there
	closing bool // nothing is held back any more
	woken   atomic.Bool
	single  [1]uint32
}

// slot is what is known of an adopted operation.
type slot struct {
	state    state
	want     int64         // bytes that it must transfer for what is linked to it
	delay    time.Duration // of its completion
	next     uint32        // waits for this one, if linked
	linked   bool
	canceled bool // nothing holds its completion back
}

type state uint8

const (
	foreign state = iota // passed through, or not in flight
	waiting              // for the operation that it is linked to
	beneath              // in the engine
	done                 // its completion is held
)

// Wrap puts the rules around one worker's engine. Workers share the rules and
// should have different seeds, which drive the rules' chances. Without rules it
// is the engine itself.
func Wrap(e engine.Engine, rules []*Rule, seed uint64) engine.Engine {
	if len(rules) == 0 {
		return e
	}
	for _, r := range rules {
		r.begin(e.Now())
	}
	return &injector{Engine: e, rules: rules, rng: rand.New(rand.NewPCG(seed, 0x6661756c74))}
}

// Info is the engine's, with the rules.
func (e *injector) Info() engine.Info {
	info := e.Engine.Info()
	var b strings.Builder
	if info.Detail != "" {
		b.WriteString(info.Detail + "; ")
	}
	b.WriteString("injected faults:")
	for _, r := range e.rules {
		b.WriteString(" " + r.String())
	}
	info.Detail, info.Inline = b.String(), false
	return info
}

// Submit adopts the chains that a rule is about and passes on what is between
// them.
func (e *injector) Submit(ops []engine.Op, slots []uint32) error {
	passed := 0
	for i := 0; i < len(slots); {
		end := chainEnd(ops, slots, i)
		if e.concerned(ops, slots[i:end]) {
			if err := e.pass(ops, slots[passed:i]); err != nil {
				return err
			}
			if err := e.adopt(ops, slots[i:end]); err != nil {
				return err
			}
			passed = end
		}
		i = end
	}
	return e.pass(ops, slots[passed:])
}

// chainEnd is where the chain of linked operations ends that begins at i.
func chainEnd(ops []engine.Op, slots []uint32, i int) int {
	for i+1 < len(slots) && ops[slots[i]].Flags&engine.Link != 0 {
		i++
	}
	return i + 1
}

func (e *injector) concerned(ops []engine.Op, chain []uint32) bool {
	for _, s := range chain {
		for _, r := range e.rules {
			if r.names(&ops[s]) {
				return true
			}
		}
	}
	return false
}

func (e *injector) pass(ops []engine.Op, slots []uint32) error {
	if len(slots) == 0 {
		return nil
	}
	e.queued = true
	return e.Engine.Submit(ops, slots)
}

func (e *injector) adopt(ops []engine.Op, chain []uint32) error {
	for i, s := range chain {
		e.reach(s)
		op := &e.ops[s]
		*op = ops[s]
		op.Flags &^= engine.Link
		sl := &e.slots[s]
		*sl = slot{state: waiting, linked: i+1 < len(chain)}
		if sl.linked {
			sl.next = chain[i+1]
		}
		if op.Code.Transfers() {
			sl.want = int64(len(op.Buf))
		}
	}
	e.adopted += len(chain)
	return e.start(chain[0])
}

// reach makes room for a slot.
func (e *injector) reach(s uint32) {
	if n := int(s) + 1; n > len(e.slots) {
		e.slots = append(e.slots, make([]slot, n-len(e.slots))...)
		e.ops = append(e.ops, make([]engine.Op, n-len(e.ops))...)
	}
}

// start decides what befalls an operation, and begins it.
func (e *injector) start(s uint32) error {
	sl, op := &e.slots[s], &e.ops[s]
	now := e.Now()
	if sl.canceled {
		e.hold(s, now, canceled)
		return nil
	}
	var errno unix.Errno
	short := int64(math.MaxInt64)
	for _, r := range e.rules {
		if !r.names(op) || !r.counts(op) || !r.fires(e.rng) {
			continue
		}
		if errno == 0 {
			errno = r.errno
		}
		if r.short > 0 {
			short = min(short, cut(op, r.short))
		}
		if r.stall > 0 {
			r.stallFrom(now)
		}
		sl.delay += r.delay
	}
	if errno != 0 {
		e.hold(s, now+int64(sl.delay), -int64(errno))
		return nil
	}
	if short < int64(len(op.Buf)) {
		op.Buf = op.Buf[:short]
	}
	sl.state = beneath
	e.single[0] = s
	err := e.pass(e.ops, e.single[:])
	if err != nil {
		e.hold(s, now, canceled) // nobody waits for what the engine never got
	}
	return err
}

const canceled = -int64(unix.ECANCELED)

// hold keeps an operation's completion until it is due.
func (e *injector) hold(s uint32, due, res int64) {
	e.slots[s].state = done
	e.held.push(due, s, res)
}

// Wait alternates between what it holds and the engine beneath until one of
// the contract's ends is reached.
func (e *injector) Wait(out []engine.Completion, least int, deadline int64) (int, error) {
	least = min(least, len(out))
	n, err := e.release(out)
	for err == nil {
		wanted, until := least-n, min(deadline, e.due())
		if n > 0 && wanted <= 0 {
			if !e.queued || n == len(out) {
				break
			}
			wanted, until = 1, 0 // only start what is queued
		}
		if e.adopted > 0 {
			wanted = min(wanted, 1) // each may be delayed from its own time on, or have others wait for it
		}
		var m int
		e.queued = false
		if m, err = e.Engine.Wait(out[n:], wanted, until); err != nil {
			break
		}
		n += e.sift(out[n : n+m])
		if m, err = e.release(out[n:]); err != nil {
			break
		}
		n += m
		if n >= least && !e.queued || e.Now() >= deadline || e.woken.Load() {
			break
		}
	}
	e.woken.Store(false)
	return n, err
}

// due is when the first held completion is to be handed out.
func (e *injector) due() int64 {
	if len(e.held.heap) == 0 {
		return engine.NoDeadline
	}
	return e.held.heap[0].due
}

// sift leaves in list the completions that are not for an adopted operation, and
// holds the others.
func (e *injector) sift(list []engine.Completion) int {
	now, n := e.Now(), 0
	for _, c := range list {
		if int(c.Slot) >= len(e.slots) || e.slots[c.Slot].state == foreign {
			list[n] = c
			n++
			continue
		}
		e.hold(c.Slot, now+int64(e.slots[c.Slot].delay), c.Res)
	}
	return n
}

// release hands out what is due and is not stalled, and starts what is linked to it.
func (e *injector) release(out []engine.Completion) (int, error) {
	n := 0
	for now := e.Now(); n < len(out) && (e.due() <= now || e.closing && len(e.held.heap) > 0); {
		c := e.held.heap.Pop()
		sl := &e.slots[c.slot]
		if end := e.stalled(c.slot, now); end > now && !sl.canceled && !e.closing {
			e.held.push(end, c.slot, c.res)
			continue
		}
		out[n] = engine.Completion{Slot: c.slot, Res: c.res}
		n++
		sl.state = foreign
		e.adopted--
		if err := e.follow(sl, c.res, now); err != nil {
			return n, err
		}
	}
	return n, nil
}

// follow starts what is linked to an operation that has completed, or gives it up.
func (e *injector) follow(sl *slot, res, now int64) error {
	switch {
	case !sl.linked:
		return nil
	case res < sl.want:
		e.hold(sl.next, now, canceled)
		return nil
	}
	return e.start(sl.next)
}

// stalled is when the stalls end that hold an operation's completion.
func (e *injector) stalled(s uint32, now int64) int64 {
	var end int64
	for _, r := range e.rules {
		if r.stall == 0 || !r.names(&e.ops[s]) {
			continue
		}
		until := r.stalled(now)
		if until > 0 && r.clock {
			r.matched.Add(1)
			r.fired.Add(1)
		}
		end = max(end, until)
	}
	return end
}

// Wake ends the present or the next Wait.
func (e *injector) Wake() {
	e.woken.Store(true)
	e.Engine.Wake()
}

// Cancel gives up an operation, or the delay of its completion.
func (e *injector) Cancel(s uint32) {
	if int(s) >= len(e.slots) {
		e.Engine.Cancel(s)
		return
	}
	sl := &e.slots[s]
	sl.canceled = true
	switch sl.state {
	case done:
		e.held.hasten(s)
	case beneath, foreign:
		sl.delay = 0
		e.Engine.Cancel(s)
	}
}

// Close gives all delays up and waits for what is in flight.
func (e *injector) Close() error {
	e.closing = true
	var out [64]engine.Completion
	for e.adopted > 0 {
		if _, err := e.Wait(out[:], 1, engine.NoDeadline); err != nil {
			break // the engine is broken, and its Close says how
		}
	}
	return e.Engine.Close()
}
