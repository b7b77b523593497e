package luastr

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

const specials = "^$*+?.([%-"

// Compiled patterns are kept, since most scripts use a few of them again and again.
const (
	maxPatterns    = 128
	maxPatternKept = 128 // bytes
)

// compile returns text's pattern, and raises a Lua error if it is malformed.
func (lib *library) compile(L *lua.LState, text string) *pattern {
	if p, ok := lib.patterns[text]; ok {
		return p
	}
	p, err := compile(text)
	if err != nil {
		L.RaiseError("%v", err)
	}
	if len(text) > maxPatternKept {
		return p
	}
	if len(lib.patterns) == maxPatterns {
		clear(lib.patterns)
	}
	lib.patterns[strings.Clone(text)] = p // the text may be a part of a large one
	return p
}

func (lib *library) find(L *lua.LState) int {
	a := args{L, "find"}
	s, p, from := a.text(1), a.text(2), a.start()
	if lua.LVAsBool(L.Get(4)) || !strings.ContainsAny(p, specials) {
		return findPlain(L, s, p, from)
	}
	m, found, ok := lib.first(L, s, p, from)
	if !ok {
		L.Push(lua.LNil)
		return 1
	}
	L.Push(integer(found.start + 1))
	L.Push(integer(found.end))
	return 2 + m.pushCaptures(L)
}

func findPlain(L *lua.LState, s, what string, from int) int {
	i := strings.Index(s[from:], what)
	if i < 0 {
		L.Push(lua.LNil)
		return 1
	}
	L.Push(integer(from + i + 1))
	L.Push(integer(from + i + len(what)))
	return 2
}

func (lib *library) match(L *lua.LState) int {
	a := args{L, "match"}
	s, p, from := a.text(1), a.text(2), a.start()
	m, found, ok := lib.first(L, s, p, from)
	if !ok {
		L.Push(lua.LNil)
		return 1
	}
	return m.push(L, found)
}

// start is where find and match begin to look, from 0.
func (a args) start() int {
	length := len(a.text(1))
	return min(max(fromEnd(a.optInteger(3, 1), length)-1, 0), length)
}

func (lib *library) matcher(L *lua.LState, p, s string) matcher {
	return newMatcher(L, lib.look, lib.compile(L, p), s)
}

func (lib *library) first(L *lua.LState, s, p string, from int) (m matcher, found capture, ok bool) {
	p, anchored := strings.CutPrefix(p, "^")
	m = lib.matcher(L, p, s)
	found, ok = m.search(from, anchored)
	m.check(L)
	return m, found, ok
}

// check raises a Lua error if the matcher has given up.
func (m *matcher) check(L *lua.LState) {
	if m.spent() {
		L.RaiseError("%v (it goes back and forth too often in a text of %d bytes)", errTooComplex, len(m.s))
	}
}

// push pushes the captures of a match or, if the pattern has none, all of the match.
func (m *matcher) push(L *lua.LState, found capture) int {
	if m.captures == 0 {
		L.Push(m.value(found))
		return 1
	}
	return m.pushCaptures(L)
}

func (m *matcher) pushCaptures(L *lua.LState) int {
	for _, c := range m.captured[:m.captures] {
		L.Push(m.value(c))
	}
	return m.captures
}

func (m *matcher) value(c capture) lua.LValue {
	if c.end == atPosition {
		return integer(c.start + 1)
	}
	return text(m.s[c.start:c.end])
}

// gmatch returns an iterator. A "^" in its pattern is no anchor: nothing would follow.
func (lib *library) gmatch(L *lua.LState) int {
	a := args{L, "gmatch"}
	s, p := a.text(1), a.text(2)
	m := lib.matcher(L, p, s)
	from := 0
	L.Push(L.NewFunction(func(L *lua.LState) int {
		m.L = L
		found, ok := m.search(from, false)
		m.check(L)
		if !ok {
			L.Push(lua.LNil)
			from = len(s) + 1
			return 1
		}
		from = found.end
		if found.end == found.start {
			from++
		}
		return m.push(L, found)
	}))
	return 1
}
