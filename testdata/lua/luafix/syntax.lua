-- Errors that the compiler finds, in the form of run-time errors.

--- a word too many
local x = 1 2 --! unexpected '2'

--- no operand
local x =
return x --! unexpected 'return'

--- an assignment to nothing
x
local y --! neither a call nor an assignment

--- another language's comparison
if 1 != 2 then end --! unexpected symbol '!'

--- a text that does not end
local s = "abc --! unfinished string
local t = 1

--- a block that does not end
local function f()
  return 1 --! the 'function' at line 22 has no 'end'

--- the block with the wrong indentation is the one
local function f()
  if x then
    x = 1
  while true do break end
  return 2
end --! the 'if' at line 27 has no 'end'

--- break outside a loop
local x
break --! 'break' outside a loop

--- a label that is not there
goto nowhere --! no visible label 'nowhere'

--- a label twice
do
  ::a::
  ::a:: --! label 'a' already defined
end

--- into the scope of a local
goto f --! jumps into the scope of local 'x'
local x
::f::
x = 1

--- varargs where there are none
local function f() return ... end --! cannot use '...' outside a vararg function

--- a number with a unit
local size = 4k --! malformed number near '4k'

--- a malformed number
local x = 1e --! malformed number near '1e'

--- a number that a float cannot hold
local x = 9007199254740993 --! 9007199254740993 cannot be held exactly

--- a hexadecimal number that a float cannot hold
local x = 0xffffffffffffffff --! 0xffffffffffffffff cannot be held exactly
