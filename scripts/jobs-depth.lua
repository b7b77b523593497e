-- jobs-depth: the same operations in flight, from one thread with all of them to a thread for each
--
-- One job with a depth of 32, or 32 jobs with a depth of 1? The storage sees the same number of operations; what differs is how many
-- processors prepare them and how often the kernel is called. With one thread, batches are large and one processor can be the limit.
-- With many, each call carries one operation and threads get in each other's way.
--
-- In the table, a row is threads × depth; the last column is its IOPS in per cent of the first row's.
local direct, report = require "direct", require "report"

local p = params {
  op     = { "read", "what is done", choice = { "read", "write" } },
  total  = { 32, "operations in flight, over all threads", min = 1, max = 1024 },
  block  = { "4KiB", "bytes in one operation", min = 512 },
  engine = { "", "engine of the threads, such as psync; default: the run's" },
  size   = { "256MiB", "size of the file", min = "1MiB" },
  time   = { "3s", "measured time of each step" },
  warmup = { "200ms", "time before the measuring, for each step" },
  direct = { true, "bypass the page cache" },
}

local data = direct.open("data", { size = p.size, direct = p.direct })
local rows, first = report.rows("threads × depth", "of the first"), nil
local threads = 1
while threads <= p.total do
  local depth = math.floor(p.total / threads)
  local name = ("%d × %d"):format(threads, depth)
  local r = phase(name, { duration = p.time, warmup = p.warmup }, stream("ops", {
    file = data, op = p.op, block = p.block, at = random(), depth = threads * depth, threads = threads,
    engine = p.engine ~= "" and p.engine or nil,
  }))
  local op = r.ops[p.op]
  first = first or op.iops
  rows:add(name, op, first > 0 and report.figure(100 * op.iops / first) .. " %" or "-")
  threads = threads * 2
end
rows:print()
