package luafix_test

import (
	"fmt"
	"strings"
)

// rare writes statements that test corners of the compiler.
func (g *generator) rare() {
	switch g.pick(8) {
	case 0:
		g.constants()
	case 1:
		g.list()
	case 2:
		g.module()
	case 3:
		if g.vararg {
			a, b := g.fresh("n"), g.fresh("n")
			g.line("local %s, %s = num((...)), num((select('#', ...)))", a, b)
			g.line("%s = num(...)", a)
			g.add(a)
			g.add(b)
		}
	case 4:
		g.line("local b%d = %s", g.names+1, g.bool())
		g.names++
		g.add(fmt.Sprintf("b%d", g.names))
		g.line("b%d = b%d and (%s) and %s", g.names, g.names, g.bool(), g.num())
	case 5:
		g.nested()
	case 6:
		g.line("out(type(%s), %s == (%s))", g.bool(), g.boolLeaf(), g.bool())
	case 7:
		g.makers()
	}
}

// constants uses more constants than an instruction can name.
func (g *generator) constants() {
	if g.depth > 0 || g.chance(70) {
		return
	}
	var c []string
	for i := range 270 {
		c = append(c, fmt.Sprintf("%d.25", 1000+i))
	}
	g.line("out(#{%s})", strings.Join(c, ", "))
}

// list writes a table constructor about as long as a batch.
func (g *generator) list() {
	n := g.pick(3)*50 + g.pick(4) - 1
	var c []string
	for i := 0; i < n; i++ {
		c = append(c, fmt.Sprint(i%7))
	}
	if n > 0 && g.chance(30) {
		c[g.pick(n)] = g.num()
	}
	switch g.pick(3) {
	case 0:
		c = append(c, "five("+g.num()+")")
	case 1:
		c = append(c, "x = "+g.num(), "y = "+g.numCall())
	}
	if n > 0 && g.chance(30) {
		i := g.pick(len(c))
		c = append(c[:i], append([]string{"z = " + g.numCall()}, c[i:]...)...)
	}
	g.line("do local t0 = {%s}; out(#t0, t0[1], t0[2], t0[50], t0[51], t0[#t0]) end", strings.Join(c, ", "))
}

func (g *generator) module() {
	g.names++
	m := fmt.Sprintf("m%d", g.names)
	g.line("local %s = {v = %s, in1 = {}}", m, g.num())
	g.line("function %s:set(n80)", m)
	g.inFunction("self.v = %s", "return self", "n80")
	g.line("end")
	g.line("function %s.in1.f(n80, n81)", m)
	g.inFunction("n81 = num(n80 or 1) * 2 - %s", "return n81", "n80", "n81")
	g.line("end")
	g.line("out(%s:set(%s):set(2).v, %s.in1.f(1, %s))", m, g.num(), m, g.num())
}

func (g *generator) inFunction(set, ret string, params ...string) {
	vararg, loops := g.vararg, g.loops
	g.vararg, g.loops = false, 0
	g.line("  tick()")
	g.push()
	for _, p := range params {
		g.line("  %s = %s or 4", p, p)
		g.add(p)
	}
	g.block()
	g.line("  "+set, g.num())
	g.line("  %s", ret)
	g.pop()
	g.vararg, g.loops = vararg, loops
}

// nested assigns through tables in tables.
func (g *generator) nested() {
	g.names++
	q := fmt.Sprintf("q%d", g.names)
	g.line("local %s = {a = {1, 2, 3}, b = {c = {d = %s}}}", q, g.num())
	g.line("%s.b.c.d, %s.a[%s.a[1]], %s.b.c = %s, %s, {d = 1}", q, q, q, q, g.num(), g.num())
	g.line("local i = 1")
	g.line("i, %s.a[i], %s.a[i + 1] = i + 1, 20, %s", q, q, g.numCall())
	g.line("out(i, %s.b.c.d, %s.a[1], %s.a[2], %s.a[3])", q, q, q, q)
}

// makers makes closures in loops that are left in different ways.
func (g *generator) makers() {
	g.names++
	fs := fmt.Sprintf("fs%d", g.names)
	g.line("local %s = {}", fs)
	g.line("for i = 1, 4 do")
	g.line("  local j = i * 2")
	g.line("  for k = 1, 3 do")
	g.line("    local l = k")
	g.line("    %s[#%s + 1] = function() i = i + 1; l = l + j; return i + l end", fs, fs)
	g.line("    if %s then break end", g.cond())
	if g.gotos {
		g.labels++
		g.line("    if %s then goto L%d end", g.cond(), g.labels)
	}
	g.line("    do local m = l; keep(function() m = m + l; return m end); if k + i > %d then break end end", g.pick(6))
	g.line("  end")
	g.line("  if %s then break end", g.cond())
	if g.gotos {
		g.line("  ::L%d::", g.labels)
	}
	g.line("end")
	g.line("for i = 1, #%s do out(%s[i](), %s[i]()) end", fs, fs, fs)
}
