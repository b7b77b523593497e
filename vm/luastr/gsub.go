package luastr

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// substitution is one call of gsub.
type substitution struct {
	with lua.LValue // a text, a table or a function
	matcher
}

func (lib *library) gsub(L *lua.LState) int {
	a := args{L, "gsub"}
	s, p := a.text(1), a.text(2)
	with := a.replacement(3)
	limit := a.optInteger(4, len(s)+1)
	p, anchored := strings.CutPrefix(p, "^")
	sub := substitution{with, lib.matcher(L, p, s)}
	b, n := lib.replaceAll(&sub, lib.take(), limit, anchored)
	L.Push(lib.text(b))
	L.Push(integer(n))
	return 2
}

func (a args) replacement(n int) lua.LValue {
	v := a.L.Get(n)
	switch number := v.(type) {
	case lua.LString, *lua.LTable, *lua.LFunction:
	case lua.LNumber:
		return lua.LString(NumberText(number))
	default:
		a.failType(n, "string/function/table")
	}
	return v
}

// replaceAll appends the text with at most limit matches replaced, and says how many it replaced.
func (lib *library) replaceAll(r *substitution, dst []byte, limit int, anchored bool) (_ []byte, n int) {
	copied, from := 0, 0
	for n < limit {
		found, ok := r.search(from, anchored)
		r.check(r.L)
		if !ok {
			break
		}
		n++
		dst = append(dst, r.s[copied:found.start]...)
		dst = r.replace(dst, found)
		lib.bound(r.L, dst)
		copied, from = found.end, found.end
		if found.end == found.start {
			from++
		}
		if anchored {
			break
		}
	}
	dst = append(dst, r.s[copied:]...)
	lib.bound(r.L, dst)
	return dst, n
}

// replace appends what takes the place of a match.
func (r *substitution) replace(dst []byte, found capture) []byte {
	var v lua.LValue
	switch with := r.with.(type) {
	case lua.LString:
		return r.expand(dst, string(with), found)
	case *lua.LFunction:
		r.L.Push(with)
		r.L.Call(r.push(r.L, found), 1)
		v = r.L.Get(-1)
		r.L.Pop(1)
	default:
		v = r.L.GetTable(with, r.value(r.capture(0, found)))
	}
	switch v := v.(type) {
	case lua.LString:
		return append(dst, v...)
	case lua.LNumber:
		return appendNumber(dst, float64(v))
	}
	if lua.LVAsBool(v) {
		r.L.RaiseError("invalid replacement value (a %s)", v.Type().String())
	}
	return append(dst, r.s[found.start:found.end]...)
}

// expand appends a replacement text in which "%1" is a capture, and "%0" the match.
func (r *substitution) expand(dst []byte, with string, found capture) []byte {
	for {
		plain, rest, more := strings.Cut(with, "%")
		dst = append(dst, plain...)
		switch {
		case !more:
			return dst
		case rest == "":
			r.L.RaiseError("invalid use of '%s' in replacement string", "%")
		case !isDigit(rest[0]):
			dst = append(dst, rest[0])
		case rest[0] == '0':
			dst = append(dst, r.s[found.start:found.end]...)
		default:
			dst = r.appendCapture(dst, r.capture(int(rest[0]-'1'), found))
		}
		with = rest[1:]
	}
}

// capture is a match's capture from 0. All of the match is the first, if the pattern has none.
func (r *substitution) capture(n int, found capture) capture {
	switch {
	case n < r.captures:
		return r.captured[n]
	case n > 0:
		r.L.RaiseError("%v", errCaptureIndex)
	}
	return found
}

func (r *substitution) appendCapture(dst []byte, c capture) []byte {
	if c.end == atPosition {
		return appendNumber(dst, float64(c.start+1))
	}
	return append(dst, r.s[c.start:c.end]...)
}
