// Package mmap is the engine "mmap": loads and stores in mapped files, on the
// worker's own thread and one operation at a time.
//
// A read copies from the mapping, a write into it. A write past the file's end
// goes through pwrite, since no store makes a file longer. fdatasync, and what
// must be durable when it completes, is msync; fsync is fsync, which covers what
// msync leaves out. Trimming punches a hole under the mapping; the rest is done by
// calls.
//
// A page that has to come from the storage is waited for within a load, of which
// the Go scheduler knows nothing: a garbage collection waits with it. A page
// that can't be had, on a disk that fails or is full, is EIO. In the last page of a
// file that another thread has made shorter, past its end, reads find zeros and
// writes are lost.
//
// Files are mapped whole, and at most maxMapped at a time. Direct files are
// refused.
package mmap

import (
	"errors"
	"fmt"
	"runtime/debug"

	"golang.org/x/sys/unix"

	"moonio/engine"
	"moonio/engine/helper"
)

// Name is the engine's name.
const Name = "mmap"

// Options are the engine's.
func Options() []engine.Option {
	return []engine.Option{
		{Name: "advise", Value: "HOW", About: "what the kernel is told of the accesses to come: normal, random, sequential, willneed or hugepage"},
		{Name: "populate", About: "read a file in when it is mapped (MAP_POPULATE)"},
	}
}

// advices are the values of the option advise, the default first.
var advices = []struct {
	name   string
	advice int
}{{"normal", unix.MADV_NORMAL}, {"random", unix.MADV_RANDOM}, {"sequential", unix.MADV_SEQUENTIAL}, {"willneed", unix.MADV_WILLNEED}, {"hugepage", unix.MADV_HUGEPAGE}}

// Engine has files mapped.
type Engine struct {
	*helper.Inline
	fs       engine.FS
	advise   string
	populate bool
	perform  func(*engine.Op) (int64, error)
	handles  []handle // by file ID
	nodes    map[inode]*node
	mapped   []*node // those that are mapped, the longest ago first
	most     int     // how many those may be
}

var _ engine.Engine = (*Engine)(nil)

// CheckOptions says what is wrong with options.
func CheckOptions(options map[string]string) error { return new(Engine).read(options) }

func (e *Engine) read(options map[string]string) error {
	var names []string
	for _, a := range advices {
		names = append(names, a.name)
	}
	s := helper.NewSettings(Name, options)
	e.advise = s.OneOf("advise", names...)
	e.populate, _ = s.Switch("populate")
	return s.Err()
}

// Open opens an engine on any namespace with descriptors of the kernel.
func Open(cfg engine.Config) (engine.Engine, error) {
	e := &Engine{Inline: helper.NewInline(Name, cfg.Slots), fs: cfg.FS, nodes: map[inode]*node{}, most: maxMapped}
	if err := e.read(cfg.Options); err != nil {
		return nil, err
	}
	if err := helper.CheckFiles(Name, cfg.FS); err != nil {
		return nil, err
	}
	e.perform = e.do
	return e, nil
}

// Info describes the engine.
func (e *Engine) Info() engine.Info {
	info := engine.Info{Name: Name, Detail: "loads and stores by the worker itself, one operation at a time", Depth: 1, Inline: true}
	if e.advise != advices[0].name {
		info.Features = append(info.Features, "advise="+e.advise)
	}
	if e.populate {
		info.Features = append(info.Features, "populate")
	}
	return info
}

// Submit performs the operations. A fault in a mapping is theirs and not the program's.
func (e *Engine) Submit(ops []engine.Op, slots []uint32) error {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	return e.Inline.Submit(ops, slots, e.perform)
}

func (e *Engine) do(op *engine.Op) (int64, error) {
	if op.File == nil || op.Code.Named() || op.Code == engine.Nop {
		return helper.Do(e.fs, op), nil
	}
	h, res, err := e.handle(op.File)
	switch {
	case err != nil:
		return 0, err
	case h == nil:
		return res, nil
	case op.Code == engine.Close:
		e.forget(h)
	case h.node == nil: // nothing that can be mapped
	case op.Code == engine.Read:
		return e.load(h, op)
	case op.Code == engine.Write, op.Code == engine.Append:
		return e.store(h, op)
	case op.Code == engine.Fdatasync && h.node.covered(h.file.FD):
		return h.node.sync(0, h.node.size, 0), nil
	}
	res = helper.Do(e.fs, op)
	if h.node != nil && (op.Code == engine.Truncate || op.Code == engine.Allocate) {
		h.node.measure(h.file.FD)
	}
	return res, nil
}

// load copies from the mapping.
func (e *Engine) load(h *handle, op *engine.Op) (int64, error) {
	n := h.node
	switch {
	case !h.read:
		return -int64(unix.EBADF), nil
	case op.Off < 0 || op.Off+int64(len(op.Buf)) < 0:
		return -int64(unix.EINVAL), nil
	}
	for {
		end := op.Off + int64(len(op.Buf))
		if end > n.size {
			n.measure(h.file.FD)
			end = max(op.Off, min(end, n.size))
		}
		if end == op.Off {
			return 0, nil
		}
		if err := e.reach(h, end); err != nil {
			return 0, err
		}
		if res := moved(op.Buf, n.mem[op.Off:end]); res >= 0 || !h.shorter(end) {
			return res, nil
		}
	}
}

// store copies into the mapping.
func (e *Engine) store(h *handle, op *engine.Op) (int64, error) {
	n := h.node
	switch {
	case !h.write:
		return -int64(unix.EBADF), nil
	case op.Off < 0 || op.Off+int64(len(op.Buf)) < 0:
		return -int64(unix.EINVAL), nil
	case len(op.Buf) == 0:
		return 0, nil
	}
	end := op.Off + int64(len(op.Buf))
	if end > n.size {
		n.measure(h.file.FD)
	}
	if end <= n.size {
		if err := e.reach(h, end); err != nil {
			return 0, err
		}
		if res := moved(n.mem[op.Off:end], op.Buf); res >= 0 || !h.shorter(end) {
			return h.durable(op, res), nil
		}
	}
	res := helper.Do(e.fs, op)
	n.measure(h.file.FD)
	return res, nil
}

// shorter says whether a fault came of the file's having been made shorter than end.
func (h *handle) shorter(end int64) bool {
	h.node.measure(h.file.FD)
	return end > h.node.size
}

// durable makes a write that is to be so, and returns its completion's Res.
func (h *handle) durable(op *engine.Op, res int64) int64 {
	if res <= 0 || !h.dsync && op.Flags&engine.DSync == 0 {
		return res
	}
	return h.node.sync(op.Off, op.Off+res, res)
}

// moved copies, and returns how much, or EIO if a page is not to be had.
func moved(to, from []byte) (res int64) {
	defer func() {
		if p := recover(); p != nil {
			if _, fault := p.(interface{ Addr() uintptr }); !fault {
				panic(p)
			}
			res = -int64(unix.EIO)
		}
	}()
	return int64(copy(to, from))
}

// Close unmaps everything.
func (e *Engine) Close() error {
	var errs []error
	for _, n := range e.mapped {
		errs = append(errs, n.unmap())
	}
	for i := range e.handles {
		errs = append(errs, e.handles[i].closeOwn())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("mmap: unmapping files: %w", err)
	}
	return nil
}
