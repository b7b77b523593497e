-- mix-gradient: from reads alone to writes alone, with the reads' latency on its own
--
-- A mix's average hides what writes do to reads: they fill caches, keep channels busy and set off
-- garbage collection. Here reads and writes share the depth in five shares and stand apart in the figures.
--
-- In the tables, a row is a mix of reads/writes in per cent; the last column is p99 in times
-- that of the first mix with such operations.
local direct, report = require "direct", require "report"

local p = params {
  block  = { "4KiB", "bytes in one operation", min = 512 },
  depth  = { 16, "operations in flight", min = 1 },
  size   = { "256MiB", "size of the file", min = "1MiB" },
  time   = { "2s", "measured time of each mix" },
  warmup = { "200ms", "time before the measuring, for each mix" },
  direct = { true, "bypass the page cache" },
}

local data = direct.open("data", { size = p.size, direct = p.direct })

-- One table for each kind of operation, with its p99 against the first.
local function series(title)
  local rows, first = report.rows(title, "p99"), nil
  return {
    add = function(name, op)
      if op.count == 0 then return end
      first = first or op.p99
      rows:add(name, op, first > 0 and report.figure(op.p99 / first) .. " ×" or "")
    end,
    print = function() rows:print() end,
  }
end

local reads, writes = series("reads"), series("writes")
for share = 100, 0, -20 do
  local name = share .. "/" .. 100 - share
  local mix = {}
  if share > 0 then mix.read = share end
  if share < 100 then mix.write = 100 - share end
  local r = phase(name, { duration = p.time, warmup = p.warmup },
    stream("ops", { file = data, op = mix, block = p.block, at = random(), depth = p.depth }))
  reads.add(name, r.ops.read)
  writes.add(name, r.ops.write)
end
reads.print()
writes.print()
