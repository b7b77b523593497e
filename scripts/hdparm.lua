-- hdparm: buffered and cached reads, as hdparm -t and -T time them, with their lines
--
-- The oldest quick look at a disk. t reads a file from its start to its end, 2 MiB at a time and through the page cache, which holds
-- none of it at the beginning; so the kernel's read-ahead is in the figure. T reads the file's first 2 MiB again and again: the
-- speed of memory, and of the way there. direct = true is hdparm --direct, past the page cache; then T shows the disk's own cache.
-- A file that is read to its end before the time is over ends t there, as it would on a device too small; so give a large one.
-- In the lines, a MB is a MiB. In the report, a read of t is often found in memory, where read-ahead had it ready.
local p = params {
  file   = { "data", "a file in the run's directory, or a block device that --device names too" },
  t      = { true, "time reads from the storage" },
  T      = { true, "time reads from memory" },
  direct = { false, "bypass the page cache (--direct)" },
  offset = { "0MiB", "where t begins (--offset)" },
  size   = { "256MiB", "size of the file", min = "2MiB" },
  time_t = { "3s", "the longest that t takes" },
  time_T = { "2s", "how long T takes" },
}

if not p.t and not p.T then error("neither t nor T: nothing is asked for", 2) end

local device = p.file:sub(1, 1) == "/"
if device and not p.direct then error("file: a device is used past the page cache: give direct = true too", 2) end
local data = device and open(p.file) or open(p.file, { size = p.size, direct = p.direct })
local size = math.floor(data:size() / MiB(2)) * MiB(2)
if p.offset % MiB(2) ~= 0 or p.offset >= size then error("offset: a multiple of 2 MiB before the end of the file", 2) end

local function reads(name, options)
  options.file, options.block, options.at, options.depth = data, "2MiB", sequential(), 1
  local r = phase(name, { duration = options.duration, engine = "psync" }, stream("reads", options))
  return r.reads.read, r.duration
end

local function show(what, op, seconds)
  if op.count == 0 then return end
  local mb = op.bytes / MiB(1)
  local rate, unit = mb / seconds, "MB"
  if rate < 1 then rate, unit = rate * 1024, "kB" end
  print((" Timing %s%s %3d MB in %5.2f seconds = %6.2f %s/sec"):format(p.direct and "O_DIRECT " or "", what, mb, seconds, rate, unit))
end

local label = p.direct and "disk reads:" or "buffered disk reads:"
if p.T then show("cached reads:  ", reads("T", { size = "2MiB", duration = p.time_T })) end
if p.t then
  if not p.direct then data:invalidate() end
  show(label, reads("t", { offset = p.offset, size = size - p.offset, passes = 1, duration = p.time_t }))
end
