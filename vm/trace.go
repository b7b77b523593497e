package vm

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"

	"moonio/engine"
	"moonio/engine/replay"
	"moonio/engine/suggest"
	"moonio/engine/trace"
	"moonio/engine/trace/format"
	"moonio/vm/luaerr"
)

// captured is a trace as a script holds it. It is read anew each time it is played, and
// once by the script itself.
type captured struct {
	name    string   // as the script, or the user, named it
	names   []string // likewise, one by one
	paths   []string // where they are
	options trace.Options

	resolved bool // paths are those of files that may be read

	reading *format.Trace // by the script; nil before and after
	done    bool
	io      *lua.LUserData // what the script sees of the present record
}

// record is a trace's record as a script sees it: one value for all records.
type record struct {
	trace.Record
	log  *trace.Log
	emit func(*trace.Record) error // nil where records cannot be added
}

func (c *captured) String() string { return c.name }

// wrong is an error that reading the trace has met, with the names by which the user knows its files.
func (c *captured) wrong(err error) error {
	var fault *luaerr.Error // of a map function
	if errors.As(err, &fault) {
		return err
	}
	text := err.Error()
	if errors.Is(err, trace.ErrTruncated) {
		text += ": skip_bad = true (--skip-bad) plays what is there of it"
	}
	named := false
	for i, path := range c.paths {
		named = named || strings.Contains(text, path)
		text = strings.ReplaceAll(text, path, c.names[i])
	}
	if !named {
		text = fmt.Sprintf("trace %s: %s", c, text)
	}
	return &traceError{text, err}
}

// traceError is an error in other words.
type traceError struct {
	text string
	err  error
}

func (e *traceError) Error() string { return e.text }
func (e *traceError) Unwrap() error { return e.err }

// open begins to read the trace.
func (c *captured) open() (*replay.Trace, error) {
	t, err := format.Open(c.paths, &c.options)
	if err != nil {
		return nil, err
	}
	if t.ProfileOnly() {
		t.Close()
		return nil, fmt.Errorf("trace %s: format %s has no addresses, so that it can be profiled and not replayed", c, t.Formats[0].Name)
	}
	return &replay.Trace{Reader: t, Log: t.Log, Close: t.Close}, nil
}

// traceTable is the global trace.
func (m *machine) traceTable() *lua.LTable {
	t := m.L.NewTable()
	t.RawSetString("open", m.L.NewFunction(m.openTrace))
	return t
}

// openTrace is trace.open(path, options).
func (m *machine) openTrace(L *lua.LState) int {
	m.directorOnly(L, "trace.open")
	m.beyondRehearsal(L)
	o := optionsAt(L, 2, "trace.open")
	c := m.traceAt(o, "path", L.Get(1))
	o.done()
	m.resolve(o, c)
	L.Push(m.wrap(c))
	return 1
}

// traceAt makes a trace of a path, a list of paths, or a trace.
func (m *machine) traceAt(o *options, what string, v lua.LValue) *captured {
	format, args := o.get("format"), o.get("args")
	if u, ok := v.(*lua.LUserData); ok {
		if c, ok := u.Value.(*captured); ok {
			if format != lua.LNil || args != lua.LNil {
				o.fail("format", "trace.open was told the format already")
			}
			return c
		}
	}
	c := &captured{paths: o.paths(what, v)}
	c.names = slices.Clone(c.paths)
	c.name = strings.Join(c.paths, ", ")
	c.options = o.traceOptions(format, args)
	return c
}

// resolve finds the trace's files, if the script may read them.
func (m *machine) resolve(o *options, c *captured) {
	if c.resolved {
		return
	}
	c.resolved = true
	for i, p := range c.paths {
		path, err := m.run.tracePath(p)
		if err != nil {
			m.raise(o.L, fmt.Errorf("%s: %w", o.call, err))
		}
		c.paths[i] = path
	}
}

func (o *options) paths(what string, v lua.LValue) []string {
	switch v := v.(type) {
	case lua.LString:
		if v != "" {
			return []string{string(v)}
		}
	case *lua.LTable:
		var list []string
		for i := 1; i <= v.Len(); i++ {
			s, ok := v.RawGetInt(i).(lua.LString)
			if !ok {
				o.fail(what, "[%d] is %s, and not a file's name", i, show(v.RawGetInt(i)))
			}
			list = append(list, string(s))
		}
		if len(list) > 0 {
			return list
		}
	}
	o.fail(what, "%s is not a trace: give a file's name, a list of names, or what trace.open returned", show(v))
	return nil
}

func (o *options) traceOptions(name, args lua.LValue) trace.Options {
	var t trace.Options
	switch name := name.(type) {
	case *lua.LNilType:
	case lua.LString:
		parsed, err := format.Parse(string(name))
		if err != nil {
			o.fail("format", "%v", err)
		}
		t = *parsed
	default:
		o.fail("format", "%s is not a format's name", show(name))
	}
	if table, ok := args.(*lua.LTable); ok {
		if t.Args == nil {
			t.Args = map[string]string{}
		}
		for _, e := range sorted(table) {
			t.Args[e.name] = e.value.String()
		}
	} else if args != lua.LNil {
		o.fail("args", "%s is not a table such as { event = \"Q\" }", show(args))
	}
	return t
}

// tracePath is the file that a script means, if it may read it.
func (r *Run) tracePath(path string) (string, error) {
	if r.Trace == nil {
		return "", fmt.Errorf("trace %q: traces cannot be read here", path)
	}
	return r.Trace(path)
}

// next gives the script the trace's next record, as `for io in trace.open(path) do` asks
// for it.
func (m *machine) nextRecord(L *lua.LState) int {
	c, ok := L.CheckUserData(1).Value.(*captured)
	if !ok {
		L.RaiseError("this is no trace")
	}
	if c.done {
		L.RaiseError("trace %s: it has been read to its end: open it again", c)
	}
	if c.reading == nil {
		t, err := format.Open(c.paths, &c.options)
		if err != nil {
			m.raise(L, c.wrong(err))
		}
		c.reading = t
		c.io = m.wrap(&record{log: t.Log})
		m.run.closeLater(t)
	}
	err := c.reading.Read(&c.io.Value.(*record).Record)
	switch {
	case errors.Is(err, io.EOF):
		c.done = true
		err = c.reading.Log.Check(trace.MaxBad)
		m.closeTrace(L, c)
		if err != nil {
			m.raise(L, c.wrong(err))
		}
		return 0
	case err != nil:
		m.raise(L, c.wrong(err))
	}
	L.Push(c.io)
	return 1
}

func (m *machine) closeTrace(L *lua.LState, c *captured) {
	if err := c.reading.Close(); err != nil {
		m.raise(L, err)
	}
}

// closeLater closes what the script has not closed when it is over.
func (r *Run) closeLater(c io.Closer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closers = append(r.closers, c)
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
