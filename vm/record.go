package vm

import (
	"errors"
	"fmt"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"

	"moonio/engine"
	"moonio/engine/suggest"
	"moonio/engine/trace"
)

// record is a trace's record as a script sees it: one value for all records.
type record struct {
	trace.Record
	log  *trace.Log
	emit func(*trace.Record) error // nil where records cannot be added
}

// recordType is the metatable of records.
func (m *machine) recordType() *lua.LTable {
	mt := m.metatable(typeRecord, nil)
	emit := m.L.NewFunction(func(L *lua.LState) int {
		r := m.recordAt(L)
		if r.emit == nil {
			L.RaiseError("emit: only a replay's map function can add operations")
		}
		if err := r.emit(&r.Record); err != nil {
			L.RaiseError("%v", err)
		}
		return 0
	})
	mt.RawSetString("__index", m.L.NewFunction(func(L *lua.LState) int {
		r, key := m.recordAt(L), L.CheckString(2)
		if key == "emit" {
			L.Push(emit)
			return 1
		}
		v, ok := r.field(key)
		if !ok {
			L.RaiseError("a trace's record has no field %q%s; it has %s", key, suggest.Hint(key, recordFields), strings.Join(recordFields, ", "))
		}
		L.Push(v)
		return 1
	}))
	mt.RawSetString("__newindex", m.L.NewFunction(func(L *lua.LState) int {
		if err := m.recordAt(L).set(L.CheckString(2), L.Get(3)); err != nil {
			L.RaiseError("%v", err)
		}
		return 0
	}))
	return mt
}

func (m *machine) recordAt(L *lua.LState) *record {
	if u, ok := L.Get(1).(*lua.LUserData); ok {
		if r, ok := u.Value.(*record); ok {
			return r
		}
	}
	L.RaiseError("%s is not a trace's record: methods are called with a colon, as in io:emit()", show(L.Get(1)))
	return nil
}

var recordFields = []string{"time", "op", "offset", "length", "latency", "file", "stream", "flush", "fua", "direct"}

func (r *record) field(key string) (lua.LValue, bool) {
	switch key {
	case "time":
		return inSeconds(time.Duration(r.Time)), true
	case "op":
		return lua.LString(r.Op.String()), true
	case "offset":
		if r.Offset == trace.AtEnd {
			return lua.LNil, true
		}
		return lua.LNumber(r.Offset), true
	case "length":
		return lua.LNumber(r.Length), true
	case "latency":
		if r.Latency == trace.Unknown {
			return lua.LNil, true
		}
		return inSeconds(time.Duration(r.Latency)), true
	case "file":
		return lua.LString(r.log.Files.Name(r.File)), true
	case "stream":
		return lua.LString(r.log.Streams.Name(r.Stream)), true
	case "flush":
		return lua.LBool(r.Flags&trace.Preflush != 0), true
	case "fua":
		return lua.LBool(r.Flags&trace.FUA != 0), true
	case "direct":
		return r.direct(), true
	}
	return nil, false
}

// direct is whether an operation went past the page cache; nil where that is not said.
func (r *record) direct() lua.LValue {
	if r.Flags&(trace.Direct|trace.Buffered) == 0 {
		return lua.LNil
	}
	return lua.LBool(r.Flags&trace.Direct != 0)
}

func (r *record) set(key string, v lua.LValue) (err error) {
	switch key {
	case "time":
		err = setTime(&r.Time, v)
	case "latency":
		if r.Latency = trace.Unknown; v != lua.LNil {
			err = setDuration(&r.Latency, v)
		}
	case "offset":
		if r.Offset = trace.AtEnd; v != lua.LNil {
			r.Offset, err = toSize(v)
		}
	case "length":
		r.Length, err = toSize(v)
	case "op":
		if r.Op, err = recordOp(v); r.Op == engine.Append {
			r.Offset = trace.AtEnd
		}
	case "file":
		r.File, err = nameID(&r.log.Files, v)
	case "stream":
		r.Stream, err = nameID(&r.log.Streams, v)
	case "flush":
		r.flag(trace.Preflush, v)
	case "fua":
		r.flag(trace.FUA, v)
	case "direct":
		return errors.New("the record's direct says how it was captured and cannot be set: a replay's option direct is for all operations")
	default:
		return fmt.Errorf("a trace's record has no field %q%s; it has %s", key, suggest.Hint(key, recordFields), strings.Join(recordFields, ", "))
	}
	if err != nil {
		return fmt.Errorf("the record's %s: %w", key, err)
	}
	if r.Offset > 0 && r.Offset+r.Length < 0 {
		return fmt.Errorf("the record's %s: offset %d and length %d end beyond what a file can have", key, r.Offset, r.Length)
	}
	return nil
}

// setTime is setDuration, for a time of before the trace's 0 too. Differences of two must not overflow.
func setTime(ns *int64, v lua.LValue) (err error) {
	if n, ok := v.(lua.LNumber); ok && n < 0 {
		err = setDuration(ns, -n)
		*ns = -*ns
	} else {
		err = setDuration(ns, v)
	}
	const farthest = 1 << 62
	if err == nil && (*ns >= farthest || *ns < -farthest) {
		return fmt.Errorf("%s is more than 146 years from 0", show(v))
	}
	return err
}

func setDuration(ns *int64, v lua.LValue) error {
	d, err := toDuration(v)
	*ns = int64(d)
	return err
}

func (r *record) flag(f trace.Flags, v lua.LValue) {
	r.Flags &^= f
	if lua.LVAsBool(v) {
		r.Flags |= f
	}
}

// recordOps are the operations that a replay can make.
var recordOps = []engine.OpCode{
	engine.Read, engine.Write, engine.Append, engine.Fsync, engine.Fdatasync, engine.SyncRange, engine.Trim, engine.Allocate, engine.Truncate,
}

func recordOp(v lua.LValue) (engine.OpCode, error) {
	var known []string
	for _, c := range recordOps {
		if v.String() == c.String() {
			return c, nil
		}
		known = append(known, c.String())
	}
	return 0, fmt.Errorf("%s is not one of %s%s", show(v), strings.Join(known, ", "), suggest.Hint(v.String(), known))
}

func nameID(names *trace.Names, v lua.LValue) (trace.ID, error) {
	switch v := v.(type) {
	case lua.LString:
		return names.ID([]byte(v))
	case lua.LNumber:
		return names.ID([]byte(v.String()))
	}
	return 0, fmt.Errorf("%s is not a name", show(v))
}
