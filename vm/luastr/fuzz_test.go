package luastr

import (
	"fmt"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"
)

// FuzzMatcher looks for patterns that panic, that find what is not in the text, or that
// take more steps than they may.
func FuzzMatcher(f *testing.F) {
	for _, seed := range [][2]string{
		{"hello world", "(%w+) (%w+)"}, {"f(a(b)c)d", "%b()"}, {"THE fox", "%f[%a]()%a+"},
		{"aaaa", "a-a*a?a+$"}, {"abab", "(a)(b)%1%2"}, {"x]", "[]^-]"}, {"", "^$"}, {"a", "[a-"}, {"a", "(()"},
	} {
		f.Add(seed[0], seed[1], 0)
	}
	f.Fuzz(func(t *testing.T, s, text string, from int) {
		p, err := compile(text)
		if err != nil || len(s) > 1000 || from < 0 || from > len(s) {
			return
		}
		m := newMatcher(nil, goOn, p, s)
		m.steps, m.reserve = 1<<16, 0
		found, ok := m.search(from, false)
		if !ok {
			return
		}
		if found.start < from || found.end < found.start || found.end > len(s) {
			t.Fatalf("%q in %q from %d: found %v", text, s, from, found)
		}
		for _, c := range m.captured[:m.captures] {
			if c.end != atPosition && (c.start < found.start || c.end < c.start || c.end > found.end) {
				t.Fatalf("%q in %q from %d: found %v with capture %v", text, s, from, found, c)
			}
		}
	})
}

// FuzzFormat compares what C and Go format alike with Go's fmt, and looks for panics and
// results of the wrong width in everything else.
func FuzzFormat(f *testing.F) {
	for _, seed := range []string{"%d", "%+5.3d|", "%#x", "%-08.3f", "%g", "%#.3g", "%q%s", "%c", "%.99f", "100%%", "%"} {
		f.Add(seed, 1.5)
	}
	f.Fuzz(func(t *testing.T, format string, v float64) {
		d, length, problem := parseDirective(strings.TrimPrefix(format, "%"))
		if problem != "" || length+1 != len(format) || format[0] != '%' {
			return
		}
		L := lua.NewState(lua.Options{SkipOpenLibs: true})
		defer L.Close()
		L.Push(lua.LNumber(v))
		got := string(args{L, "format"}.directive(nil, d, 1))
		if d.verb != 'q' && len(got) < d.width {
			t.Fatalf("%q of %v: %q is not %d wide", format, v, got, d.width)
		}
		finite := v-v == 0
		if strings.IndexByte("eEf", d.verb) >= 0 && finite && !d.sharp && d.prec >= 0 {
			if want := fmt.Sprintf(format, v); got != want {
				t.Fatalf("%q of %v: got %q, want %q", format, v, got, want)
			}
		}
	})
}

// FuzzToNumber checks that a number's text is read back as C would print it again.
func FuzzToNumber(f *testing.F) {
	for _, seed := range []string{"10", " 0x1F ", "1e400", "-.5e-3", "inf", "1_0", "0x", "--1"} {
		f.Add(seed, 10)
		f.Add(seed, 16)
	}
	f.Fuzz(func(t *testing.T, s string, base int) {
		n, ok := ToNumber(lua.LString(s), base)
		if !ok {
			return
		}
		printed := NumberText(n)
		again, ok := ToNumber(lua.LString(printed), 10)
		if infinite := strings.HasSuffix(printed, "inf"); ok == infinite || !infinite && NumberText(again) != printed {
			t.Fatalf("%q in base %d is %s, which is read as %v, %t", s, base, printed, again, ok)
		}
	})
}
