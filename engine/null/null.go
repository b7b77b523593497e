// Package null is an engine that completes every operation at once, on names
// and sizes in memory and on the real clock. It shows what everything but the
// storage costs.
package null

import (
	"fmt"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/helper"
	"moonio/engine/internal/block"
	"moonio/engine/memfs"
)

// Engine performs operations within Submit; Wait hands the completions out.
type Engine struct {
	fs    *memfs.FS
	bell  block.Bell
	slots int
	done  []engine.Completion // from head on: not handed out yet
	head  int
}

var _ engine.Engine = (*Engine)(nil)

// Open opens an engine on cfg.FS, which must be a *memfs.FS. It has no options.
func Open(cfg engine.Config) (*Engine, error) {
	fs, ok := cfg.FS.(*memfs.FS)
	if !ok {
		return nil, fmt.Errorf("null: files must be in memory, and not in a %T", cfg.FS)
	}
	for name := range cfg.Options {
		return nil, fmt.Errorf("null: unknown option %q; it has none", name)
	}
	return &Engine{fs: fs, slots: cfg.Slots, done: make([]engine.Completion, 0, cfg.Slots)}, nil
}

// Info describes the engine.
func (e *Engine) Info() engine.Info {
	return engine.Info{Name: "null", Detail: "completes every operation at once, without storage", Memory: true}
}

// Now is the monotonic clock.
func (e *Engine) Now() int64 { return engine.Monotonic() }

// Submit performs the operations.
func (e *Engine) Submit(ops []engine.Op, slots []uint32) error {
	if len(e.done)+len(slots) > cap(e.done) {
		e.done = e.done[:copy(e.done, e.done[e.head:])]
		e.head = 0
		if len(e.done)+len(slots) > cap(e.done) {
			return fmt.Errorf("null: more than %d operations in flight", e.slots)
		}
	}
	for len(slots) > 0 {
		if n := e.reads(ops, slots); n > 0 {
			slots = slots[n:]
			continue
		}
		slots = slots[e.chain(ops, slots):]
	}
	return nil
}

// reads performs the plain reads that slots begins with and returns how many
// they are. It does nothing that chain does not, and is faster.
func (e *Engine) reads(ops []engine.Op, slots []uint32) int {
	done, fs := e.done, e.fs
	for i, slot := range slots {
		op := &ops[slot]
		if op.Code != engine.Read || op.Flags != 0 || op.File == nil {
			slots = slots[:i]
			break
		}
		done = append(done, engine.Completion{Slot: slot, Res: fs.Handle(op.File.FD).Read(op.Off, int64(len(op.Buf)))})
	}
	e.done = done
	return len(slots)
}

// chain performs the operation, or the linked ones, that slots begins with and
// returns how many they are.
func (e *Engine) chain(ops []engine.Op, slots []uint32) int {
	broken := false
	for i, slot := range slots {
		op := &ops[slot]
		res := helper.Canceled
		if !broken {
			res = e.perform(op)
		}
		e.done = append(e.done, engine.Completion{Slot: slot, Res: res})
		if op.Flags&engine.Link == 0 {
			return i + 1
		}
		broken = res < 0 || op.Code.Transfers() && res < int64(len(op.Buf))
	}
	return len(slots)
}

func (e *Engine) perform(op *engine.Op) int64 {
	if op.File == nil {
		return helper.Do(e.fs, op) // on a name, or an error
	}
	switch op.Code {
	case engine.Read:
		return e.fs.ReadAt(op.File.FD, op.Off, int64(len(op.Buf)))
	case engine.Write, engine.Append:
		return e.fs.WriteAt(op.File.FD, op.Off, int64(len(op.Buf)))
	case engine.Fsync, engine.Fdatasync:
		return e.fs.Sync(op.File.FD)
	case engine.SyncRange:
		if op.Off < 0 || op.Len < 0 {
			return -int64(unix.EINVAL)
		}
		return e.fs.Sync(op.File.FD)
	}
	return helper.Do(e.fs, op)
}

// Wait hands out what is done, and sleeps if that is less than min.
func (e *Engine) Wait(out []engine.Completion, min int, deadline int64) (int, error) {
	n := copy(out, e.done[e.head:])
	if e.head += n; e.head == len(e.done) {
		e.done, e.head = e.done[:0], 0
	}
	if n < min && n < len(out) {
		e.sleep(deadline)
	}
	return n, nil
}

// sleep returns at the deadline or after a Wake: nothing can complete meanwhile.
func (e *Engine) sleep(deadline int64) {
	for !e.bell.Asked() && engine.Monotonic() < deadline {
		e.bell.Sleep(deadline)
	}
}

// Wake ends a sleep.
func (e *Engine) Wake() { e.bell.Wake() }

// Cancel comes too late for any operation.
func (e *Engine) Cancel(uint32) {}

// Close frees the engine.
func (e *Engine) Close() error { return nil }
