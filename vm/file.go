package vm

import (
	"errors"
	"fmt"
	"maps"
	"sync/atomic"

	lua "github.com/yuin/gopher-lua"

	"moonio/engine"
	"moonio/engine/run"
)

// file is what a script holds of an open file, on any worker.
type file struct {
	*engine.File
	path   string // as the script named it
	closed atomic.Bool
}

// asFile is the file that v is, or nil.
func asFile(v lua.LValue) *file {
	if u, ok := v.(*lua.LUserData); ok {
		if f, ok := u.Value.(*file); ok {
			return f
		}
	}
	return nil
}

// transfers are the operations that a file and a queue both offer. Their arguments
// begin with the file, at position at; perform is what is done with the request.
func (m *machine) transfers(at int, perform func(*lua.LState, run.Request) int) map[string]lua.LGFunction {
	methods := map[string]lua.LGFunction{}
	for _, c := range []engine.OpCode{engine.Read, engine.Write, engine.Append} {
		methods[c.String()] = func(L *lua.LState) int { return perform(L, m.transfer(L, at, c)) }
	}
	for _, c := range []engine.OpCode{engine.Fsync, engine.Fdatasync} {
		methods[c.String()] = func(L *lua.LState) int { return perform(L, run.Request{Code: c, File: m.file(L, at, c)}) }
	}
	for _, c := range []engine.OpCode{engine.SyncRange, engine.Trim} {
		methods[c.String()] = func(L *lua.LState) int { return perform(L, m.ranged(L, at, c)) }
	}
	return methods
}

// fileMethods are the methods of a File.
func (m *machine) fileMethods() map[string]lua.LGFunction {
	methods := m.transfers(1, m.do)
	maps.Copy(methods, map[string]lua.LGFunction{
		"allocate": func(L *lua.LState) int { return m.do(L, m.ranged(L, 1, engine.Allocate)) },
		"truncate": m.truncate,
		"close":    m.closeFile,
		"invalidate": func(L *lua.LState) int {
			f := m.anyFile(L, 1)
			m.directorOnly(L, "invalidate")
			if f.closed.Load() {
				L.RaiseError("invalidate: %q has been closed", f.path)
			}
			m.dropCache(L, f)
			return 0
		},
		"size": func(L *lua.LState) int {
			f := m.anyFile(L, 1)
			if f.Size() == plannedSize {
				m.beyondRehearsal(L)
			}
			return pushInt(L, f.Size())
		},
		"tail": func(L *lua.LState) int { return pushInt(L, m.anyFile(L, 1).Tail()) },
		"name": func(L *lua.LState) int { L.Push(lua.LString(m.anyFile(L, 1).path)); return 1 },
	})
	return methods
}

// dropCache makes the page cache give up what it holds of a file.
func (m *machine) dropCache(L *lua.LState, f *file) {
	if m.run.Plan != nil {
		return
	}
	if err := m.run.Session.Invalidate(f.File); err != nil {
		m.raise(L, err)
	}
}

func pushInt(L *lua.LState, n int64) int {
	L.Push(lua.LNumber(n))
	return 1
}

// anyFile takes a file argument, open or closed.
func (m *machine) anyFile(L *lua.LState, n int) *file {
	f := asFile(L.Get(n))
	if f == nil {
		L.RaiseError("argument %d is %s, and not a file: methods are called with a colon, as in log:append(\"4KiB\")", n, show(L.Get(n)))
	}
	return f
}

// file takes a file argument that the operation can work on.
func (m *machine) file(L *lua.LState, n int, c engine.OpCode) *engine.File {
	f := m.anyFile(L, n)
	if f.closed.Load() {
		L.RaiseError("%s: %q has been closed", c, f.path)
	}
	if f.ReadOnly && c.Writes() {
		m.raise(L, fmt.Errorf("%s: %w", c, m.readOnly(f.File)))
	}
	return f.File
}

// errReadOnly is wrapped by the error for a write to a file that is open for reading.
var errReadOnly = errors.New("for reading only")

// readOnly says why a file is not written.
func (m *machine) readOnly(f *engine.File) error {
	if f.Device {
		return fmt.Errorf("%q is open %w: --destroy-data lets the script write it, and all that is on it is lost", f.Name, errReadOnly)
	}
	why := errors.New("it was opened with write = false")
	if err := m.run.whyKept(f.Name); err != nil {
		why = err
	}
	return fmt.Errorf("%q is open %w: %w", f.Name, errReadOnly, why)
}

// transfer reads the arguments (file, n, at) of a read, write or append.
func (m *machine) transfer(L *lua.LState, at int, c engine.OpCode) run.Request {
	f := m.file(L, at, c)
	n := m.sizeArg(L, at+1, c.String(), "length")
	r := run.Request{Code: c, File: f, Len: n}
	if c != engine.Append {
		r.Off = m.place(L, at+2, c, f, n)
	}
	return r
}

// place is where an operation goes: an offset, a draw from a pattern, or on from the
// last one.
func (m *machine) place(L *lua.LState, at int, c engine.OpCode, f *engine.File, n int64) int64 {
	switch v := L.Get(at).(type) {
	case lua.LNumber:
		if off := int64(v); lua.LNumber(off) == v && off >= 0 {
			return off
		}
		L.RaiseError("%s: %s is not an offset: it must be a whole number of bytes, and not negative", c, show(v))
	case *lua.LUserData:
		if u, ok := v.Value.(*patternUse); ok {
			off, err := u.offset(m.rand(), f, n)
			if err != nil {
				L.RaiseError("%s: %v", c, err)
			}
			return off
		}
	case *lua.LNilType:
		return m.cursor(f, n)
	case lua.LString:
		return m.sizeArg(L, at, c.String(), "offset")
	case *lua.LFunction:
		L.RaiseError("%s: where it goes is a function: call it, as in random()", c)
	}
	L.RaiseError("%s: %s is not an offset or a pattern", c, show(L.Get(at)))
	return 0
}

// cursor is where sequential access goes on.
func (m *machine) cursor(f *engine.File, n int64) int64 {
	if m.task != nil {
		return m.task.Cursor(f, n)
	}
	return m.cursors.Next(f, n)
}

// ranged reads the arguments (file, offset, length) of an operation on a range.
func (m *machine) ranged(L *lua.LState, at int, c engine.OpCode) run.Request {
	f := m.file(L, at, c)
	r := run.Request{Code: c, File: f}
	if c != engine.SyncRange || L.Get(at+1) != lua.LNil {
		r.Off = m.sizeArg(L, at+1, c.String(), "offset")
	}
	if c != engine.SyncRange || L.Get(at+2) != lua.LNil {
		r.Len = m.sizeArg(L, at+2, c.String(), "length")
	}
	return r
}

func (m *machine) truncate(L *lua.LState) int {
	f := m.file(L, 1, engine.Truncate)
	return m.do(L, run.Request{Code: engine.Truncate, File: f, Len: m.sizeArg(L, 2, "truncate", "size")})
}

func (m *machine) closeFile(L *lua.LState) int {
	f := m.anyFile(L, 1)
	if f.Device {
		L.RaiseError("close: %q is a device, which stays open for the whole run", f.path)
	}
	if m.task != nil {
		if err := m.task.MayClose(f.File); err != nil {
			L.RaiseError("close: %v", err)
		}
	}
	if f.closed.Swap(true) {
		L.RaiseError("close: %q has been closed already", f.path)
	}
	return m.do(L, run.Request{Code: engine.Close, File: f.File})
}

// sizeArg takes a size argument. Texts are parsed once.
func (m *machine) sizeArg(L *lua.LState, n int, call, what string) int64 {
	switch v := L.Get(n).(type) {
	case lua.LNumber:
		if s := int64(v); lua.LNumber(s) == v && s >= 0 {
			return s
		}
	case lua.LString:
		if s, ok := m.sizes[string(v)]; ok {
			return s
		}
	}
	s, err := toSize(L.Get(n))
	if err != nil {
		L.RaiseError("%s: %s: %v", call, what, err)
	}
	if v, ok := L.Get(n).(lua.LString); ok && len(m.sizes) < maxSizes {
		m.sizes[string(v)] = s
	}
	return s
}

// maxSizes bounds how many size texts a state remembers.
const maxSizes = 1024
