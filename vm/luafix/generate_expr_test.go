package luafix_test

import (
	"fmt"
	"strings"
)

func (g *generator) expr(kind string) string {
	switch kind {
	case "n":
		return g.num()
	case "s":
		return g.str()
	case "t":
		return g.table()
	case "o":
		return fmt.Sprintf("object(%s)", g.num())
	}
	return g.bool()
}

func (g *generator) deeper(f func() string, leaf func() string) string {
	if g.depth > 8 || len(g.scopes) > 12 {
		return leaf()
	}
	g.depth += 2
	defer func() { g.depth -= 2 }()
	return f()
}

func (g *generator) numLeaf() string {
	if g.vararg && g.chance(5) {
		return "num((...))"
	}
	return g.one(g.v("n"), g.v("n"), "Gn1", fmt.Sprint(g.pick(10)), "300", "-2", "#"+g.v("s"), g.field(), "0x1F", "1e2", ".5", "('ab'):len()")
}

func (g *generator) num() string {
	return g.deeper(func() string {
		switch g.pick(12) {
		case 0, 1, 2, 3, 4:
			return g.numLeaf()
		case 5, 6:
			return fmt.Sprintf("(%s %s %s)", g.num(), g.one("+", "-", "*"), g.num())
		case 7:
			return fmt.Sprintf("(int(%s) %% %d)", g.num(), 2+g.pick(9))
		case 8:
			return fmt.Sprintf("(%s and %s or %s)", g.cond(), g.num(), g.num())
		case 9:
			return "-(" + g.num() + ")"
		case 10:
			return "(" + g.numCall() + ")"
		default:
			return fmt.Sprintf("(%s or %s)", g.one("nil", "false", g.num()), g.num())
		}
	}, g.numLeaf)
}

func (g *generator) numCall() string {
	switch g.pick(4) {
	case 0:
		if o, ok := g.find("o"); ok {
			return fmt.Sprintf("%s:%s(%s)", o, g.one("add", "get", "twice"), g.num())
		}
	case 1:
		return fmt.Sprintf("two(%s, %s)", g.num(), g.num())
	case 2:
		if g.vararg {
			return fmt.Sprintf("num(select(%d, %s, ...))", 1+g.pick(2), g.num())
		}
	}
	if f, ok := g.find("f"); ok {
		return fmt.Sprintf("%s(%s)", f, g.args(3))
	}
	return "two(1, 2)"
}

func (g *generator) args(n int) string {
	var a []string
	for range g.pick(n + 1) {
		a = append(a, g.num())
	}
	if g.chance(20) {
		a = append(a, g.numCall())
	}
	if g.vararg && g.chance(10) {
		a = append(a, "...")
	}
	return strings.Join(a, ", ")
}

func (g *generator) call() string {
	if f, ok := g.find("f"); ok && g.chance(60) {
		return fmt.Sprintf("out(%s(%s))", f, g.args(3))
	}
	return fmt.Sprintf("out(two(%s, %s))", g.num(), g.num())
}

func (g *generator) strLeaf() string {
	// Variables are cut, or loops would grow them without end.
	return g.one("cut("+g.v("s")+")", "cut("+g.v("s")+")", "'a'", `"b\n"`, "[[c]]", "''")
}

func (g *generator) str() string {
	return g.deeper(func() string {
		switch g.pick(7) {
		case 0, 1:
			return fmt.Sprintf("(%s .. %s)", g.str(), g.one(g.str(), "int("+g.num()+")"))
		case 2:
			return fmt.Sprintf("(int(%s) .. %s .. %s)", g.num(), g.strLeaf(), g.one(g.str(), "int("+g.num()+") % 9 + 1"))
		case 3:
			return fmt.Sprintf("(%s and %s or %s)", g.cond(), g.str(), g.str())
		case 4:
			return fmt.Sprintf("%s .. ((%s) and %s or %s)", g.strLeaf(), g.bool(), g.strLeaf(), g.str())
		case 5:
			return fmt.Sprintf("cut(%s)", g.str())
		default:
			return g.strLeaf()
		}
	}, g.strLeaf)
}

func (g *generator) boolLeaf() string {
	return g.one(g.v("b"), g.v("b"), g.v("n"), "nil", "false", "true", "Gb1", "0", "''", g.v("s"))
}

// bool is any value, for its truth.
func (g *generator) bool() string {
	return g.deeper(func() string {
		switch g.pick(13) {
		case 0, 1, 2, 3:
			return fmt.Sprintf("(%s %s %s)", g.bool(), g.one("and", "or"), g.bool())
		case 4, 5:
			return fmt.Sprintf("%s %s %s", g.bool(), g.one("and", "or"), g.bool())
		case 6:
			return "not (" + g.bool() + ")"
		case 7, 8:
			return g.cond()
		case 9:
			return g.num()
		case 10:
			return fmt.Sprintf("(id(%s))", g.bool())
		case 11:
			return fmt.Sprintf("({%s, k = %s})[ %s ]", g.bool(), g.bool(), g.one("1", "'k'", g.bool()+" and 1 or 'k'"))
		default:
			return g.boolLeaf()
		}
	}, g.boolLeaf)
}

func (g *generator) cond() string {
	return g.deeper(func() string {
		switch g.pick(8) {
		case 0, 1:
			return fmt.Sprintf("%s %s %s", g.num(), g.one("<", ">", "<=", ">=", "==", "~="), g.num())
		case 2:
			return fmt.Sprintf("%s %s %s", g.str(), g.one("<", "<=", "==", "~="), g.str())
		case 3:
			return fmt.Sprintf("%s %s %s", g.boolLeaf(), g.one("==", "~="), g.boolLeaf())
		case 4:
			return "not " + g.boolLeaf()
		case 5, 6:
			return fmt.Sprintf("(%s %s %s)", g.cond(), g.one("and", "or"), g.cond())
		default:
			return g.boolLeaf()
		}
	}, g.boolLeaf)
}

func (g *generator) table() string {
	return g.one(
		fmt.Sprintf("{%s, %s, 3, 4, 5, x = %s, y = %s}", g.num(), g.num(), g.num(), g.num()),
		fmt.Sprintf("{1, 2, 3, %s, %s; ['x'] = %s, y = 2}", g.num(), g.num(), g.num()),
		fmt.Sprintf("{x = 1, y = %s, 7, five(%s)}", g.num(), g.num()),
		fmt.Sprintf("{[%s] = 4, x = 0, y = 0, five(2)}", g.index()),
	)
}

// function declares a function that captures what is in scope.
func (g *generator) function() {
	name := g.fresh("f")
	params := g.one("", "n90", "n90, n91", "n90, n91, ...", "...")
	vararg, loops := g.vararg, g.loops
	g.vararg, g.loops = strings.HasSuffix(params, "..."), 0
	if g.chance(50) {
		g.line("local function %s(%s)", name, params)
	} else {
		g.line("local %s = function(%s)", name, params)
	}
	g.line("  if tick() then return 0 end")
	g.push()
	for _, p := range strings.Split(params, ", ") {
		if strings.HasPrefix(p, "n") {
			g.line("  %s = %s or 3", p, p)
			g.add(p)
		}
	}
	g.block()
	g.line("  return %s", g.one(g.num(), g.num()+", "+g.num(), g.num()+", "+g.numCall(), "two("+g.num()+", 1)", "("+g.numCall()+")"))
	g.pop()
	g.line("end")
	g.vararg, g.loops = vararg, loops
	g.add(name)
}
