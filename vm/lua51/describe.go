package lua51

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"moonio/engine/suggest"
)

// reword says in Lua's words what gopher-lua's message says in its own, with the names
// that it leaves out, and what may have been meant.
func (s *State) reword(L *lua.LState, text string) (lua.LString, string) {
	f := frameOf(L)
	at, message := splitPlace(f, text)
	if fixed, ok := fixedMessages[message]; ok {
		return lua.LString(at + fixed), ""
	}
	if f.Fn.IsG {
		return lua.LString(at + argumentError(f, message)), ""
	}
	message, hint := s.explain(L, f, message)
	return lua.LString(at + message), hint
}

// splitPlace takes "file:line: " off a message, and drops it if it is not a
// script's.
func splitPlace(f *callFrame, text string) (at, message string) {
	for ; f != nil; f = f.Parent {
		if f.Fn.IsG {
			continue
		}
		at := fmt.Sprintf("%s:%d: ", f.Fn.Proto.SourceName, f.line())
		message, ok := strings.CutPrefix(text, at)
		switch {
		case !ok:
			return "", text
		case NoScript(f.Fn.Proto):
			return "", message
		}
		return at, message
	}
	return "", text
}

var badArgument = regexp.MustCompile(`(?s)^bad argument #(\d+) to (\S+) \((.*)\)$`)

// argumentError puts quotes around a function's name, and does not count the object that
// a method is called on.
func argumentError(f *callFrame, message string) string {
	m := badArgument.FindStringSubmatch(message)
	if m == nil {
		return message
	}
	n, name := m[1], strings.Trim(m[2], "'")
	if p := f.Parent; p != nil && !p.Fn.IsG && variableOf(p, argA(p.current())).kind == "method" {
		if n == "1" {
			return fmt.Sprintf("calling '%s' on bad self (%s)", name, m[3])
		}
		i, _ := strconv.Atoi(n)
		n = strconv.Itoa(i - 1)
	}
	return fmt.Sprintf("bad argument #%s to '%s' (%s)", n, name, m[3])
}

// Beginnings of gopher-lua's messages.
const (
	callMessage    = "attempt to call a non-function object"
	indexMessage   = "attempt to index a non-table object("
	arithMessage   = "cannot perform "
	compareMessage = "attempt to compare "
)

// fixedMessages are gopher-lua's that only need other words.
var fixedMessages = map[string]string{
	"for statement init must be a number":  "'for' initial value must be a number",
	"for statement limit must be a number": "'for' limit must be a number",
	"for statement step must be a number":  "'for' step must be a number",
	"stack overflow":                       stackOverflow,
	registryFull:                           stackOverflow,
	"too many recursions in gettable":      "loop in gettable: __index leads back to where it began",
	"too many recursions in settable":      "loop in settable: __newindex leads back to where it began",
}

// explain rewords what an instruction of a Lua function ran into.
func (s *State) explain(L *lua.LState, f *callFrame, message string) (reworded, hint string) {
	inst := f.current()
	r := registryOf(L)
	switch {
	case message == callMessage:
		return s.explainCall(f, r, argA(inst))
	case strings.HasPrefix(message, indexMessage):
		return s.explainIndex(f, r, inst, message)
	case message == "__unm undefined":
		return s.onWhat("perform arithmetic on", f, r, argB(inst)), ""
	case message == "__len undefined":
		return s.onWhat("get length of", f, r, argB(inst)), ""
	case strings.HasPrefix(message, arithMessage+"concat"):
		return s.explainConcat(f, r, inst), ""
	case strings.HasPrefix(message, arithMessage):
		rk := argB(inst)
		if isNumeric(f.value(r, rk)) {
			rk = argC(inst)
		}
		return s.onWhat("perform arithmetic on", f, r, rk), ""
	case strings.HasPrefix(message, compareMessage):
		a, b, _ := strings.Cut(strings.TrimPrefix(message, compareMessage), " with ")
		if a == b {
			return fmt.Sprintf("attempt to compare two %s values", a), ""
		}
	}
	return message, ""
}

// onWhat says that something cannot be done to the value of an operand.
func (s *State) onWhat(do string, f *callFrame, r *registry, rk int) string {
	v := f.value(r, rk)
	if v == nil {
		v = lua.LNil
	}
	return fmt.Sprintf("attempt to %s a %s value%s", do, v.Type(), variableAt(f, rk))
}

func (s *State) explainConcat(f *callFrame, r *registry, inst uint32) string {
	for reg := argC(inst); reg >= argB(inst); reg-- {
		if !lua.LVCanConvToString(r.array[f.LocalBase+reg]) {
			return s.onWhat("concatenate", f, r, reg)
		}
	}
	return "attempt to concatenate two values that are no texts"
}

func (s *State) explainCall(f *callFrame, r *registry, reg int) (message, hint string) {
	v := variableOf(f, reg)
	if v.kind == "global" {
		if why, ok := forbidden[v.name]; ok {
			return notThere(v.name, why), ""
		}
	}
	message = s.onWhat("call", f, r, reg)
	if r.array[f.LocalBase+reg] != lua.LNil {
		if strings.HasPrefix(v.name, "(for ") {
			return message, "for … in takes an iterator: pairs(t) or ipairs(t) for a table"
		}
		return message, ""
	}
	return message, s.nearest(f, r, reg, v)
}

func (s *State) explainIndex(f *callFrame, r *registry, inst uint32, message string) (reworded, hint string) {
	reg := argB(inst)
	switch opcode(inst) {
	case lua.OP_SETTABLE, lua.OP_SETTABLEKS:
		reg = argA(inst)
	}
	typ, rest, _ := strings.Cut(strings.TrimPrefix(message, indexMessage), ")")
	key := strings.TrimSuffix(strings.TrimPrefix(rest, " with key '"), "'")
	v := variableOf(f, reg)
	if why, ok := absent[v.name]; ok && v.kind == "global" && typ == "nil" {
		return notThere(v.name+"."+key, why), ""
	}
	if value := f.value(r, reg); value == nil || value.Type().String() != typ {
		v = variable{} // a metatable led elsewhere
	}
	reworded = fmt.Sprintf("attempt to index a %s value%s", typ, v)
	if typ != "nil" {
		return reworded, ""
	}
	if near := s.nearest(f, r, reg, v); near != "" {
		return reworded, near
	}
	return reworded, fmt.Sprintf("it is nil where its '%s' is asked for", key)
}

// nearest is a hint at a name that is like that of a variable which is nil.
func (s *State) nearest(f *callFrame, r *registry, reg int, v variable) string {
	var known []string
	switch v.kind {
	case "global":
		known = names(s.L.G.Global)
	case "method", "field":
		known = names(s.container(v, f, r))
	}
	if near, ok := suggest.Nearest(v.name, known); ok {
		return fmt.Sprintf("did you mean '%s'?", near)
	}
	return ""
}

// names are the texts among a table's keys, and among those of what it inherits from.
func names(v lua.LValue) []string {
	var list []string
	for depth := 0; depth < 10; depth++ {
		if t, ok := v.(*lua.LTable); ok {
			t.ForEach(func(k, _ lua.LValue) {
				if name, ok := k.(lua.LString); ok {
					list = append(list, string(name))
				}
			})
		}
		var meta lua.LValue
		switch v := v.(type) {
		case *lua.LTable:
			meta = v.Metatable
		case *lua.LUserData:
			meta = v.Metatable
		}
		mt, ok := meta.(*lua.LTable)
		if !ok {
			return list
		}
		v = mt.RawGetString("__index")
	}
	return list
}

func isNumeric(v lua.LValue) bool {
	switch v := v.(type) {
	case lua.LNumber:
		return true
	case lua.LString:
		_, ok := number(v)
		return ok
	}
	return false
}
