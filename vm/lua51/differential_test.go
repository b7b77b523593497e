package lua51_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"
)

// tangle writes random nests of protected calls, coroutines and waits, which end.
type tangle struct {
	r     *rand.Rand
	b     strings.Builder
	depth int
	left  int
	names int
}

func tangled(seed uint64) string {
	g := &tangle{r: rand.New(rand.NewPCG(seed, 2)), left: 25}
	g.b.WriteString("local n = 0\n")
	for g.left > 0 {
		g.stmt()
	}
	return g.b.String()
}

func (g *tangle) line(format string, args ...any) {
	fmt.Fprintf(&g.b, "%s%s\n", strings.Repeat("  ", g.depth), fmt.Sprintf(format, args...))
}

func (g *tangle) name() string {
	g.names++
	return fmt.Sprintf("v%d", g.names)
}

func (g *tangle) body(params string, last string) {
	g.depth++
	if params != "" {
		g.line("n = n + (tonumber(%s) or 1)", params)
	}
	for k := g.r.IntN(4); k > 0 && g.left > 0; k-- {
		g.stmt()
	}
	if last != "" {
		g.line("%s", last)
	}
	g.depth--
}

func (g *tangle) ending() string {
	return []string{"return n, 'two'", "return wait(n)", "return", "error(n)", "error('e' .. n, 0)", "error({})", "do return pcall(wait, n) end", "n = n + nil", ""}[g.r.IntN(9)]
}

func (g *tangle) stmt() {
	g.left--
	v := g.name()
	k := g.r.IntN(12)
	if g.depth > 5 {
		k = g.r.IntN(4)
	}
	switch k {
	case 0:
		g.line("out(wait(%d, n))", g.left)
	case 1:
		g.line("n = n + 1; out(n)")
	case 2:
		g.line("local %s, %sb, %sc = wait(n)", v, v, v)
		g.line("out(%s, %sb, %sc)", v, v, v)
	case 3:
		g.line("out(yield(n, %d))", g.left)
	case 4, 5:
		g.line("out(pcall(function(p)")
		g.body("p", g.ending())
		g.line("end, %d))", g.left)
	case 6:
		g.line("out(xpcall(function()")
		g.body("", g.ending())
		g.line("end, function(e) out(wait('handling')) %s end))", []string{"return e", "return n, 2"}[g.r.IntN(2)])
	case 7, 8:
		g.line("local %s = coroutine.create(function(p)", v)
		g.body("p", g.ending())
		g.line("end)")
		for range 1 + g.r.IntN(4) {
			g.line("out(coroutine.resume(%s, n), coroutine.status(%s))", v, v)
			if g.r.IntN(3) == 0 {
				g.line("n = wait(n + 1)")
			}
		}
	case 9:
		g.line("for x, y in coroutine.wrap(function()")
		g.body("", "")
		g.line("  for i = 1, %d do coroutine.yield(wait(i), n) end", g.r.IntN(4))
		g.line("end) do")
		g.body("x", "")
		g.line("end")
	case 10:
		g.line("local %s = { 3, 1, 2 }", v)
		g.line("out(pcall(table.sort, %s, function(a, b)", v)
		g.depth++
		g.line("local ok, r = pcall(function() if a == b then error('same', 0) end return a < b end)")
		g.line("local co = coroutine.wrap(function(x) coroutine.yield(x) return r end)")
		g.line("co(1)")
		g.line("return co()")
		g.depth--
		g.line("end), table.concat(%s))", v)
	case 11:
		g.line("do")
		g.body("", "")
		g.line("end")
	}
}

const common = `
function show(...)
  local line = ''
  for i = 1, select('#', ...) do
    local v = select(i, ...)
    if type(v) == 'table' then v = 'table' elseif type(v) == 'string' then v = v:gsub('^[^:]*:%d+: ', ''):gsub(' %(.*', '') end
    line = line .. tostring(v) .. ' '
  end
  return line
end
function out(...) emit(show(...)) end
function yield(...)
  if coroutine.running() then return coroutine.yield(...) end
  return 'main'
end
`

// TestDifferential runs tangles here, with waits, and on LuaJIT, where wait returns at
// once. LUA51_TANGLES says how many.
func TestDifferential(t *testing.T) {
	if _, err := exec.LookPath("luajit"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("luajit is not installed, and CI must compare with it")
		}
		t.Skip("SKIPPED: luajit is not installed, so nothing was compared with it")
	}
	n := 200
	fmt.Sscan(os.Getenv("LUA51_TANGLES"), &n)
	var programs []string
	for i := range n {
		programs = append(programs, tangled(uint64(i)))
	}
	want := onLuaJIT(t, programs)
	for i, p := range programs {
		if got := here(t, p); got != want[i] {
			t.Errorf("seed %d: got\n%s\nwant\n%s\nprogram:\n%s", i, got, want[i], p)
		}
	}
}

func onLuaJIT(t *testing.T, programs []string) []string {
	var b strings.Builder
	b.WriteString("function emit(s) io.write(s, '\\n') end\nfunction wait(...) return ... end\n" + common)
	for _, p := range programs {
		fmt.Fprintf(&b, "do local ok, e = pcall(assert(loadstring([==[%s]==]))) if not ok then emit('failed ' .. show(e)) end io.write('\\0') end\n", p)
	}
	file := filepath.Join(t.TempDir(), "tangles.lua")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	output, err := exec.Command("luajit", "-joff", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	results := strings.Split(string(output), "\x00")
	return results[:len(results)-1]
}

func here(t *testing.T, program string) string {
	w := newWorld(t, nil)
	var b bytes.Buffer
	w.L.SetGlobal("emit", w.L.NewFunction(func(L *lua.LState) int {
		b.WriteString(L.CheckString(1) + "\n")
		return 0
	}))
	if err := w.run(common, "common"); err != nil {
		t.Fatal(err)
	}
	if err := w.run(program, "program"); err != nil {
		w.L.SetGlobal("e", lua.LString(err.Error()))
		if strings.HasPrefix(err.Error(), "table: ") {
			w.L.SetGlobal("e", w.L.NewTable())
		}
		if err := w.run("emit('failed ' .. show(e))", "report"); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// TestTanglesTogether runs tangles in turns, in threads of one state: each does what it does alone.
func TestTanglesTogether(t *testing.T) {
	n, at := 200, 0
	fmt.Sscan(os.Getenv("LUA51_TANGLES"), &n)
	w := newWorld(t, nil)
	output := make([]bytes.Buffer, n)
	w.L.SetGlobal("emit", w.L.NewFunction(func(L *lua.LState) int {
		output[at].WriteString(L.CheckString(1) + "\n")
		return 0
	}))
	if err := w.run(common, "common"); err != nil {
		t.Fatal(err)
	}
	threads, waits := make([]*lua.LState, n), make([][]lua.LValue, n)
	left := n
	step := func(i int, fn *lua.LFunction) {
		at = i
		done, err := w.Resume(threads[i], fn, waits[i]...)
		if waits[i] = w.waits; done {
			threads[i] = nil
			left--
		}
		if err != nil {
			output[i].WriteString("failed\n")
		}
	}
	for i := range n {
		threads[i] = w.NewThread()
		step(i, w.compile(t, tangled(uint64(i))))
	}
	for turns := rand.New(rand.NewPCG(1, 2)); left > 0; {
		if i := turns.IntN(n); threads[i] != nil {
			step(i, nil)
		}
	}
	for i := range n {
		alone, _, _ := strings.Cut(here(t, tangled(uint64(i))), "failed ")
		if got := strings.TrimSuffix(output[i].String(), "failed\n"); got != alone {
			t.Errorf("seed %d: got\n%s\nand alone\n%s", i, got, alone)
		}
	}
}
