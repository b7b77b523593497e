-- endurance: one load for long: the first stretch of it against the last
--
-- Caches run full, burst credits run out, devices get hot and tidy up behind themselves: what the first minute shows need not be so
-- an hour later. One load is held, and the beginning and the end of its time series are put side by side. For a verdict, give it
-- time=1h and window=60s, and a file near the size of the device.
--
-- In the table, the rows are the first window, the last, and the worst second of all; p99 is the mean of the seconds' and the worst
-- of them. In the lines below stands how much the last differs.
local direct, report = require "direct", require "report"

local p = params {
  read   = { 0, "reads in per cent; the rest are writes", min = 0, max = 100 },
  block  = { "4KiB", "bytes in one operation", min = 512 },
  depth  = { 32, "operations in flight", min = 1 },
  size   = { "256MiB", "size of the file", min = "1MiB" },
  time   = { "20s", "measured time" },
  window = { "5s", "length of the first and the last stretch" },
  step   = { "1s", "length of an interval of the series", min = "1ms" },
  limit  = { 0, "fail if the last window is slower by more than so many per cent; 0: never", min = 0, max = 100 },
  direct = { true, "bypass the page cache" },
}

local data = direct.open("data", { size = p.size, direct = p.direct })
local op = p.read > 50 and "read" or "write"
local mix = {}
if p.read > 0 then mix.read = p.read end
if p.read < 100 then mix.write = 100 - p.read end
local r = phase("load", { duration = p.time, interval = p.step },
  stream("ops", { file = data, op = mix, block = p.block, at = random(), depth = p.depth }))

-- The whole intervals; what was in flight at the end makes a short one.
local list = {}
for _, s in ipairs(series(r.ops[op])) do
  if s.duration > p.step / 2 then list[#list + 1] = s end
end

local function stretch(from, to)
  local sum = { iops = 0, bandwidth = 0, p50 = 0, p99 = 0, worst = 0, max = 0 }
  for i = from, to do
    local s = list[i]
    for _, f in ipairs { "iops", "bandwidth", "p50", "p99" } do sum[f] = sum[f] + s[f] / (to - from + 1) end
    sum.worst, sum.max = math.max(sum.worst, s.p99), math.max(sum.max, s.max)
  end
  return sum
end

local function cells(name, s)
  local out = { name, report.figure(s.iops), report.figure(s.bandwidth / MiB(1)) }
  for _, f in ipairs { "p50", "p99", "worst", "max" } do out[#out + 1] = report.figure(s[f] * 1e6) end
  return out
end

if #list > 0 then
  local n = math.max(1, math.min(math.floor(p.window / p.step), math.floor(#list / 2)))
  local first, last, worst = stretch(1, n), stretch(#list - n + 1, #list), 1
  for i, s in ipairs(list) do
    if s.iops < list[worst].iops then worst = i end
  end
  local length = format_duration(n * p.step)
  report.columns({ op .. "s", "IOPS", "MiB/s", "p50 µs", "p99 µs", "worst p99 µs", "max µs" }, {
    cells("first " .. length, first), cells("last " .. length, last),
    cells(("slowest, at %.4g s"):format(list[worst].start), stretch(worst, worst)),
  })
  if first.iops > 0 and first.p99 > 0 then
    local change = 100 * (last.iops / first.iops - 1)
    print(("the last has %+.1f %% of the first's IOPS, and %s times its p99\n"):format(change, report.figure(last.p99 / first.p99)))
    if p.limit > 0 then expect(change >= -p.limit, ("the last window is at most %g %% slower than the first"):format(p.limit)) end
  end
end
