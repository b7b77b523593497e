package luastr

import lua "github.com/yuin/gopher-lua"

// A search may take freeSteps, a fraction of a second, and stepsPerByte for each byte of the
// text. Sound patterns take a few for each byte. After lookSteps, some milliseconds, it looks
// whether the state has been stopped.
const (
	freeSteps    = 1 << 25
	stepsPerByte = 16
	lookSteps    = 1 << 18
)

const (
	fails      = -1
	atPosition = -1 // a capture's end, where the capture is of the position
)

type capture struct{ start, end int }

// matcher matches a pattern in a text by backtracking.
type matcher struct {
	*pattern
	s        string
	L        *lua.LState // whose error it is that the state has been stopped
	look     func(*lua.LState)
	steps    int // what it may do until it looks again
	reserve  int // what it may do after that; when both are below 0 it has given up
	captured [maxCaptures]capture
}

func newMatcher(L *lua.LState, look func(*lua.LState), p *pattern, s string) matcher {
	reserve := freeSteps - lookSteps + stepsPerByte*len(s)
	return matcher{pattern: p, s: s, L: L, look: look, steps: lookSteps, reserve: reserve}
}

// spent says that there was no match because finding one would take too long.
func (m *matcher) spent() bool { return m.steps < 0 && !m.goesOn() }

// goesOn says that there are steps left, and raises an error in a state that was stopped.
func (m *matcher) goesOn() bool {
	m.look(m.L)
	n := min(m.reserve, lookSteps-m.steps)
	m.steps += n
	m.reserve -= n
	return m.steps >= 0
}

// search finds the first match that begins at from or, unless anchored, later.
func (m *matcher) search(from int, anchored bool) (found capture, ok bool) {
	for s := from; s <= len(m.s); s++ {
		m.steps--
		if e := m.run(s, 0); e != fails {
			return capture{s, e}, true
		}
		if anchored || m.spent() {
			break
		}
	}
	return capture{}, false
}

// run matches the items from i on at s, and returns where they end, or fails.
//
// A capture is written before it is read on every way through the items, so there is
// nothing to undo where one fails.
func (m *matcher) run(s, i int) int {
	for ; i < len(m.items); i++ {
		if m.steps--; m.spent() {
			return fails
		}
		it := &m.items[i]
		switch it.kind {
		case single:
			switch it.times {
			case '*', '+':
				return m.most(s, i)
			case '-':
				return m.least(s, i)
			case '?':
				if s < len(m.s) && it.set.has(m.s[s]) {
					if e := m.run(s+1, i+1); e != fails {
						return e
					}
				}
				continue
			}
			if s == len(m.s) || !it.set.has(m.s[s]) {
				return fails
			}
			s++
		case open:
			m.captured[it.n].start = s
		case closed:
			m.captured[it.n].end = s
		case here:
			m.captured[it.n] = capture{s, atPosition}
		default:
			if s = m.assert(s, it); s == fails {
				return fails
			}
		}
	}
	return s
}

// most repeats an item as often as it can, and then less often.
func (m *matcher) most(s, i int) int {
	it := &m.items[i]
	e := s
	for e < len(m.s) && it.set.has(m.s[e]) {
		e++
	}
	m.steps -= e - s
	if it.times == '+' {
		s++
	}
	for ; e >= s && !m.spent(); e-- {
		if r := m.run(e, i+1); r != fails {
			return r
		}
	}
	return fails
}

// least repeats an item as seldom as it can, and then more often.
func (m *matcher) least(s, i int) int {
	it := &m.items[i]
	for !m.spent() {
		if r := m.run(s, i+1); r != fails {
			return r
		}
		if s == len(m.s) || !it.set.has(m.s[s]) {
			break
		}
		s++
		m.steps--
	}
	return fails
}

// assert matches the items that are neither bytes nor captures.
func (m *matcher) assert(s int, it *item) int {
	switch it.kind {
	case same:
		return m.same(s, m.captured[it.n])
	case balance:
		return m.balance(s, it.first, it.second)
	case frontier:
		if it.set.has(m.byteAt(s-1)) || !it.set.has(m.byteAt(s)) {
			return fails
		}
	case end:
		if s != len(m.s) {
			return fails
		}
	}
	return s
}

// byteAt is a byte of the text; there is a 0 before it and after it.
func (m *matcher) byteAt(i int) byte {
	if i < 0 || i == len(m.s) {
		return 0
	}
	return m.s[i]
}

func (m *matcher) same(s int, c capture) int {
	if c.end == atPosition { // "()" captures no text that could come again
		return fails
	}
	length := c.end - c.start
	if length > len(m.s)-s {
		return fails
	}
	m.steps -= length / 8 // bytes are compared a word at a time
	if m.s[s:s+length] != m.s[c.start:c.end] {
		return fails
	}
	return s + length
}

func (m *matcher) balance(s int, first, second byte) int {
	if s == len(m.s) || m.s[s] != first {
		return fails
	}
	depth := 1
	for e := s + 1; e < len(m.s); e++ {
		switch c := m.s[e]; {
		case c == second:
			if depth--; depth == 0 {
				m.steps -= e - s
				return e + 1
			}
		case c == first:
			depth++
		}
	}
	m.steps -= len(m.s) - s
	return fails
}
