package luafix_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator writes random Lua programs that run without errors, end, and print
// what they compute with out. Every variable keeps its type: n… numbers, s…
// strings, b… anything used as a truth, t… tables of numbers (1 to 5, x, y),
// f… functions from numbers to numbers, o… objects with methods.
type generator struct {
	r      *rand.Rand
	b      strings.Builder
	indent int
	scopes [][]string // names in scope, by block
	names  int
	depth  int
	size   int // statements left
	loops  int // loops around, in this function
	vararg bool
	gotos  bool
	labels int
}

// program is the source for a seed. Without gotos it is plain Lua 5.1.
func program(seed uint64, gotos bool) string {
	g := &generator{r: rand.New(rand.NewPCG(seed, 1)), size: 40 + int(seed%60), gotos: gotos, vararg: true}
	g.push()
	for _, v := range []string{"n", "n", "s", "b", "t", "f", "o"} {
		g.declare(v)
	}
	for g.size > 0 {
		g.stmt()
	}
	g.outAll()
	return g.b.String()
}

func (g *generator) pick(n int) int         { return g.r.IntN(n) }
func (g *generator) chance(p int) bool      { return g.r.IntN(100) < p }
func (g *generator) push()                  { g.scopes = append(g.scopes, nil) }
func (g *generator) pop()                   { g.scopes = g.scopes[:len(g.scopes)-1] }
func (g *generator) one(s ...string) string { return s[g.pick(len(s))] }

func (g *generator) line(format string, args ...any) {
	fmt.Fprintf(&g.b, "%s%s\n", strings.Repeat("  ", g.indent), fmt.Sprintf(format, args...))
}

// fresh makes a name of a type; some shadow names in scope.
func (g *generator) fresh(kind string) string {
	if g.chance(15) {
		if v, ok := g.find(kind); ok && !strings.HasPrefix(v, "G") {
			return v
		}
	}
	g.names++
	return fmt.Sprintf("%s%d", kind, g.names)
}

func (g *generator) add(name string) {
	top := len(g.scopes) - 1
	g.scopes[top] = append(g.scopes[top], name)
}

func (g *generator) find(kind string) (string, bool) {
	var all []string
	for _, s := range g.scopes {
		for _, n := range s {
			if strings.HasPrefix(n, kind) {
				all = append(all, n)
			}
		}
	}
	if len(all) == 0 {
		return "", false
	}
	if g.chance(50) && len(all) > 3 {
		all = all[len(all)-3:] // favour what is near
	}
	return all[g.pick(len(all))], true
}

func (g *generator) v(kind string) string {
	if v, ok := g.find(kind); ok {
		return v
	}
	return map[string]string{"n": "7", "s": "'q'", "b": "nil", "t": "{5,4,3,2,1,x=8,y=9}", "f": "tonumber", "o": "nil"}[kind]
}

func (g *generator) declare(kind string) {
	if kind == "f" {
		g.function()
		return
	}
	name := g.fresh(kind)
	g.line("local %s = %s", name, g.expr(kind))
	g.add(name)
}

// block writes statements in a scope of their own.
func (g *generator) block(names ...string) {
	g.push()
	g.indent++
	g.depth++
	for _, n := range names {
		g.add(n)
	}
	for n := g.pick(4); n >= 0 && g.size > 0; n-- {
		g.stmt()
	}
	g.depth--
	g.indent--
	g.pop()
}

func (g *generator) outAll() {
	for _, s := range g.scopes {
		for _, n := range s {
			switch n[0] {
			case 'n', 's', 'b':
				g.line("out(%s)", n)
			case 't':
				g.line("out(%s[1], %s[2], %s[3], %s[4], %s[5], %s.x, %s.y)", n, n, n, n, n, n, n)
			case 'o':
				g.line("out(%s.v)", n)
			}
		}
	}
}
