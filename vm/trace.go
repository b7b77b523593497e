package vm

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"moonio/engine/replay"
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
	if err := t.Playable(); err != nil {
		t.Close()
		return nil, fmt.Errorf("trace %s: %w", c, err)
	}
	return &replay.Trace{Reader: t, Log: t.Log, Close: t.Close}, nil
}

// traceTable is the global trace.
func (m *machine) traceTable() *lua.LTable {
	t := m.L.NewTable()
	t.RawSetString("open", m.state.Function(m.openTrace))
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
		var paths []string
		for i, v := range o.list(what, v) {
			s, ok := v.(lua.LString)
			if !ok {
				o.fail(what, "[%d] is %s, and not a file's name", i+1, show(v))
			}
			paths = append(paths, string(s))
		}
		if len(paths) > 0 {
			return paths
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
