package luafix_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"moonio/vm/luafix"
)

// prelude is what the generated programs call.
const prelude = `
local steps, kept = 0, {}
function reset() steps, kept = 0, {}; Gn1, Gn2, Gs1, Gs2, Gb1, Gb2 = 11, 12, 'g', 'h', true, false end
function tick() steps = steps + 1; if steps > 1500 then error('budget') end end
local function show(v)
  if type(v) == 'number' then
    if v == 0 then return '0' elseif v ~= v then return 'nan' elseif v > 1e15 or v < -1e15 then return 'big' end
    return string.format('%.10g', v)
  elseif type(v) == 'string' or type(v) == 'boolean' or v == nil then return tostring(v) end
  return type(v)
end
function out(...)
  tick()
  local line = ''
  for i = 1, select('#', ...) do line = line .. show((select(i, ...))) .. ' ' end
  emit(line)
end
function keep(f) kept[#kept + 1] = f end
function finish() for i = 1, #kept do out('kept', kept[i](), kept[i]()) end end
function num(x) if type(x) == 'number' then return x end return 0 end
function id(x) return x end
function int(n) n = n - n % 1 if n ~= 0 and n > -1e9 and n < 1e9 then return n end return 5 end
function two(a, b) return int(b) % 1000, a end
function five(n) return n, n + 1, n + 2, n + 3, n + 4 end
function cut(s) return s:sub(1, 20) end
function object(v)
  return {
    v = v,
    add = function(self, n) self.v = int(self.v + n) % 1000 return self.v end,
    get = function(self, n) return self.v, n end,
    twice = function(self, n) self.v = self.v + self:add(n) return (self:get()) end,
  }
end
function count(n)
  local i = 0
  return function() i = i + 1 if i <= n and i < 9 then return i end end
end
function triple(n)
  local i = 0
  return function(s, c) i = i + 1 if i <= 3 then return i + int(c) % 2, s, i > 1 end end, n, 1
end
`

// oracle is an installed Lua, and what it is good for.
type oracle struct {
	command string
	options []string
	gotos   bool
}

// LuaJIT interprets: its compiler has mistakes of its own.
var oracles = []oracle{{"lua5.1", nil, false}, {"luajit", []string{"-joff"}, true}}

// TestDifferential runs generated programs here and on an installed Lua, and
// compares what they print. LUAFIX_PROGRAMS says how many, LUAFIX_SEED where to begin.
func TestDifferential(t *testing.T) {
	for _, o := range oracles {
		t.Run(o.command, func(t *testing.T) {
			if _, err := exec.LookPath(o.command); err != nil {
				if os.Getenv("CI") != "" {
					t.Fatalf("%s is not installed, and CI must compare with it", o.command)
				}
				t.Skipf("SKIPPED: %s is not installed, so nothing was compared with it", o.command)
			}
			n, first := number("LUAFIX_PROGRAMS", 100), uint64(number("LUAFIX_SEED", 1))
			for ; n > 0; n -= 250 {
				compare(t, o, first, min(n, 250))
				first += 250
			}
		})
	}
}

func number(env string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(env)); err == nil {
		return n
	}
	return otherwise
}

func compare(t *testing.T, o oracle, first uint64, n int) {
	var sources []string
	for i := range n {
		sources = append(sources, program(first+uint64(i), o.gotos))
	}
	for i, want := range runOracle(t, o, sources) {
		if got := runHere(sources[i]); got != want {
			t.Errorf("seed %d: got\n%s\nwant\n%s\nprogram:\n%s", first+uint64(i), got, want, sources[i])
		}
	}
}

const driver = `
local lines
function emit(s) lines[#lines + 1] = s end
local function run(source)
  lines = {}
  reset()
  local f, err = loadstring(source)
  if not f then return 'does not compile: ' .. err end
  local ok, err = pcall(f, 4, 5)
  if ok then ok, err = pcall(finish) end
  if not ok then lines[#lines + 1] = 'error' end
  return table.concat(lines, '\n')
end
`

func runOracle(t *testing.T, o oracle, sources []string) []string {
	var b strings.Builder
	b.WriteString(prelude + driver)
	for _, s := range sources {
		fmt.Fprintf(&b, "io.write(run(%s), '\\0')\n", "[==["+s+"]==]")
	}
	file := filepath.Join(t.TempDir(), "programs.lua")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	output, err := exec.Command(o.command, append(o.options, file)...).Output()
	if err != nil {
		t.Fatalf("%s: %v", o.command, err)
	}
	results := strings.Split(string(output), "\x00")
	return results[:len(results)-1]
}

// compiler is luafix.Compile, or gopher-lua without repairs.
type compiler func(source, name string) (*lua.FunctionProto, error)

func runHere(source string) string { return run(source, luafix.Compile) }

func run(source string, compile compiler) string {
	L := lua.NewState(lua.Options{CallStackSize: 4000, RegistrySize: 1 << 16, RegistryMaxSize: 1 << 18})
	defer L.Close()
	var lines []string
	L.SetGlobal("emit", L.NewFunction(func(L *lua.LState) int {
		lines = append(lines, L.CheckString(1))
		return 0
	}))
	call := func(source string, args ...lua.LValue) error {
		proto, err := compile(source, "program")
		if err != nil {
			return err
		}
		return L.CallByParam(lua.P{Fn: L.NewFunctionFromProto(proto), Protect: true}, args...)
	}
	err := call(prelude + "reset()")
	if err == nil {
		err = call(source, lua.LNumber(4), lua.LNumber(5))
	}
	if err == nil {
		err = call("finish()")
	}
	var syntax *luafix.SyntaxError
	if errors.As(err, &syntax) {
		return "does not compile: " + err.Error()
	}
	if err != nil {
		lines = append(lines, "error")
	}
	return strings.Join(lines, "\n")
}
