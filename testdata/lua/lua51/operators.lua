-- Operators, where gopher-lua does not do what Lua does.

--- numbers are joined to texts as tostring writes them
local rate, parts = 2469135 / 2, { n = 0 }
local function two() parts.n = parts.n + 1 return 1e15, 2 end
eq("rate " .. rate .. "/s", "rate 1234567.5/s")
eq("x" .. two(), "x1e+15")
eq(parts.n, 1)
local function all(...) return "<" .. ... end
eq(all(1 / 0, "no"), "<inf")

--- numbers as texts
eq(tostring(1e15), "1e+15")
eq(tostring(123456789012), "123456789012")
eq(tostring(0.1), "0.1")
eq(tostring(1 / 3), "0.33333333333333")
eq(tostring(1 / 0), "inf")
eq(tostring(-1 / 0), "-inf")
eq(tostring(-0.0), "-0")
eq("" .. 2 ^ 53, "9.007199254741e+15")
eq(1 .. "", "1")
eq(table.concat { 1.5, 1e15, -0.5 }, "1.51e+15-0.5")

--- texts as numbers
eq("10" + 5, 15)
eq("010" + 0, 10)
eq("0x10" + 0, 16)
eq(" 3 " * "4", 12)
eq(-"2", -2)
eq("7" % 4, 3)
eq("2" ^ "3", 8)
eq("1e2" / 1, 100)
eq(10 == "10", false)

--- remainders
eq(5 % 3, 2)
eq(-5 % 3, 1)
eq(5 % -3, -1)
eq(-5 % -3, -2)
eq(5.5 % 2, 1.5)
eq(5 % 0, 0 / 0)

--- precedence
eq(2 ^ 3 ^ 2, 512)
eq(-2 ^ 2, -4)
eq(not nil == true, true)
eq(1 .. 2 == "12", true)
eq(2 * 3 + 4 .. 5, "105")
eq(#"abc" + 1, 4)
eq(1 < 2 and 2 < 3, true)

--- comparisons
eq("a" < "b", true)
eq("Z" < "a", true)
eq("a" < "ab", true)
eq("" < "a", true)
eq("a\0b" < "a\0c", true)
eq(0 / 0 == 0 / 0, false)
eq(1 / 0 > 2 ^ 1000, true)

--- joining asks metamethods
local mt = { __concat = function(a, b)
  return (type(a) == "table" and a.n or a) .. "+" .. (type(b) == "table" and b.n or b)
end }
local t = setmetatable({ n = "t" }, mt)
eq("a" .. t, "a+t")
eq(t .. "b", "t+b")
eq("a" .. "b" .. t, "ab+t")
eq(1 .. t .. 2, "1t+2")
eq(t .. t, "t+t")

--- arithmetic asks metamethods
local mt = { __add = function(a, b) return "add" end, __unm = function() return "unm" end }
local t = setmetatable({}, mt)
eq(t + 1, "add")
eq(1 + t, "add")
eq("1" + t, "add")
eq("x" + t, "add")
eq(-t, "unm")

--- comparisons ask metamethods
local mt = { __eq = function() return true end, __lt = function(a, b) return a.n < b.n end }
mt.__le = function(a, b) return a.n <= b.n end
local a, b = setmetatable({ n = 1 }, mt), setmetatable({ n = 2 }, mt)
eq(a == b, true)
eq(rawequal(a, b), false)
eq(a < b, true)
eq(a >= b, false)
eq(a ~= b, false)

--- indexing asks metamethods
local log = {}
local t = setmetatable({}, { __index = function(_, k) return k .. "!" end, __newindex = function(_, k, v) log[k] = v end })
eq(t.x, "x!")
t.y = 5
eq(rawget(t, "y"), nil)
eq(log.y, 5)
rawset(t, "y", 6)
eq(t.y, 6)

--- calling asks metamethods
local t = setmetatable({}, { __call = function(self, a, b) return a, b end })
local x, y = t(1, 2)
eq(x + y, 3)
eq(select("#", t()), 2)

--- a table's length may be its metatable's, as from Lua 5.2 on
eq(#setmetatable({ 1, 2, 3 }, { __len = function(t) return rawget(t, 1) + 41 end }), 42)
eq(#setmetatable({ 1, 2, 3 }, {}), 3)
