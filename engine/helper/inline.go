package helper

import (
	"fmt"

	"moonio/engine"
	"moonio/engine/internal/block"
)

// Inline is what engines have in common that perform each operation within
// Submit, on the owner's thread: linked operations, the completions until Wait
// hands them out, and its sleep.
type Inline struct {
	Done  []engine.Completion // from head on: not handed out yet; an engine may append after Room
	head  int
	bell  block.Bell
	name  string
	slots int
}

// NewInline is for an engine of that name and so many slots.
func NewInline(name string, slots int) *Inline {
	return &Inline{name: name, slots: slots, Done: make([]engine.Completion, 0, slots)}
}

// Submit has every operation performed, one after the other. perform returns a
// completion's Res; its error ends the engine's work.
func (i *Inline) Submit(ops []engine.Op, slots []uint32, perform func(*engine.Op) (int64, error)) error {
	if err := i.Room(len(slots)); err != nil {
		return err
	}
	broken := false
	for _, slot := range slots {
		op := &ops[slot]
		res := Canceled
		if !broken {
			var err error
			if res, err = perform(op); err != nil {
				return err
			}
		}
		i.Done = append(i.Done, engine.Completion{Slot: slot, Res: res})
		broken = op.Flags&engine.Link != 0 && (res < 0 || op.Code.Transfers() && res < int64(len(op.Buf)))
	}
	return nil
}

// Room makes room for n more completions.
func (i *Inline) Room(n int) error {
	if len(i.Done)+n <= cap(i.Done) {
		return nil
	}
	i.Done = i.Done[:copy(i.Done, i.Done[i.head:])]
	i.head = 0
	if len(i.Done)+n > cap(i.Done) {
		return fmt.Errorf("%s: more than %d operations in flight", i.name, i.slots)
	}
	return nil
}

// Wait hands out what is done, and sleeps if that is less than least.
func (i *Inline) Wait(out []engine.Completion, least int, deadline int64) (int, error) {
	n := 0
	if left := i.Done[i.head:]; len(left) == 1 && len(out) > 0 {
		out[0], n = left[0], 1 // at depth 1, a call less
	} else {
		n = copy(out, left)
	}
	if i.head += n; i.head == len(i.Done) {
		i.Done, i.head = i.Done[:0], 0
	}
	if n < least && n < len(out) {
		i.sleep(deadline)
	}
	return n, nil
}

// sleep returns at the deadline or after a Wake: nothing can complete meanwhile.
func (i *Inline) sleep(deadline int64) {
	for !i.bell.Asked() && engine.Monotonic() < deadline {
		i.bell.Sleep(deadline)
	}
}

// Now is the monotonic clock.
func (i *Inline) Now() int64 { return engine.Monotonic() }

// Wake ends a sleep. Any goroutine may call it.
func (i *Inline) Wake() { i.bell.Wake() }

// Cancel comes too late for any operation.
func (i *Inline) Cancel(uint32) {}
