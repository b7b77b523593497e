package luafix_test

import "fmt"

func (g *generator) stmt() {
	g.size--
	switch k := g.pick(22); {
	case k >= 20:
		g.rare()
	case k < 3:
		g.declare(g.one("n", "n", "s", "b", "b", "t", "f", "o"))
	case k < 4:
		g.localMany()
	case k < 7:
		g.assign()
	case k < 10:
		g.assignMany()
	case k < 11:
		g.line("out(%s)", g.args(3))
	case k < 12:
		g.line("%s", g.call())
	case g.depth > 4:
		g.assign()
	case k < 15:
		g.ifStmt()
	case k < 18:
		g.loop()
	case k < 19:
		g.line("do")
		g.block()
		g.line("end")
	default:
		g.jump()
	}
}

func (g *generator) target(kind string) string {
	if kind == "n" && g.chance(50) {
		return g.field()
	}
	v, ok := g.find(kind)
	if !ok || g.chance(10) {
		return "G" + kind + g.one("1", "2")
	}
	return v
}

// field is a place for a number in a table.
func (g *generator) field() string {
	t := g.v("t")
	if t[0] == '{' {
		return "Gn1"
	}
	return t + g.one(".x", ".y", "[1]", "[2]", "["+g.index()+"]")
}

func (g *generator) index() string {
	n := g.v("n")
	if g.depth < 4 && g.chance(30) {
		n = g.num()
	}
	return fmt.Sprintf("int(%s) %% 5 + 1", n)
}

func (g *generator) assign() {
	kind := g.one("n", "n", "n", "s", "b", "b", "b")
	g.line("%s = %s", g.target(kind), g.expr(kind))
}

// assignMany writes a multiple assignment without a variable twice on the left,
// whose order Lua leaves open.
func (g *generator) assignMany() {
	seen := map[string]bool{}
	lhs, rhs := "", ""
	n := 2 + g.pick(3)
	for i := range n {
		kind := g.one("n", "n", "n", "s", "b")
		t := g.target(kind)
		if seen[t] || g.mayAlias(t) && seen["field"] {
			continue
		}
		seen[t] = true
		if g.mayAlias(t) {
			seen["field"] = true
		}
		if lhs != "" {
			lhs, rhs = lhs+", ", rhs+", "
		}
		lhs += t
		if i == n-1 && kind == "n" && g.chance(30) {
			rhs += g.numCall()
		} else {
			rhs += g.expr(kind)
		}
	}
	g.line("%s = %s", lhs, rhs)
}

func (g *generator) mayAlias(target string) bool { return target[0] == 't' }

func (g *generator) localMany() {
	a, b, c := g.fresh("n"), g.fresh("n"), g.fresh("b")
	if a == b {
		return
	}
	g.line("local %s, %s, %s = %s, %s, %s", a, b, c, g.num(), g.num(), g.bool())
	g.add(a)
	g.add(b)
	g.add(c)
}

func (g *generator) ifStmt() {
	g.line("if %s then", g.cond())
	g.block()
	for g.chance(25) {
		g.line("elseif %s then", g.cond())
		g.block()
	}
	if g.chance(40) {
		g.line("else")
		g.block()
	}
	g.line("end")
}

func (g *generator) loop() {
	g.loops++
	defer func() { g.loops-- }()
	label := ""
	if g.gotos && g.chance(50) {
		g.labels++
		label = fmt.Sprintf("L%d", g.labels)
	}
	end := "end"
	switch g.pick(6) {
	case 0:
		i := g.fresh("n")
		g.line("for %s = %s do", i, g.one("1, 3", "3, 1, -1", "1, 2.5, 0.5", "5, 1", "1, int("+g.num()+") % 4"))
		g.push()
		g.add(i)
		g.body(label)
		g.pop()
	case 1:
		g.names++
		g.line("local c%d = 0", g.names)
		c := fmt.Sprintf("c%d", g.names)
		g.line("while %s < 3 %s do", c, g.one("", "and "+g.cond()))
		g.line("  %s = %s + 1", c, c)
		g.body(label)
	case 2:
		g.names++
		c := fmt.Sprintf("c%d", g.names)
		g.line("local %s = 0", c)
		v := fmt.Sprintf("n%d", g.names)
		g.line("repeat")
		g.line("  %s = %s + 1", c, c)
		g.line("  local %s = %s", v, g.num())
		g.push()
		g.add(v)
		g.body("")
		end = fmt.Sprintf("until %s > 3 or %s %s 0", c, v, g.one("<", ">"))
		g.pop()
	case 3:
		k, v := g.fresh("n"), g.fresh("n")
		g.line("for %s, %s in %s do", k, v, g.one("ipairs(", "pairs(")+fmt.Sprintf("{%s, %s}", g.num(), g.num())+")")
		g.push()
		g.add(k)
		g.add(v)
		g.body(label)
		g.pop()
	case 4:
		k := g.fresh("n")
		g.line("for %s in %s do", k, g.one("next, {9, 8, 7}", "count(3)", "count(int("+g.num()+") % 4)", "next, {1}, nil, "+g.numCall()))
		g.push()
		g.add(k)
		g.body(label)
		g.pop()
	case 5:
		k, v, w := g.fresh("n"), g.fresh("n"), g.fresh("b")
		g.line("for %s, %s, %s in triple(%s) do", k, v, w, g.num())
		g.push()
		g.add(k)
		g.add(w)
		g.body(label)
		g.pop()
	}
	g.line("%s", end)
}

// body writes a loop's body; with a label, there are continues in it.
func (g *generator) body(label string) {
	g.line("  tick()")
	if label != "" {
		g.line("  if %s then goto %s end", g.cond(), label)
		g.line("  do local z = %s; if z > 3 then z = z + 1; goto %s end end", g.num(), label)
	}
	if g.chance(20) {
		g.line("  do local n0 = %s; keep(function() n0 = n0 + 1; return n0 end); if %s then break end end", g.num(), g.cond())
	}
	g.block()
	if g.chance(25) {
		g.line("  if %s then break end", g.cond())
	}
	if label != "" {
		g.line("  ::%s::", label)
	}
}

// jump writes a break, or a loop made of goto.
func (g *generator) jump() {
	switch {
	case g.loops > 0 && g.chance(50):
		g.line("do break end")
	case g.gotos:
		g.labels++
		l := fmt.Sprintf("L%d", g.labels)
		g.line("do")
		g.line("  local c = 0")
		g.line("  ::%s::", l)
		if g.chance(50) {
			g.line("  local n0 = c; keep(function() n0 = n0 + 1; return n0 + c end)")
		}
		g.block()
		g.line("  c = c + 1")
		g.line("  if c < 3 then goto %s end", l)
		g.line("end")
	}
}
