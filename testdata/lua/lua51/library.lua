-- The functions of base, table and math.

--- tonumber
eq(tonumber("1e3"), 1000)
eq(tonumber(" 0x1F "), 31)
eq(tonumber("10", 2), 2)
eq(tonumber("ff", 16), 255)
eq(tonumber("zz", 36), 1295)
eq(tonumber("8", 8), nil)
eq(tonumber(""), nil)
eq(tonumber("1x"), nil)
eq(tonumber("0x"), nil)
eq(tonumber("1 2"), nil)
eq(tonumber(".5"), 0.5)
eq(tonumber("5."), 5)
eq(tonumber({}), nil)
eq(tonumber("\t1\n"), 1)
eq(tonumber("-7"), -7)

--- tonumber without a value
tonumber() --! bad argument #1 to 'tonumber' (value expected)

--- tostring
eq(tostring(nil), "nil")
eq(tostring(true), "true")
eq(tostring(setmetatable({}, { __tostring = function() return "mine" end })), "mine")
eq(tostring({}):match("^table: "), "table: ")

--- select
eq(select("#"), 0)
eq(select("#", nil, nil), 2)
eq(select(2, "a", "b", "c"), "b")
eq(select(-1, "a", "b", "c"), "c")
eq(select("#", select(-2, "a", "b", "c")), 2)
eq(select("#", select(4, "a", "b", "c")), 0)

--- select out of range
select(0, 1) --! bad argument #1 to 'select' (index out of range)

--- select too far back
select(-4, 1, 2, 3) --! bad argument #1 to 'select' (index out of range)

--- unpack
eq(select("#", unpack({})), 0)
eq(select("#", unpack({ 1, 2 }, 1, 5)), 5)
eq(select("#", unpack({ 1, 2 }, 3)), 0)
local a, b, c = unpack({ 1, 2, 3 }, 2)
eq(a, 2)
eq(c, nil)
local t = {}
for i = 1, 8000 do t[i] = i end
eq(select("#", unpack(t)), 8000)
eq(select(8000, unpack(t)), 8000)

--- unpack of too much
unpack({}, 1, 1e8) --! too many results to unpack

--- next and pairs
local t = { 1, 2, x = 3 }
eq(next({}), nil)
eq(next({ 5 }), 1)
local n, sum = 0, 0
for k, v in pairs(t) do n = n + 1; sum = sum + v end
eq(n, 3)
eq(sum, 6)
for k in pairs(t) do t[k] = nil end
eq(next(t), nil)

--- ipairs stops at nil
local n = 0
for i, v in ipairs { 1, 2, nil, 4 } do n = n + 1 end
eq(n, 2)

--- getmetatable
local mt = {}
local t = setmetatable({}, mt)
eq(getmetatable(t), mt)
mt.__metatable = "locked"
eq(getmetatable(t), "locked")
eq(pcall(setmetatable, t, {}), false)
eq(getmetatable("").__index, string)
eq(setmetatable({}, nil) ~= nil, true)

--- setmetatable of what is no table
setmetatable(1, {}) --! bad argument #1 to 'setmetatable' (table expected, got number)

--- rawset and rawget
local t = setmetatable({}, { __index = function() return 1 end })
eq(rawget(t, "x"), nil)
eq(rawset(t, "x", 2), t)
eq(t.x, 2)

--- type
eq(type(nil), "nil")
eq(type(type), "function")
eq(type(coroutine.create(print)), "thread")
eq(pcall(type), false)

--- table.insert and table.remove
local t = { 1, 2, 3 }
table.insert(t, 4)
table.insert(t, 1, 0)
eq(table.concat(t, ","), "0,1,2,3,4")
eq(table.remove(t), 4)
eq(table.remove(t, 1), 0)
eq(table.concat(t, ","), "1,2,3")
eq(table.remove(t, 2), 2)
eq(table.concat(t, ","), "1,3")
t[#t] = nil
eq(table.remove(t), 1)
eq(select("#", table.remove(t)), 0)
eq(#t, 0)
eq(table.remove({ 1 }, 5), nil)

--- table.insert with too much
table.insert({}, 1, 2, 3) --! wrong number of arguments to 'insert'

--- table.insert beyond the end
local t = { 1 }
table.insert(t, 5, "x")
eq(t[5], "x")

--- table.concat
eq(table.concat({}), "")
eq(table.concat({ 1, 2, 3 }, ", "), "1, 2, 3")
eq(table.concat({ 1, 2, 3 }, "-", 2), "2-3")
eq(table.concat({ 1, 2, 3 }, "-", 2, 2), "2")
eq(table.concat({ 1, 2, 3 }, "-", 3, 2), "")

--- table.concat of what is no text
table.concat({ 1, {}, 3 }) --! invalid value (table) at index 2 in table for 'concat'

--- table.sort
local t = { 5, 2, 8, 1 }
table.sort(t)
eq(table.concat(t), "1258")
table.sort(t, function(a, b) return a > b end)
eq(table.concat(t), "8521")
t = { "b", "a", "C" }
table.sort(t)
eq(table.concat(t), "Cab")
t = {}
for i = 1, 500 do t[i] = (i * 7919) % 1009 end
table.sort(t)
for i = 2, 500 do eq(t[i - 1] <= t[i], true) end
pcall(table.sort, t, function(a, b) return true end)

--- table.sort of what cannot be compared
table.sort { 1, "x" } --! attempt to compare

--- table.maxn and what else is old
eq(table.maxn { 1, 2, [10.5] = 1 }, 10.5)
eq(table.getn { 1, 2 }, 2)
local sum = 0
table.foreach({ 1, 2, x = 3 }, function(_, v) sum = sum + v end)
table.foreachi({ 1, 2, x = 3 }, function(i, v) sum = sum + v end)
eq(sum, 9)

--- mathematics
eq(math.huge, 1 / 0)
eq(math.floor(-1.5), -2)
eq(math.ceil(-1.5), -1)
eq(math.floor("2.5"), 2)
eq(math.abs(-3), 3)
eq(math.max(1, 5, 3), 5)
eq(math.min(4, 2, 8), 2)
eq(math.fmod(-5, 3), -2)
eq(math.pow(2, 10), 1024)
eq(math.sqrt(16), 4)
local a, b = math.modf(3.5)
eq(a, 3)
eq(b, 0.5)
a, b = math.modf(-3.5)
eq(a, -3)
eq(b, -0.5)
a, b = math.modf(math.huge)
eq(a, math.huge)
eq(b, 0)
a, b = math.frexp(8)
eq(a, 0.5)
eq(b, 4)
eq(math.ldexp(0.5, 4), 8)
eq(math.deg(math.pi), 180)
eq(math.rad(180), math.pi)
eq(math.log(1), 0)
eq(math.log10(1000), 3)
eq(math.atan2(0, 1), 0)

--- math.random
for i = 1, 100 do
  local x = math.random()
  eq(x >= 0 and x < 1, true)
  local n = math.random(6)
  eq(n >= 1 and n <= 6 and n % 1 == 0, true)
  n = math.random(-3, 3)
  eq(n >= -3 and n <= 3 and n % 1 == 0, true)
end
eq(math.random(5, 5), 5)

--- math.randomseed
math.randomseed(42)
local a, b = math.random(1000), math.random(1000)
math.randomseed(42)
eq(math.random(1000), a)
eq(math.random(1000), b)

--- math.random of nothing
math.random(0) --! bad argument #1 to 'random' (interval is empty)

--- texts
eq(("x"):rep(3), "xxx")
eq(("abc"):sub(-2), "bc")
eq(("abc"):byte(-1), 99)
eq(#"a\0b", 3)
eq(("%d items"):format(3), "3 items")
eq(("key = value"):match("^(%w+)%s*=%s*(%w+)$"), "key")
eq("\65\066\n", "AB\n")

--- the length of a table
eq(#{ 1, 2, 3 }, 3)
eq(#{ n = 1 }, 0)
local t = { 1, 2, 3 }
t[#t + 1] = 4
eq(#t, 4)
t[#t] = nil
eq(#t, 3)

--- numeric loops
local s = ""
for i = 1, 2, 0.5 do s = s .. i .. " " end
eq(s, "1 1.5 2 ")
s = ""
for i = 3, 1, -1 do s = s .. i end
eq(s, "321")
for i = 1, 0 do error("never") end
local n = 0
for i = 1, 3 do local j = i; i = 10; n = n + j end
eq(n, 6)

--- varargs
local function f(...)
  local a, b = ...
  return select("#", ...), a, b, { ... }
end
local n, a, b, t = f(1, nil, 3)
eq(n, 3)
eq(b, nil)
eq(t[3], 3)
local function old(...) return arg.n, arg[2] end
local n, x = old(5, 6, 7)
eq(n, 3)
eq(x, 6)

--- the largest of what is not a number is not a number
local nan = 0 / 0
for _, x in ipairs { math.max(nan, 1), math.max(1, nan), math.min(nan, 1), math.min(1, nan) } do eq(x ~= x, true) end
