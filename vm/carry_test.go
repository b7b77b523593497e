package vm

import (
	"strings"
	"testing"
)

// TestLibraryTablesAreCarried gives the library functions of the script's own, and calls them in clients and in the function of a stream.
func TestLibraryTablesAreCarried(t *testing.T) {
	got := output(t, `local f = open("f", { size = "4KiB" })
function string.trim(s) return (s:gsub("^%s+", "")) end
function math.round(x) return math.floor(x + 0.5) end
local floor = math.floor
math.floor = function(x) return floor(x) + 100 end
table.shared = { 1, 2 }
getmetatable("").__call = function(s, x) return s .. x end
phase("p", { iterations = 1 }, clients("c", 1, function()
  print(("  x"):trim(), math.round(1.6), math.floor(1.6), floor(1.6), #table.shared, ("a")("b"), math.max(1, 2))
end))
phase("q", { ops = 2 }, stream("s", { file = f, think = function() return math.round(0.4) end }))`)
	if want := "x\t102\t101\t1\t2\tab\t2\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLibraryTablesThatCannotBeCarried(t *testing.T) {
	got := output(t, `string.co = coroutine.create(print)
phase("p", { iterations = 1 }, clients("c", 1, function() end))`)
	if want := `global "string.co" is a coroutine, which cannot be carried over to a worker`; !strings.Contains(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestOrders goes over tables with pairs: the order is the same in every run.
func TestOrders(t *testing.T) {
	for over, want := range map[string]string{
		`coroutine`:                              "resume create running status wrap yield",
		`table`:                                  "concat foreach foreachi getn insert maxn remove sort",
		`math`:                                   "pi huge abs acos asin atan atan2 ceil cos cosh deg exp floor fmod frexp ldexp log log10 max min mod modf pow rad random randomseed sin sinh sqrt tan tanh",
		`string`:                                 "byte char dump find format gmatch gsub len lower match rep reverse sub upper",
		`phase("p", { ops = 20 }, mix).s`:        "read write fsync trim duration verify",
		`phase("p", { ops = 20 }, mix).s.verify`: "checked bytes mismatches unsettled unknown",
	} {
		got := output(t, `local f = open("f", { size = "1MiB" })
local mix = stream("s", { file = f, op = { read = 1, write = 1, fsync = 1, trim = 1 }, verify = "crc32c" })
local names = {}
for name in pairs(`+over+`) do names[#names + 1] = name end
print(table.concat(names, " "))`)
		if got != want+"\n" {
			t.Errorf("%s: got %q, want %q", over, got, want)
		}
	}
	first, second := output(t, `for name in pairs(_G) do print(name) end`), output(t, `for name in pairs(_G) do print(name) end`)
	if first != second {
		t.Errorf("globals: %q, and then %q", first, second)
	}
}
