-- Errors stay in the line that the script has them in, whatever was rewritten.

--- multiple assignment
local a, b = 1, 2
a, b =
  b, a + nil --! cannot perform add

--- assignment through and
local r = true
r = r
  and nil + 1 --! cannot perform add

--- a table on the left
local t, u = {}
t.x,
u.y = 1, 2 --! attempt to index

--- what a loop goes over
local n = 1
for i in n do --! attempt to call
end

--- an iterator
local function each() error("each") end --! each
for i in each do
end

--- a loop's body
for _, v in ipairs { 1 } do
  if false then local x end
  local x = v.y.z --! attempt to index
end

--- after goto
local f = function() return f end
for i = 1, 2 do
  if i == 1 then goto continue end
  error("here") --! here
  ::continue::
end

--- a function in a table
local t = {
  f = function()
    return nil + 1 --! cannot perform add
  end,
}
t.f()
