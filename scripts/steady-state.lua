-- steady-state: random writes in rounds until their rate holds still
--
-- A new, trimmed or idle device is faster than it will be in use: caches are empty and blocks erased beforehand. The rounds
-- end when five in a row agree (within a fifth of their mean and without a drift of more than a tenth, as SNIA's
-- specification asks), or with the last round.
--
-- In the table, a row is a round; the last column is its rate in per cent of the first round's. A small file
-- shows caches running full, not a whole device: for that, give it a size near the device's and a time in minutes.
local direct, report, steady = require "direct", require "report", require "steady"

local p = params {
  block  = { "4KiB", "bytes in one write", min = 512 },
  depth  = { 32, "writes in flight", min = 1 },
  size   = { "256MiB", "size of the file", min = "1MiB" },
  time   = { "2s", "length of a round" },
  rounds = { 12, "most rounds", min = 5, max = 1000 },
  direct = { true, "bypass the page cache" },
}

local data = direct.open("data", { size = p.size, direct = p.direct })
local job = stream("writes", { file = data, op = "write", block = p.block, at = random(), depth = p.depth })

local rows, rates = report.rows("round", "of the first"), {}
local settled, mean
repeat
  local round = #rates + 1
  local op = phase("round " .. round, { duration = p.time }, job).writes.write
  rates[round] = op.iops
  rows:add(round, op, rates[1] > 0 and report.figure(100 * op.iops / rates[1]) .. " %" or "-")
  settled, mean = steady.reached(rates)
until settled or round == p.rounds
if settled then
  rows:print(("steady from round %d on: %s"):format(#rates - 4, format_rate(mean)))
else
  rows:print(("not steady after %d rounds: give it more rounds, or longer ones"):format(#rates))
end
