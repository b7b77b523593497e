-- sizing: how many such disks a load needs, by operations at a p99 that is good enough, and by capacity
--
-- The depth is doubled for as long as p99 keeps to the target, and the best rate on the way is what one disk is good for. Disks for
-- the load are then its peak by that rate, with a reserve for failures and growth; those for the data are its size by a disk's. The
-- larger number counts. Choosing by p99 and not by the mean is what keeps the peak usable.
--
-- In the table, a row is a depth. In the lines below stand the rate that one disk is good for, and both numbers of disks.
local direct, report = require "direct", require "report"

local p = params {
  peak     = { 20000, "operations per second at the load's peak", min = 1 },
  capacity = { "2TB", "bytes that are to be kept" },
  disk     = { "0GB", "bytes that one disk holds; 0GB: as many as the file system that this runs on" },
  reserve  = { 1.4, "how many times the peak there should be room for; 1.3 to 1.5 are usual", min = 1 },
  target   = { "10ms", "p99 that is good enough" },
  read     = { 70, "reads in per cent; the rest are writes", min = 0, max = 100 },
  block    = { "4KiB", "bytes in one operation", min = 512 },
  most     = { 64, "the last depth", min = 1, max = 4096 },
  size     = { "256MiB", "size of the file", min = "1MiB" },
  time     = { "3s", "measured time of each depth; for steady figures, minutes" },
  warmup   = { "500ms", "time before the measuring, for each depth" },
  direct   = { true, "bypass the page cache" },
}

local data = direct.open("data", { size = p.size, direct = p.direct })
local mix = {}
if p.read > 0 then mix.read = p.read end
if p.read < 100 then mix.write = 100 - p.read end

local rows, best, depth = report.rows("depth"), nil, 1
while depth <= p.most do
  local r = phase("depth " .. depth, { duration = p.time, warmup = p.warmup },
    stream("load", { file = data, op = mix, block = p.block, at = random(), depth = depth }))
  local op = combine(r.load.read, r.load.write)
  local good = op.count > 0 and op.p99 <= p.target
  rows:add(depth, op, good and "good" or "too slow")
  if op.count > 0 and not good then break end
  if good and (not best or op.iops > best.iops) then best = { iops = op.iops, depth = depth, p99 = op.p99 } end
  depth = depth * 2
end

local holds = p.disk > 0 and p.disk or storage().size
if not best then
  rows:print(("no depth meets the target of %s"):format(format_duration(p.target)))
else
  local load = math.ceil(p.peak / best.iops * p.reserve)
  local lines = {
    ("one disk: %s at depth %d, p99 %s"):format(format_rate(best.iops), best.depth, format_duration(best.p99)),
    ("for the load: %d, which is %g/s by %s, %g times"):format(load, p.peak, format_rate(best.iops), p.reserve),
  }
  if holds > 0 then
    local room = math.ceil(p.capacity / holds)
    lines[3] = ("for the data: %d of %s"):format(room, format_size(holds))
    lines[4] = ("disks: %d, as the %s asks for"):format(math.max(load, room), load >= room and "load" or "data")
  else
    lines[3] = "for the data: unknown; give disk, the bytes that one holds"
  end
  rows:print(unpack(lines))
end
