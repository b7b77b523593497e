// Package null is an engine that completes every operation at once, on names
// and sizes in memory and on the real clock. It shows what everything but the
// storage costs.
package null

import (
	"fmt"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/helper"
	"moonio/engine/memfs"
)

// Engine performs operations within Submit; Wait hands the completions out.
type Engine struct {
	*helper.Inline
	fs *memfs.FS
}

var _ engine.Engine = (*Engine)(nil)

// Open opens an engine on cfg.FS, which must be a *memfs.FS. It has no options.
func Open(cfg engine.Config) (engine.Engine, error) {
	fs, ok := cfg.FS.(*memfs.FS)
	if !ok {
		return nil, fmt.Errorf("null: files must be in memory, and not in a %T", cfg.FS)
	}
	for name := range cfg.Options {
		return nil, fmt.Errorf("null: unknown option %q; it has none", name)
	}
	return &Engine{Inline: helper.NewInline("null", cfg.Slots), fs: fs}, nil
}

// Info describes the engine.
func (e *Engine) Info() engine.Info {
	return engine.Info{Name: "null", Detail: "completes every operation at once, without storage", Memory: true, Inline: true}
}

// Submit performs the operations.
func (e *Engine) Submit(ops []engine.Op, slots []uint32) error {
	if err := e.Room(len(slots)); err != nil {
		return err
	}
	n := e.reads(ops, slots)
	return e.Inline.Submit(ops, slots[n:], e.perform)
}

// reads performs the plain reads that slots begins with and returns how many
// they are. It does nothing that perform does not, and is faster.
func (e *Engine) reads(ops []engine.Op, slots []uint32) int {
	done, fs := e.Done, e.fs
	for i, slot := range slots {
		op := &ops[slot]
		if op.Code != engine.Read || op.Flags != 0 || op.File == nil {
			slots = slots[:i]
			break
		}
		done = append(done, engine.Completion{Slot: slot, Res: fs.Handle(op.File.FD).Read(op.Off, int64(len(op.Buf)))})
	}
	e.Done = done
	return len(slots)
}

func (e *Engine) perform(op *engine.Op) (int64, error) {
	if op.File == nil {
		return helper.Do(e.fs, op), nil // on a name, or an error
	}
	switch op.Code {
	case engine.Read:
		return e.fs.ReadAt(op.File.FD, op.Off, int64(len(op.Buf))), nil
	case engine.Write, engine.Append:
		return e.fs.WriteAt(op.File.FD, op.Off, int64(len(op.Buf))), nil
	case engine.Fsync, engine.Fdatasync:
		return e.fs.Sync(op.File.FD), nil
	case engine.SyncRange:
		if op.Off < 0 || op.Len < 0 {
			return -int64(unix.EINVAL), nil
		}
		return e.fs.Sync(op.File.FD), nil
	}
	return helper.Do(e.fs, op), nil
}

// Close frees the engine.
func (e *Engine) Close() error { return nil }
