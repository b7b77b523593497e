-- lsm: point reads of a log-structured store, without and with flushes and compaction beside them
--
-- Stores such as RocksDB write memory out as sorted tables, and merge tables in the background: a flush writes one
-- table; a compaction reads four and writes four. Both are in large blocks; point reads are small, some places much
-- hotter than others, and wait behind them.
--
-- In the table, a row is the point reads of a phase. In the result, flush and compact are the background's own.
local direct, report = require "direct", require "report"

local p = params {
  size   = { "256MiB", "size of all tables together", min = "16MiB" },
  table  = { "8MiB", "size of one table", min = "1MiB" },
  reads  = { "1k/s", "point reads per second" },
  block  = { "4KiB", "bytes in a point read", min = 512 },
  flush  = { "500ms", "from one flush to the next" },
  time   = { "6s", "measured time of each phase" },
  direct = { true, "bypass the page cache" },
}
if p.table > p.size then error("table: it is larger than all tables together, which is size", 2) end

local fan = 4 -- tables that one compaction merges
local chunk = KiB(256)
local store = direct.open("tables", { size = p.size, direct = p.direct })
local merge = semaphore(0) -- flushed tables that wait for a compaction

-- Tables are places in one file, each given to whoever writes next.
local places = math.floor(p.size / p.table)
local function place() return (rand(places) - 1) * p.table end

local function write_table()
  local from = place()
  for off = 0, p.table - chunk, chunk do store:write(chunk, from + off) end
  store:fdatasync()
end

local function read_table()
  local from = place()
  for off = 0, p.table - chunk, chunk do store:read(chunk, from + off) end
end

local reads = stream("reads", {
  file = store, op = "read", block = p.block, at = zipf(1.1), rate = p.reads, arrival = "poisson",
})
local background = {
  clients("flush", 1, function()
    sleep(p.flush)
    span("flush", write_table)
    merge:release()
  end),
  clients("compact", 1, function()
    merge:acquire(fan)
    span("compaction", function()
      for _ = 1, fan do
        read_table()
        write_table()
      end
    end)
  end),
}

local rows = report.rows("point reads, response")
for _, name in ipairs { "alone", "beside compaction" } do
  local r = phase(name, { duration = p.time }, reads, name == "alone" and {} or background)
  rows:add(name, r.reads.read, nil, r.reads.read.response)
end
rows:print()
