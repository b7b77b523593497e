package vm

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"moonio/engine"
	"moonio/engine/run"
)

// names are the functions that work on names.
func (m *machine) names() map[string]lua.LGFunction {
	return map[string]lua.LGFunction{
		"open":   m.open,
		"mkdir":  m.mkdir,
		"rename": m.rename,
		"unlink": m.unlink,
		"stat": func(L *lua.LState) int {
			m.beyondRehearsal(L)
			return m.doNamed(L, waitStat, run.Request{Code: engine.Stat, Meta: &engine.Meta{Path: m.readable(L, "stat", m.nameArg(L, 1, "stat"))}})
		},
		"list": func(L *lua.LState) int {
			m.beyondRehearsal(L)
			name := "."
			if L.Get(1) != lua.LNil {
				name = m.nameArg(L, 1, "list")
			}
			return m.doNamed(L, waitList, run.Request{Code: engine.List, Meta: &engine.Meta{Path: m.readable(L, "list", name)}})
		},
	}
}

func (m *machine) nameArg(L *lua.LState, n int, call string) string {
	s, ok := L.Get(n).(lua.LString)
	if !ok {
		L.RaiseError("%s: a file's name is a text, and this is %s", call, show(L.Get(n)))
	}
	clean, err := m.run.Guard.CheckName(string(s))
	if err != nil {
		m.refuse(L, call, err)
	}
	return clean
}

func (m *machine) readable(L *lua.LState, call, name string) string {
	if err := m.run.Guard.Readable(name); err != nil {
		m.refuse(L, call, err)
	}
	return name
}

// refuse raises what the guard of the run's directory says.
func (m *machine) refuse(L *lua.LState, call string, err error) {
	m.raise(L, fmt.Errorf("%s: %w", call, err))
}

func (m *machine) mkdir(L *lua.LState) int {
	name := m.nameArg(L, 1, "mkdir")
	if err := m.run.Guard.WillMkdir(name); err != nil {
		m.refuse(L, "mkdir", err)
	}
	return m.doNamed(L, waitOp, run.Request{Code: engine.Mkdir, Meta: &engine.Meta{Path: name, Perm: 0o755}})
}

func (m *machine) rename(L *lua.LState) int {
	m.beyondRehearsal(L)
	from, to := m.nameArg(L, 1, "rename"), m.nameArg(L, 2, "rename")
	if err := m.run.Guard.WillRename(from, to); err != nil {
		m.refuse(L, "rename", err)
	}
	return m.doNamed(L, waitRename, run.Request{Code: engine.Rename, Meta: &engine.Meta{Path: from, Path2: to}})
}

func (m *machine) unlink(L *lua.LState) int {
	m.beyondRehearsal(L)
	name := m.nameArg(L, 1, "unlink")
	if err := m.run.Guard.WillUnlink(name); err != nil {
		m.refuse(L, "unlink", err)
	}
	return m.doNamed(L, waitUnlink, run.Request{Code: engine.Unlink, Meta: &engine.Meta{Path: name}})
}
