-- health: the same short run every few weeks, held against the last one's figures
--
-- Devices wear out, fill up and get neighbours; a figure that is worse than last month's says so before users do. Four loads are measured
-- shortly, and printed as the parameters with which the next run compares: keep that line. With them, a load that is slower than
-- within allows, in rate or in p99, fails an expectation, and the exit code is 4. Results that were kept with --out can be compared with
-- jq too, as docs/scripts.md shows.
-- In the table, a row is a load; the last column is its rate in per cent of that of the run before.
local direct, report = require "direct", require "report"

local p = params {
  size   = { "256MiB", "size of the file; it must be the same each time", min = "16MiB" },
  time   = { "3s", "measured time of each load" },
  warmup = { "500ms", "time before the measuring, for each load" },
  within = { 20, "per cent by which a figure may be worse than before", min = 0, max = 1000 },
  direct = { true, "bypass the page cache" },
  rates  = { "", "the last run's operations per second, as it printed them" },
  tails  = { "", "the last run's p99 in µs, as it printed them" },
}

local data = direct.open("data", { size = p.size, direct = p.direct })
local loads = {
  { "random reads", { op = "read", block = "4KiB", at = random(), depth = 16 }, "read" },
  { "random writes", { op = "write", block = "4KiB", at = random(), depth = 16 }, "write" },
  { "large reads", { op = "read", block = "1MiB", at = sequential(), depth = 4 }, "read" },
  { "synced writes", { op = "write", block = "4KiB", at = sequential(), depth = 1, dsync = true }, "write" },
}

-- What an earlier run printed: a number for each load.
local function earlier(name)
  local list = {}
  for word in p[name]:gmatch("[^,]+") do list[#list + 1] = tonumber(word) end
  if p[name] ~= "" and #list ~= #loads then
    error(("%s: %q is not what an earlier run printed: %d numbers with commas between"):format(name, p[name], #loads), 2)
  end
  return list
end
local rates, tails = earlier("rates"), earlier("tails")

local rows, new_rates, new_tails = report.rows("load", "of before"), {}, {}
for i, load in ipairs(loads) do
  local name, options, kind = load[1], load[2], load[3]
  options.file = data
  local op = phase(name, { duration = p.time, warmup = p.warmup }, stream("ops", options)).ops[kind]
  new_rates[i], new_tails[i] = ("%.0f"):format(op.iops), ("%.0f"):format(op.count > 0 and op.p99 * 1e6 or 0)
  rows:add(name, op, rates[i] and rates[i] > 0 and ("%.0f %%"):format(100 * op.iops / rates[i]) or "")
  if op.count > 0 and rates[i] then
    expect(op.iops >= rates[i] * (1 - p.within / 100), ("%s: at least %g %% of %g/s"):format(name, 100 - p.within, rates[i]))
  end
  if op.count > 0 and tails[i] then
    expect(op.p99 * 1e6 <= tails[i] * (1 + p.within / 100), ("%s: p99 at most %g %% of %g µs"):format(name, 100 + p.within, tails[i]))
  end
end
rows:print(("next time: -p rates=%s -p tails=%s"):format(table.concat(new_rates, ","), table.concat(new_tails, ",")))
