-- What the repairs must leave as it is.

--- a key on the left is looked at before the assignment
local i, t = 1, {}
i, t[i] = i + 1, 20
eq(t[1], 20)
eq(t[2], nil)


--- goto backwards makes a new variable each time
local fs = {}
do
  local i = 1
  ::again::
  local x = i
  fs[i] = function() x = x + 1; return x end
  i = i + 1
  if i <= 3 then goto again end
end
eq(fs[1]() + fs[2]() * 10 + fs[3]() * 100, 432)

--- a continue is no loop's end
local n = 0
for i = 1, 4 do
  if i == 2 then goto continue end
  n = n + i
  ::continue::
end
eq(n, 8)

--- a constant condition keeps what else there is
local n = 0
if false then n = 1 elseif nil then n = 2 else n = 3 end
eq(n, 3)
if true then n = 4 else n = 5 end
eq(n, 4)
if "" then n = 6 end
eq(n, 6)

--- a constant operand leaves one value
local function two() return 1, 2 end
local t = { true and two() }
eq(#t, 1)
t = { nil or two() }
eq(#t, 1)
eq(select("#", false or two()), 1)

--- names used twice in a for loop
local n = 0
local function pairs_of() local i = 0; return function() i = i + 1; if i < 3 then return i, nil end end end
for _, _ in pairs_of() do n = n + 1 end
eq(n, 2)

--- the control variable of a for loop is a copy
local seen = ""
for i in (function(_, c) if c < 3 then return c + 1 end end), nil, 0 do
  seen = seen .. i
  i = 10
end
eq(seen, "123")

--- every round of a for loop has its own variable
local fs = {}
for i in (function(_, c) if c < 3 then return c + 1 end end), nil, 0 do
  fs[i] = function() i = i * 2; return i end
end
eq(fs[1]() + fs[2]() + fs[3]() + fs[1](), 2 + 4 + 6 + 4)

--- values are assigned right to left
local log = ""
local t = setmetatable({}, { __newindex = function(_, k) log = log .. k end })
t.a, t.b, t.c = 1, 2, 3
eq(log, "cba")

--- values are evaluated left to right
local log = ""
local function f(x) log = log .. x; return { } end
f("a")[f("b")], f("c").x = f("d"), f("e")
eq(log, "abcde")

--- tail calls stay tail calls
local function loop(n) if n > 0 then return loop(n - 1) end return "end" end
eq(loop(100000), "end")

--- a list longer than a batch
local t = {
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
  26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, { 52 }, x = 1
}
eq(#t, 52)
eq(t[50], 50)
eq(t[51], 51)
eq(t[52][1], 52)

--- numerals
eq(0x10, 16)
eq(.5, 1 / 2)
eq(5., 5)
eq(1e2, 100)
eq(3E-2, 3 / 100)
eq(0xA, 10)
eq(9007199254740992, 2 ^ 53)

--- loops that end at once
local n, x = 0
if x then x = 1 end
if x then x = 1 end
for k in pairs { 1, 2 } do break end
for k in pairs { 1, 2 } do do break end end
while true do break end
while true do
  while true do break end
  n = n + 1
  if n == 3 then break end
end
repeat do break end until true
eq(n, 3)
