-- block-scan: block sizes 4 KiB to 1 MiB, random and sequential; names the turn to bandwidth
--
-- Small blocks are limited by operations per second, large ones by bytes per second; somewhere the one turns into the
-- other. Random writes far slower than sequential ones of the same size are a sign of write amplification: the device
-- moves more than it is given.
--
-- In the table of random reads, the least block with nearly the highest bandwidth is marked.
-- In that of random writes, the last column is how many times slower than sequential ones they are.
local direct, report, knee = require "direct", require "report", require "knee"

local p = params {
  depth  = { 16, "operations in flight", min = 1 },
  size   = { "256MiB", "size of the file", min = "16MiB" },
  time   = { "1.5s", "measured time of each step" },
  warmup = { "100ms", "time before the measuring, for each step" },
  direct = { true, "bypass the page cache" },
}

local data = direct.open("data", { size = p.size, direct = p.direct })
local blocks = { 4, 16, 64, 256, 1024 } -- KiB

local function measure(name, op, at)
  local list = {}
  for i, kib in ipairs(blocks) do
    local r = phase(("%s, %d KiB"):format(name, kib), { duration = p.time, warmup = p.warmup },
      stream("ops", { file = data, op = op, block = KiB(kib), at = at, depth = p.depth }))
    list[i] = r.ops[op]
  end
  return list
end

local reads = measure("random reads", "read", random())
local sequential_writes = measure("sequential writes", "write", sequential())
local random_writes = measure("random writes", "write", random())

local function show(name, ops, notes)
  local rows = report.rows(name)
  for i, op in ipairs(ops) do
    rows:add(blocks[i] .. " KiB", op, notes[i])
  end
  rows:print()
end

local points, turn, slower = {}, {}, {}
for i, op in ipairs(reads) do
  points[i] = { load = i, throughput = op.bandwidth }
end
local enough = knee.enough(points, 0.9)
if enough then turn[enough.load] = "bandwidth-bound" end
for i, op in ipairs(random_writes) do
  local times = sequential_writes[i].bandwidth / op.bandwidth
  if op.count > 0 then slower[i] = report.figure(times) .. " ×" .. (times > 3 and ": amplification?" or "") end
end
show("random reads", reads, turn)
show("sequential writes", sequential_writes, {})
show("random writes", random_writes, slower)
