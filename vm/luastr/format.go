package luastr

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// format is string.format.
func (lib *library) format(L *lua.LState) int {
	a := args{L, "format"}
	f := a.text(1)
	b := lib.take()
	for n := 1; ; {
		plain, rest, found := strings.Cut(f, "%")
		b = append(b, plain...)
		switch {
		case !found:
			L.Push(lib.text(b))
			return 1
		case strings.HasPrefix(rest, "%"):
			b, f = append(b, '%'), rest[1:]
			continue
		}
		d, length, problem := parseDirective(rest)
		if problem != "" {
			L.RaiseError("%s", problem)
		}
		n++
		b, f = a.directive(b, d, n), rest[length:]
		lib.bound(L, b)
	}
}

// directive appends argument n as d says.
func (a args) directive(dst []byte, d directive, n int) []byte {
	if n > a.L.GetTop() {
		a.fail(n, "no value")
	}
	switch d.verb {
	case 's':
		return d.text(dst, ToString(a.L, a.L.Get(n)))
	case 'q':
		return appendQuoted(dst, a.text(n))
	case 'c':
		c := [1]byte{byte(a.integer(n))}
		return d.pad(dst, "", c[:], false)
	case 'e', 'E', 'f', 'g', 'G':
		return d.float(dst, float64(a.number(n)))
	}
	return d.integer(dst, float64(a.number(n)))
}

// appendQuoted writes s so that Lua reads it back.
func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := range len(s) {
		switch c := s[i]; c {
		case '"', '\\', '\n':
			dst = append(dst, '\\', c)
		case '\r':
			dst = append(dst, `\r`...)
		case 0:
			dst = append(dst, `\000`...)
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}
