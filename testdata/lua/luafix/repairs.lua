-- What gopher-lua v1.1.2 compiles wrongly. Every case fails there without the
-- repair, and passes with it; eq raises an error if its arguments differ.

--- two locals exchange their values
local a, b = 1, 2
a, b = b, a
eq(a, 2)
eq(b, 1)

--- three locals go round
local a, b, c = 1, 2, 3
a, b, c = c, a, b
eq(a .. b .. c, "312")

--- a table on the left is looked at before the assignment
local t = { next = { name = "second" } }
local first = t
t, t.seen = t.next, true
eq(first.seen, true)
eq(t.seen, nil)

--- a variable that takes part in its own and
local function yes() return true end
local function no() return false end
local r = true
r = r and no() and yes()
eq(r, false)

--- a variable that takes part in its own or
local function no() return nil end
local r = 1
r = (r == 2 or no()) and 5
eq(r, nil)

--- one value of ... in an existing local leaves the others alone
local function f(...)
  local a, b = 1, 2
  a = (...)
  return a, b
end
local x, y = f(7)
eq(x, 7)
eq(y, 2)

--- a call whose first value is wanted, beside another value
local function last(a)
  local b = 3
  a, b = (math.max(a, b)), b + 1
  return a + b
end
eq(last(1), 7)

--- a condition that is never true, first in a loop over calls
local function each() local i = 0; return function() i = i + 1; if i < 4 then return i end end end
local function sum()
  local n = 0
  for i in each() do
    if false then local x end
    n = n + i
  end
  return n
end
eq(sum(), 6)

--- a condition that is never true, first in a loop over pairs
local function sum()
  local n = 0
  for _, v in ipairs { 1, 2, 3 } do
    if false then local x end
    n = n + v
  end
  return n
end
eq(sum(), 6)

--- a loop that never runs, first in a loop
local n = 0
while true do
  while false do n = 9 end
  n = n + 1
  if n > 2 then break end
end
eq(n, 3)

--- a loop that never runs, first in a repeat
local n = 0
repeat
  while nil do n = 9 end
  n = n + 1
until n > 2
eq(n, 3)

--- break out of a block closes what a function captured there
local f
while true do
  do
    local x = 1
    f = function() return x end
    break
  end
end
local other = 7
eq(f(), 1)

--- goto leaves captured variables that live on alone
local n = 0
local function count() n = n + 1 end
for i = 1, 3 do
  count()
  if i == 2 then goto continue end
  ::continue::
end
eq(n, 3)

--- goto out of a loop
local found
local function note(v) found = v end
for i = 1, 3 do
  for j = 1, 3 do
    if i * j == 4 then goto out end
  end
end
::out::
note(5)
eq(found, 5)

--- "local f = function" does not see itself
local function double(x) return 2 * x end
local double = function(x) return double(x) + 1 end
eq(double(5), 11)

--- a for loop over next with two values
local function f()
  local a, b, c, d = 1, 2, 3, 4
  do local x, y, z = 5, 6, 7 end
  local n = 0
  for k, v in next, { 10, 20 } do n = n + v end
  return n
end
eq(f(), 30)

--- a for loop whose iterator is given by two expressions
local function iter(s, c) if c < s then return c + 1 end end
local function limit() return 3, 0 end
local n = 0
for i in iter, limit() do n = n + i end
eq(n, 6)

--- a list of exactly fifty values and a call
local function more() return 51, 52 end
local t = {
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
  26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, more()
}
eq(t[1], 1)
eq(t[51], 51)
eq(#t, 52)

--- a list of exactly fifty values and a field
local t = {
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
  26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, x = math.max(3, 4)
}
eq(t[1], 1)
eq(#t, 50)
eq(t.x, 4)

--- a list and a last field that is a call
local function two() return 8, 9 end
local t = { 1, 2, x = two() }
eq(#t, 2)
eq(t.x, 8)

--- a numeral with zeros before it is decimal
eq(00123, 123)

--- a hexadecimal numeral of 64 bits
eq(0x8000000000000000, 2 ^ 63)

--- a decimal numeral that is too large is infinite
eq(1e400, 1 / 0)

--- assigning to a field of a number is an error of its own
local ok, err = pcall(function() (123).K = nil end)
eq(err:match("index a.*number") ~= nil, true)

--- minus zero is not zero
local a, b = -0, 0
eq(1 / a, -1 / 0)
eq(1 / b, 1 / 0)
local c, d = 0, -0.0
eq(1 / d, -1 / 0)

--- a comment that begins like a long one
local x = 1 --[= not a long comment
--[== nor this
x = x + 1 --[x
eq(x, 2)
