-- Waits, protected calls and coroutines. wait(…) waits, and the scheduler gives it
-- back what it was called with.

--- a wait returns what it is resumed with
eq(wait(5), 5)
local a, b, c = wait(1, 2)
eq(a, 1)
eq(b, 2)
eq(c, nil)
eq(select("#", wait()), 0)
eq(select("#", wait(nil, nil)), 2)

--- fewer results than are wanted are nil
local function f(...)
  local x, y, z = "x", "y", "z"
  local a, b, c, d, e = wait(1)
  return a, b, c, d, e, x, y, z
end
local a, b, c, d, e, x, y, z = f(7, 8, 9)
eq(a, 1)
eq(b, nil)
eq(e, nil)
eq(x .. y .. z, "xyz")
local n, err = wait(10)
if err then error("there is an error: " .. tostring(err)) end

--- a wait in tail position
local function f() return wait(3) end
eq(f(), 3)
eq(select(2, pcall(function() return wait(4) end)), 4)
local co = coroutine.wrap(function() return wait(5) end)
eq(co(), 5)

--- within expressions
eq(wait(1) + wait(2) * wait(3), 7)
local t = { wait(1), wait(2), n = wait(3), wait(4, 5) }
eq(#t, 4)
eq(t.n, 3)
eq("a" .. wait("b") .. "c", "abc")

--- a protected call passes values
local ok, a, b, c = pcall(function(...) return ... end, 1, nil, 3)
eq(ok, true)
eq(a, 1)
eq(b, nil)
eq(c, 3)
eq(select("#", pcall(function() end)), 1)
eq(select("#", pcall(function() return nil end)), 2)

--- a protected call passes waits
local ok, v = pcall(function()
  local x = wait(1)
  local y = wait(2)
  return x + y
end)
eq(ok, true)
eq(v, 3)

--- protected calls within protected calls
local function deep(n)
  if n == 0 then wait(0); error("bottom", 0) end
  local ok, err = pcall(deep, n - 1)
  wait(n)
  error(err .. n, 0)
end
local ok, err = pcall(deep, 3)
eq(err, "bottom123")

--- what failed in a protected call keeps captured variables
local n = 0
local function count() n = n + 1 end
local get
pcall(function()
  local m = 0
  get = function() m = m + 1; return m end
  count()
  error("x")
end)
count()
eq(n, 2)
eq(get(), 1)
eq(get(), 2)

--- coroutines within coroutines without end
local function deeper()
  local v = coroutine.wrap(deeper)() --! stack overflow: too many calls within calls
end
deeper()

--- protected calls within protected calls without end
local function deeper()
  local ok, e = pcall(deeper) --! stack overflow: too many calls within calls
  error(e, 0)
end
deeper()

--- any value can be thrown
for _, v in pairs { 0 / 0, 1 / 0, -0, 2 ^ 53, true, false, {}, print, coroutine.create(print), { nil } } do
  local ok, e = pcall(function() wait() error(v) end)
  eq(ok, false) eq(e, v)
  ok, e = pcall(function() local _, e = pcall(error, v) wait() error(e) end)
  eq(ok, false) eq(e, v)
  ok, e = xpcall(function() error(v, 0) end, function(e) wait() return e end)
  eq(ok, false) eq(e, v)
  ok, e = coroutine.resume(coroutine.create(function() wait() error(v) end))
  eq(ok, false) eq(e, v)
  ok, e = pcall(coroutine.wrap(function() wait() error(v) end))
  eq(ok, false) eq(e, v)
  ok, e = pcall(table.sort, { 3, 2, 1 }, function() error(v) end)
  eq(ok, false) eq(e, v)
end

--- an error value is what was thrown
local e = { code = 5 }
local ok, err = pcall(error, e)
eq(err, e)
eq(select(2, pcall(error)), nil)
eq(select(2, pcall(error, nil)), nil)
eq(select("#", pcall(error, nil)), 2)

--- what cannot be called
local ok, err = pcall(nil)
eq(ok, false)
eq(err, "attempt to call a nil value")
eq(select(2, pcall(5)), "attempt to call a number value")

--- a table that can be called
local t = setmetatable({}, { __call = function(self, a) return wait(a) + 1 end })
eq(t(4), 5)
eq(select(2, pcall(t, 6)), 7)

--- xpcall
local ok, v = xpcall(function() return wait(4) end, error)
eq(ok, true)
eq(v, 4)
local ok, v = xpcall(function() wait(); error("bad", 0) end, function(e) return wait(e) .. "!" end)
eq(ok, false)
eq(v, "bad!")
eq(select(2, xpcall(function(a, b) return a + b end, print, 2, 3)), 5)
eq(xpcall(function() error("x") end, function() error("in the handler") end), false)
eq(select("#", xpcall(error, function() return 1, 2 end)), 2)
eq(select("#", xpcall(error, function() end)), 2)

--- xpcall's handler is told where the error was
local function inner() error("bad") end
local function outer() inner() end
local _, trace = xpcall(outer, function(e, trace) return trace end)
eq((trace:gsub("%d+", "N")), "case:N: in function 'inner'\ncase:N: in function <case:N>\ncase:N: in main chunk")

--- coroutines
local co = coroutine.create(function(a, b)
  eq(a + b, 3)
  local c = coroutine.yield(a * 10)
  eq(c, "c")
  local d, e = coroutine.yield()
  eq(e, nil)
  return "end", d
end)
eq(type(co), "thread")
eq(coroutine.status(co), "suspended")
local ok, v = coroutine.resume(co, 1, 2)
eq(v, 10)
eq(select("#", coroutine.resume(co, "c")), 1)
local ok, v, w = coroutine.resume(co, "d")
eq(v, "end")
eq(w, "d")
eq(coroutine.status(co), "dead")
local ok, err = coroutine.resume(co)
eq(ok, false)
eq(err, "cannot resume dead coroutine")

--- a coroutine that waits
local co = coroutine.wrap(function()
  for i = 1, 3 do
    wait(i)
    coroutine.yield(wait(i * 10))
  end
end)
eq(co(), 10)
eq(co(), 20)
wait(1)
eq(co(), 30)

--- iterators that wait
local function lines(n)
  return function(_, i) if i < n then return wait(i + 1) end end, nil, 0
end
local sum = 0
for i in lines(4) do sum = sum + i end
eq(sum, 10)
sum = 0
for i in coroutine.wrap(function() for i = 1, 4 do coroutine.yield(wait(i)) end end) do sum = sum + i end
eq(sum, 10)

--- a coroutine that fails
local co = coroutine.create(function() wait(); error({ 1 }) end)
local ok, err = coroutine.resume(co)
eq(ok, false)
eq(err[1], 1)
eq(coroutine.status(co), "dead")
local w = coroutine.wrap(function() error("bad", 0) end)
local ok, err = pcall(w)
eq(err, "bad")

--- an error comes out of wrap where it was
local w = coroutine.wrap(function()
  error("bad") --! bad
end)
w()

--- yields pass protected calls
local co = coroutine.wrap(function()
  local ok, v = pcall(function()
    local x = coroutine.yield(1)
    local y = wait(coroutine.yield(x + 1))
    error(y, 0)
  end)
  coroutine.yield(v)
  return "end"
end)
eq(co(), 1)
eq(co(5), 6)
eq(co(7), 7)
eq(co(), "end")

--- coroutines within coroutines
local log = ""
local outer = coroutine.wrap(function()
  local inner = coroutine.wrap(function()
    for i = 1, 2 do wait(); coroutine.yield("i" .. i) end
  end)
  for i = 1, 2 do
    coroutine.yield(inner() .. "o" .. i)
  end
end)
eq(outer() .. outer(), "i1o1i2o2")

--- status and running
eq(coroutine.running(), nil)
local co
co = coroutine.create(function()
  eq(coroutine.running(), co)
  eq(coroutine.status(co), "running")
  pcall(function() eq(coroutine.running(), co) end)
  local inner = coroutine.create(function()
    eq(coroutine.status(co), "normal")
    local ok, err = coroutine.resume(co)
    eq(err, "cannot resume non-suspended coroutine")
  end)
  eq(coroutine.resume(inner), true)
  local ok, err = coroutine.resume(co)
  eq(err, "cannot resume non-suspended coroutine")
end)
local ok, err = coroutine.resume(co)
eq(err, nil)
eq(ok, true)

--- yielding outside
coroutine.yield(1) --! attempt to yield from outside a coroutine

--- waiting in a comparison
table.sort({ 3, 2, 1 }, function(a, b)
  wait() --! wait: cannot wait inside a comparison of table.sort
  return a < b
end)

--- waiting in a replacement
local s = ("abc"):gsub(".", function(c)
  return wait(c) --! cannot wait inside a function that string.gsub calls
end)

--- waiting in a metamethod
local t = setmetatable({}, { __index = function(_, k)
  return wait(k) --! cannot wait inside a metamethod (__index)
end })
local x = t.x

--- waiting in a metamethod that was set later
local mt = {}
local t = setmetatable({}, mt)
mt.__add = function() return wait(1) end --! cannot wait inside a metamethod (__add)
local x = t + 1

--- waiting in every metamethod
local function w() return wait(1) end
local mt = { __index = w, __newindex = w, __sub = w, __mul = w, __div = w, __mod = w, __pow = w, __unm = w,
  __concat = w, __eq = w, __lt = w, __le = w, __len = w, __tostring = w }
local a, b = setmetatable({}, mt), setmetatable({}, mt)
for event, f in pairs {
  __index = function() return a.x end, __newindex = function() a.x = 1 end, __sub = function() return a - 1 end,
  __mul = function() return a * 1 end, __div = function() return 1 / a end, __mod = function() return a % 2 end,
  __pow = function() return a ^ 2 end, __unm = function() return -a end, __concat = function() return a .. "" end,
  __eq = function() return a == b end, __lt = function() return a < b end, __le = function() return a <= b end,
} do
  local ok, err = pcall(f)
  eq(ok, false)
  eq(err:find("wait: cannot wait inside a metamethod (" .. event .. ")", 1, true) ~= nil, true)
end
eq(select(2, pcall(tostring, a)):find("a function that", 1, true) ~= nil, true)

--- a protected call in a comparison
local t = { 3, 1, 2 }
table.sort(t, function(a, b)
  local ok, v = pcall(function() if a == b then error("same") end return a < b end)
  return v
end)
eq(table.concat(t), "123")

--- a protected call in a metamethod does not let a wait through
local t = setmetatable({}, { __index = function(_, k)
  local ok, err = pcall(function() return wait(k) end)
  return tostring(ok) .. err:match("cannot wait inside a metamethod %(__index%)")
end })
eq(t.x, "falsecannot wait inside a metamethod (__index)")

--- coroutines in a comparison
local t = { 3, 1, 2 }
table.sort(t, function(a, b)
  local co = coroutine.wrap(function() coroutine.yield(a); return b end)
  local x, y = co(), co()
  return x < y
end)
eq(table.concat(t), "123")

--- a yield out of a comparison
local co = coroutine.create(function()
  table.sort({ 3, 2, 1 }, function(a, b)
    coroutine.yield(a)
  end)
end)
local ok, err = coroutine.resume(co)
eq(ok, false)
eq(err:match("attempt to yield across (.*),"), "a comparison of table.sort")

--- errors in a comparison can be caught
local ok, err = pcall(table.sort, { 3, 2, 1 }, function() error("no order", 0) end)
eq(err, "no order")

--- xpcall in a replacement
local s = ("ab"):gsub(".", function(c)
  local ok, v = xpcall(function() error(c, 0) end, function(e) return e .. e end)
  return v
end)
eq(s, "aabb")

--- more protected calls than are kept
local function many(n)
  if n == 0 then return wait(1) end
  local ok, v = pcall(many, n - 1)
  return v + 1
end
eq(many(150), 151)
for i = 1, 1000 do pcall(error, "x") end
for i = 1, 1000 do pcall(wait, i) end

--- many coroutines
local cos = {}
for i = 1, 200 do cos[i] = coroutine.wrap(function() for j = 1, 3 do coroutine.yield(i + j) end end) end
local sum = 0
for j = 1, 3 do for i = 1, 200 do sum = sum + cos[i]() end end
eq(sum, 3 * 20100 + 200 * 6)

--- an endless recursion is an error
local function f() return 1 + f() end
local ok, err = pcall(f)
eq(err:match("stack overflow") ~= nil, true)
local ok, err = pcall(function() local x = setmetatable({}, {}) getmetatable(x).__index = function(t, k) return t[k] end return x.y end)
eq(ok, false)

--- endless protected calls within protected calls are an error
local depth = 0
local function f() depth = depth + 1 local ok, err = pcall(f) return err or "?" end
eq(f():match("stack overflow") ~= nil, true)
eq(depth > 200, true)

--- and so are endless coroutines within coroutines
local function f() return coroutine.wrap(f)() end
local ok, err = pcall(f)
eq(err:match("stack overflow") ~= nil, true)

--- and endless protected calls within metamethods
local t = setmetatable({}, {})
getmetatable(t).__index = function(_, k) local ok, v = pcall(function() return t[k] end) return v end
eq(t.x:match("stack overflow") ~= nil, true)
