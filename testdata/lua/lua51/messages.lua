-- What errors say: in which line, and what was nil.

--- calling a global
fooo("x") --! attempt to call a nil value (global 'fooo')

--- calling a local
local f = 5
f() --! attempt to call a number value (local 'f')

--- calling a captured local
local f
local function g()
  f() --! attempt to call a nil value (upvalue 'f')
end
g()

--- calling a field
local t = { sub = {} }
t.sub.x() --! attempt to call a nil value (field 'x')

--- calling a method
local t = {}
t:go(1) --! attempt to call a nil value (method 'go')

--- calling a method of a text
local s = ("x"):repeated(3) --! attempt to call a nil value (method 'repeated')

--- calling in the middle of a line
local a = print
local x = tostring(a) .. tostring(undefined_thing(1)) --! attempt to call a nil value (global 'undefined_thing')

--- calling what a call returned
print()() --! attempt to call a nil value

--- tail calls
local function f() return nothing() end --! attempt to call a nil value (global 'nothing')
f()

--- indexing a global
local x = wal.size --! attempt to index a nil value (global 'wal')

--- indexing a local
local wal
wal.size = 1 --! attempt to index a nil value (local 'wal')

--- indexing a parameter
local function f(a, b) return b.c end --! attempt to index a nil value (local 'b')
f(1)

--- indexing a field
local r = { reads = {} }
local x = r.reads.read.p99 --! attempt to index a nil value (field 'read')

--- indexing with a variable
local t, k = {}, "key"
local x = t[k].y --! attempt to index a nil value

--- a method of nil
local f
f:close() --! attempt to index a nil value (local 'f')

--- indexing a function
local x = print.y --! attempt to index a function value (global 'print')

--- arithmetic
local x
local y = 1 + x --! attempt to perform arithmetic on a nil value (local 'x')

--- arithmetic on the left
local t = {}
local y = t.count + 1 --! attempt to perform arithmetic on a nil value (field 'count')

--- arithmetic on a text
local y = "10" + "ten" --! attempt to perform arithmetic on a string value

--- arithmetic on a table
local t = {}
local y = t * 2 --! attempt to perform arithmetic on a table value (local 't')

--- negation
local t = {}
local y = -t --! attempt to perform arithmetic on a table value (local 't')

--- length
local x
local y = #x --! attempt to get length of a nil value (local 'x')

--- concatenation
local name
local y = "a" .. name .. "b" --! attempt to concatenate a nil value (local 'name')

--- concatenation on the right
local y = 5 .. {} --! attempt to concatenate a table value

--- comparison
local x
local y = x < 1 --! attempt to compare nil with number

--- comparison of two
local y = {} < {} --! attempt to compare two table values

--- comparison of a number with a text
local y = 1 <= "2" --! attempt to compare number with string

--- a for loop's start
for i = "x", 2 do end --! 'for' initial value must be a number

--- a for loop's limit
for i = 1, nil do end --! 'for' limit must be a number

--- a for loop over a table
for k, v in { 1, 2 } do end --! attempt to call a table value

--- a table index that is nil
local t = {}
t[nil] = 1 --! table index is nil

--- a table index that is no number
local t = {}
t[0 / 0] = 1 --! table index is NaN

--- arguments
local x = ("x"):rep() --! bad argument #1 to 'rep' (number expected, got no value)

--- arguments of table functions
table.insert(nil, 1) --! bad argument #1 to 'insert' (table expected, got nil)

--- arguments of mathematics
local x = math.floor("x") --! bad argument #1 to 'floor' (number expected, got string)

--- arguments of iterators
for k in pairs(nil) do end --! bad argument #1 to 'pairs' (table expected, got nil)

--- error with a level
local function check(x)
  if not x then error("no x", 2) end
end
check(nil) --! no x

--- error at level 0
local ok, err = pcall(error, "plain", 0)
eq(err, "plain")
ok, err = pcall(function() error("plain", 0) end)
eq(err, "plain")

--- error at a level that is not there
local ok, err = pcall(function() error("far", 5) end)
eq(err, "far")

--- assert
local ok, err = pcall(assert, false)
eq(err, "assertion failed!")
ok, err = pcall(assert, nil, "why")
eq(err, "why")
ok, err = pcall(assert, false, { 1 })
eq(err[1], 1)
eq(select("#", assert(1, 2, nil)), 3)
local _, err = pcall(function() assert(false, "why") end)
eq(err, "why")

--- assert in a line
assert(1 == 2) --! assertion failed!

--- what is not there
loadstring("return 1") --! loadstring is not there for scripts: code cannot be made from text

--- tables that are not there
local t = os.time() --! os.time is not there for scripts

--- files that are not there
local f = io.open("x") --! io.open is not there for scripts: scripts reach files with open

--- libraries look for what is not there
eq(io, nil)
eq(loadstring or load or "neither", "neither")

--- an error from a module is in the module
local ok, err = pcall(require, "fails")
eq(err, "fails.lua:2: attempt to index a nil value (local 'x')")

--- modules
eq(require("answer").value, 42)
eq(require("answer").name, "answer")
eq(require("answer"), require("answer"))
eq(require("none"), true)
require("none")
eq(x_none, 1)

--- the library as modules
eq(require "string", string)
eq(require("table").concat, table.concat)
local ok, err = pcall(require, "debug")
eq(err, "debug is not there for scripts")

--- a module that is not there
require("nowhere") --! module 'nowhere' not found: no such test module

--- modules that require each other
local ok, err = pcall(require, "a")
eq(err, "b.lua:1: module 'a' requires itself, directly or through others")

--- a module with a mistake
require("broken") --! module 'broken': broken.lua:1: unexpected '}'

--- keys far beyond a table's end
local t = { 1, 2, 3 }
t[2 ^ 26 - 1] = 1 --! integer key 67108863 is far beyond the table's 3 elements

--- keys beyond any array
local t = {}
t[2 ^ 26], t[2 ^ 40], t[-5], t[2.5] = 1, 2, 3, 4
eq(t[2 ^ 26] + t[2 ^ 40] + t[-5] + t[2.5], 10)
local n = 0
for k, v in pairs(t) do n = n + v end
eq(n, 10)

--- a long text
local s = ("x"):rep(5e6)
s = s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s .. s --! the result of .. is too long

--- repeating without end
local s = ("x"):rep(1e10) --! too large
