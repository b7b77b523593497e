package luafix_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

func TestMinimize(t *testing.T) {
	if os.Getenv("MIN") == "" {
		t.Skip()
	}
	o := os.Getenv("MINO")
	if o == "" {
		o = "luajit"
	}
	oo := oracles[0]; if o == "luajit" { oo = oracles[1] }
	for _, sd := range strings.Split(os.Getenv("MIN"), ",") {
		var seed uint64
		fmt.Sscan(sd, &seed)
		src := program(seed, o == "luajit")
		bad := func(c []string) int {
			want := runOracle(t, oo, c)
			for i, w := range want {
				if strings.HasPrefix(w, "does not") {
					continue
				}
				g := runHere(c[i])
				if strings.HasPrefix(g, "does not") && !strings.Contains(g, "nest") && !strings.Contains(g, "gave") {
					continue
				}
				if g != w {
					return i
				}
			}
			return -1
		}
		if bad([]string{src}) < 0 {
			t.Log(seed, "same")
			continue
		}
		paren := regexp.MustCompile(`\([^()]*\)`)
		for {
			changed := false
			lines := strings.Split(strings.TrimRight(src, "\n"), "\n")
			for n := len(lines); n >= 1; n = n / 2 {
				for {
					lines = strings.Split(src, "\n")
					var c []string
					for i := 0; i+n <= len(lines); i++ {
						c = append(c, strings.Join(append(append([]string{}, lines[:i]...), lines[i+n:]...), "\n"))
					}
					// pair removal: header and end with same indentation
					if n == 1 {
						ind := func(s string) int { return len(s) - len(strings.TrimLeft(s, " ")) }
						for i := range lines {
							for j := i + 1; j < len(lines); j++ {
								if ind(lines[i]) == ind(lines[j]) {
									l := append([]string{}, lines[:i]...)
									l = append(l, lines[i+1:j]...)
									l = append(l, lines[j+1:]...)
									c = append(c, strings.Join(l, "\n"))
									break
								}
							}
						}
					}
					if len(c) == 0 {
						break
					}
					k := bad(c)
					if k < 0 {
						break
					}
					src = c[k]
					changed = true
				}
			}
			for {
				var c []string
				for _, loc := range paren.FindAllStringIndex(src, -1) {
					in := src[loc[0]+1 : loc[1]-1]
					for _, rep := range []string{"1", "nil", "true", "false", "'s'", in} {
						if in != rep {
							c = append(c, src[:loc[0]]+" "+rep+" "+src[loc[1]:])
						}
					}
					if strings.ContainsAny(in, "+*-") {
						c = append(c, src[:loc[0]]+"(1)"+src[loc[1]:])
					}
					for _, op := range []string{" or ", " and ", ", ", " .. ", " + ", " == ", " < ", " ~= "} {
						if a, b, ok := strings.Cut(in, op); ok {
							c = append(c, src[:loc[0]]+"("+a+")"+src[loc[1]:], src[:loc[0]]+"("+b+")"+src[loc[1]:])
						}
					}
				}
				for _, op := range []string{" or ", " and ", ", ", " .. ", " + ", " == ", " < ", " ~= "} {
					ls := strings.Split(src, "\n")
					for i, l := range ls {
						for _, pre := range []string{" = ", "return ", "if ", "out("} {
							if h, r, ok := strings.Cut(l, pre); ok {
								for p := 0; ; {
									q := strings.Index(r[p:], op)
									if q < 0 {
										break
									}
									q += p
									suf := ""
									if pre == "if " {
										if k := strings.Index(r, " then"); k >= 0 {
											suf = r[k:]
											if q > k {
												break
											}
										}
									}
									if pre == "out(" {
										suf = ")"
									}
									nl := append([]string{}, ls...)
									nl[i] = h + pre + r[:q] + suf
									c = append(c, strings.Join(nl, "\n"))
									nl = append([]string{}, ls...)
									nl[i] = h + pre + r[q+len(op):]
									c = append(c, strings.Join(nl, "\n"))
									p = q + len(op)
								}
							}
						}
					}
				}
				if len(c) == 0 {
					break
				}
				k := bad(c)
				if k < 0 || len(c[k]) >= len(src)+2 {
					break
				}
				if len(c[k]) >= len(src) && c[k] == src {
					break
				}
				src = c[k]
				changed = true
			}
			if !changed {
				break
			}
		}
		w := runOracle(t, oo, []string{src})[0]
		fmt.Printf("=== seed %d\n%s\n--- want\n%s\n--- got\n%s\n", seed, src, w, runHere(src))
	}
}
