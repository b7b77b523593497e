-- matrix: four workloads of a business, each with the figures to judge it by
--
-- Transactions, an export, a log and a surge, one after another on the same file. Each stands for a kind of
-- work that cares for other figures than the rest.
--
-- In the table, a row is one workload's reads or writes; the last column names the figures that matter to it.
local direct, report = require "direct", require "report"

local p = params {
  size   = { "256MiB", "size of the file", min = "16MiB" },
  time   = { "4s", "measured time of each workload" },
  warmup = { "500ms", "time before the measuring, for each workload" },
  direct = { true, "bypass the page cache" },
}

local data = direct.open("data", { size = p.size, direct = p.direct })

local workloads = {
  { "transactions", { op = { read = 70, write = 30 }, block = "4KiB", at = random(), depth = 16 }, "IOPS, p99" },
  { "export", { op = "read", block = "1MiB", at = sequential(), depth = 32 }, "MiB/s" },
  { "log", { op = "write", block = "64KiB", at = sequential(), depth = 8 }, "MiB/s, p99" },
  { "surge", { op = "write", block = "4KiB", at = random(), depth = 256 }, "IOPS, max" },
}

local rows = report.rows("workload", "judge by")
for _, w in ipairs(workloads) do
  local name, options, judge = w[1], w[2], w[3]
  options.file = data
  local r = phase(name, { duration = p.time, warmup = p.warmup }, stream(name, options))
  for _, op in ipairs { "read", "write" } do
    if r[name][op].count > 0 then rows:add(name .. ": " .. op .. "s", r[name][op], judge) end
  end
end
rows:print()
