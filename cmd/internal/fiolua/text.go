package fiolua

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// size is a number of bytes as a script has it.
func size(n int64) string {
	for _, u := range []struct {
		name string
		n    int64
	}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if n >= u.n && n%u.n == 0 {
			return strconv.Quote(fmt.Sprintf("%d%s", n/u.n, u.name))
		}
	}
	return strconv.FormatInt(n, 10)
}

// unquoted is a size within a longer text.
func unquoted(n int64) string { return strings.Trim(size(n), `"`) }

// duration is a length of time as a script has it.
func duration(d time.Duration) string {
	for _, u := range []struct {
		name string
		d    time.Duration
	}{{"s", time.Second}, {"ms", time.Millisecond}, {"us", time.Microsecond}} {
		if d >= u.d && d%u.d == 0 {
			return fmt.Sprintf(`"%d%s"`, d/u.d, u.name)
		}
	}
	return fmt.Sprintf(`"%dns"`, d.Nanoseconds())
}

func integer(n int64) string { return strconv.FormatInt(n, 10) }

// decimal is a number without needless digits.
func decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// quote writes a Lua string. Lua 5.1 has decimal escapes only.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\%03d`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// comment is text that can stand after --.
func comment(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
}
