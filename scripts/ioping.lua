-- ioping: the latency of single operations, one per interval, as ping shows a network's
--
-- How long one operation takes on storage that has nothing else to do, or beside whatever load is there already. A line is
-- printed for each, with the time that the script waited for it; then the shortest, the mean, the longest, and the
-- standard deviation. The report's figures are the storage's alone, without the way back to a script that has slept.
local direct = require "direct"

local p = params {
  count    = { 10, "operations", min = 1, max = 1000000 },
  interval = { "1s", "from one's end to the next" },
  op       = { "read", "what is done", choice = { "read", "write" } },
  block    = { "4KiB", "bytes in one operation", min = 512 },
  size     = { "64MiB", "size of the file, in which places are random", min = "1MiB" },
  direct   = { true, "bypass the page cache" },
}

local data = direct.open("data", { size = p.size, direct = p.direct })
local at = random()
local times = {}

local function summary()
  local sum, squares = 0, 0
  for _, t in ipairs(times) do
    sum, squares = sum + t, squares + t * t
  end
  local mean = sum / #times
  table.sort(times)
  print(("%d %ss, min/avg/max/mdev %s / %s / %s / %s\n"):format(#times, p.op,
    format_duration(times[1]), format_duration(mean), format_duration(times[#times]),
    format_duration(math.sqrt(math.max(0, squares / #times - mean * mean)))))
end

phase("ping", { iterations = p.count }, clients("ping", 1, function()
  if #times > 0 then sleep(p.interval) end
  local from = now()
  data[p.op](data, p.block, at)
  times[#times + 1] = now() - from
  print(("%s %s: request %d, %s"):format(p.op, format_size(p.block), #times, format_duration(times[#times])))
  if #times == p.count then summary() end
end))
