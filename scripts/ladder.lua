-- ladder: queue depth 1 to 256, until more of it only costs latency; names the knee
--
-- How many operations to keep in flight. Up to the knee, depth buys throughput; from there on, it buys waiting. The ladder
-- ends where p99 passes a limit, or where two steps in a row have brought next to nothing.
--
-- In the table, one row for each depth:
--   knee       the depth with the most IOPS for its mean latency: for work that waits for each answer
--   enough     the least depth with 95 % of the highest IOPS: for work that wants it all done soon
local direct, report, knee = require "direct", require "report", require "knee"

local p = params {
  op      = { "read", "what is done", choice = { "read", "write" } },
  block   = { "4KiB", "bytes in one operation", min = 512 },
  most    = { 256, "the last depth", min = 1, max = 4096 },
  latency = { "100ms", "p99 at which the ladder ends" },
  time    = { "2s", "measured time of each depth" },
  warmup  = { "200ms", "time before the measuring, for each depth" },
  size    = { "256MiB", "size of the file", min = "1MiB" },
  threads = { 1, "worker threads", min = 1 },
  direct  = { true, "bypass the page cache" },
}

local data = direct.open("data", { size = p.size, direct = p.direct })

local steps, points = {}, {}
local depth, why = 1, "the last depth was reached"
while depth <= p.most do
  local r = phase("depth " .. depth, { duration = p.time, warmup = p.warmup, threads = p.threads },
    stream("ops", { file = data, op = p.op, block = p.block, at = random(), depth = depth }))
  local op = r.ops[p.op]
  steps[#steps + 1] = { depth = depth, op = op }
  if op.p99 > p.latency then
    why = "p99 passed " .. format_duration(p.latency)
    break
  end
  points[#points + 1] = { load = depth, throughput = op.iops, latency = op.mean }
  if knee.flat(points) then
    why = "IOPS no longer grow"
    break
  end
  depth = depth * 2
end

local best, enough = knee.find(points), knee.enough(points)
local rows = report.rows("depth")
for _, s in ipairs(steps) do
  local marks = {}
  if best and s.depth == best.load then marks[#marks + 1] = "knee" end
  if enough and s.depth == enough.load then marks[#marks + 1] = "enough" end
  rows:add(s.depth, s.op, table.concat(marks, ", "))
end
if best then
  local function at(point)
    return ("depth %d, %s at %s"):format(point.load, format_rate(point.throughput), format_duration(point.latency))
  end
  rows:print("ended: " .. why,
    "knee: " .. at(best) .. "; run at it where latency counts",
    "enough: " .. at(enough) .. "; run at it where throughput counts")
else
  rows:print("at depth 1 already, " .. why)
end
