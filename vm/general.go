package vm

import (
	"fmt"
	"path/filepath"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"moonio/vm/luastr"
)

// general are the functions that do not belong to a type of value.
func (m *machine) general() map[string]lua.LGFunction {
	d := m.run.director
	return map[string]lua.LGFunction{
		"params":  m.topLevel("params", d.params),
		"phase":   m.topLevel("phase", d.phase),
		"expect":  m.topLevel("expect", d.expect),
		"log":     d.log,
		"stream":  m.stream,
		"verify":  m.verifyJob,
		"clients": m.clients,
		"replay":  m.replay,
		"queue":   m.newQueue,
		"sleep":   m.sleep,
		"now":     m.now,
	}
}

// topLevel keeps all but the script's top level from calling one of the director's functions.
func (m *machine) topLevel(call string, fn lua.LGFunction) lua.LGFunction {
	return func(L *lua.LState) int {
		m.directorOnly(L, call)
		return fn(L)
	}
}

// sourceLine is a line of the script, for messages.
func (d *director) sourceLine(file string, line int) string {
	lines := strings.Split(d.script.Source, "\n")
	if file != d.script.Name || line < 1 || line > len(lines) {
		return fmt.Sprintf("%s:%d", filepath.Base(file), line)
	}
	return strings.TrimSpace(lines[line-1])
}

// join writes a call's arguments as print does.
func join(L *lua.LState, between string) string {
	parts := make([]string, L.GetTop())
	for i := range parts {
		parts[i] = luastr.ToString(L, L.Get(i+1))
	}
	return strings.Join(parts, between)
}

// The parts of the DSL that are written in Lua, because a Go function cannot wait in
// the middle of a call.
const prelude = `local begin, finish = ...
local function span(name, fn, ...)
  local key, from = begin(name, fn)
  return finish(key, from, fn(...))
end
return span`

// installSpan puts span into the globals.
func (m *machine) installSpan() error {
	span, err := m.compiled(prelude, "=span")
	if err != nil {
		return err
	}
	m.L.Push(span)
	m.L.Push(m.L.NewFunction(m.beginSpan))
	m.L.Push(m.L.NewFunction(m.finishSpan))
	m.L.Call(2, 1)
	m.L.SetGlobal("span", m.L.Get(-1))
	m.L.Pop(1)
	return nil
}

func (m *machine) beginSpan(L *lua.LState) int {
	if wrong := m.spanFault(L); wrong != "" {
		m.failSpan(L, wrong)
	}
	key, err := m.task.SpanKey(L.Get(1).String())
	if err != nil {
		m.failSpan(L, err.Error())
	}
	L.Push(lua.LNumber(key))
	L.Push(lua.LNumber(m.task.Now()))
	return 2
}

func (m *machine) failSpan(L *lua.LState, wrong string) {
	const caller = 2 // of span, which is written in Lua
	L.Error(lua.LString(L.Where(caller)+" span: "+wrong), 0)
}

// spanFault is what is wrong with a call of span, or nothing.
func (m *machine) spanFault(L *lua.LState) string {
	name, isText := L.Get(1).(lua.LString)
	_, isFunction := L.Get(2).(*lua.LFunction)
	switch {
	case m.task == nil:
		return "only clients are timed: call it in the function that clients(…) is given"
	case !isText || name == "":
		return "the name is a text, and this is " + show(L.Get(1))
	case !isFunction:
		return "what is timed is a function, and this is " + show(L.Get(2))
	case name == "duration":
		return "it cannot be named \"duration\": the job's result has a field of that name"
	case isOp(string(name)):
		return fmt.Sprintf("%q is the name of an operation: results would be mixed up", string(name))
	}
	return ""
}

func (m *machine) finishSpan(L *lua.LState) int {
	m.task.Span(int(L.Get(1).(lua.LNumber)), int64(L.Get(2).(lua.LNumber)))
	return L.GetTop() - 2
}
