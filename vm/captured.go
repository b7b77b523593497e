package vm

import (
	"fmt"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"moonio/engine/report"
	"moonio/vm/lua51"
	"moonio/vm/luafix"
)

// noteAssigned warns of a function that sets what it has a copy of, if the script goes on as though it saw that.
func (m *machine) noteAssigned(job string, fn *lua.LFunction) {
	script := m.run.director.script
	if !written(fn) || fn.Proto.SourceName != script.Name {
		return // a module's: it knows what it does
	}
	var names []string
	for _, name := range lua51.Assigned(fn) {
		if script.mentions(name, fn.Proto.LastLineDefined) {
			names = append(names, fmt.Sprintf("%q", name))
		}
	}
	if names == nil {
		return
	}
	m.notes = append(m.notes, report.Warning{Code: "captured", Text: fmt.Sprintf(
		"%s: its function sets %s, of which each thread has a copy: the script does not see what becomes of it. Use a counter(), or the phase's result.", job, strings.Join(names, ", "))})
}

// mentions says whether a variable of that name is looked at on the top level below a line. Where several have the
// name, it is not said of any.
func (s *Script) mentions(name string, line int) bool {
	same := 0
	for _, l := range s.proto.DbgLocals {
		if l.Name == name {
			same++
		}
	}
	if same > 1 {
		return false
	}
	tokens := luafix.Tokens(s.Source)
	for i, t := range tokens {
		if t.Line <= line || t.Kind != luafix.Name || t.Text != name || s.inFunction(t.Line) {
			continue
		}
		field := tokens[i-1].Text == "." || tokens[i-1].Text == ":"
		set := i+1 < len(tokens) && tokens[i+1].Text == "=" // it, or a table's entry
		if !field && !set {
			return true
		}
	}
	return false
}

func (s *Script) inFunction(line int) bool {
	return slices.ContainsFunc(s.proto.FunctionPrototypes, func(p *lua.FunctionProto) bool {
		return p.LineDefined <= line && line <= p.LastLineDefined
	})
}
