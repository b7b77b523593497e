-- ioping: the latency of single operations, one per interval, as ping shows a network's
--
-- How long one operation takes on storage that has nothing else to do, or beside whatever load is there already. The lines and
-- the closing statistics are ioping's, and so are the parameters' names; moonio run ioping -p count=20 -p size=4k is its
-- ioping -c 20 -s 4k. Two things differ: reads go past the page cache from the start, where ioping reads through it and has it
-- dropped before each; and without a device, there is always a file of the run's own. A request's time is what the script waited for it.
-- In the report, the requests of the warm-up are among the others, and times are the storage's alone.
local direct = require "direct"

local p = params {
  count      = { 10, "requests; 0: until work_time is over (-c)", min = 0 },
  interval   = { "1s", "from one request's start to the next one's (-i)" },
  file       = { "data", "a file in the run's directory, or a block device that --device names too" },
  size       = { "4KiB", "bytes in one request; with linear 256 KiB, unless given (-s)", min = 512 },
  work_size  = { "1MiB", "size of the file, in which places are random (-S)", min = "4KiB" },
  work_time  = { "0s", "when to stop, however many requests were made; 0s: never (-w)" },
  warmup     = { 1, "first requests that the statistics leave out (-a)", min = 0 },
  direct     = { true, "bypass the page cache (-D)" },
  cached     = { false, "through the page cache, and no sync after writes (-C)" },
  write      = { false, "write instead of reading, with an fdatasync after each (-W)" },
  read_write = { false, "write and read in turn (-G)" },
  linear     = { false, "one place after the other (-L)" },
  rapid      = { false, "as fast as it goes for 3 s, and only the statistics: quiet, interval 0s, work_time 3s (-R)" },
  sync       = { "none", "make each write durable before it completes (-Y, -y)", choice = { "none", "sync", "dsync" } },
  quiet      = { false, "print only the statistics (-q)" },
}

local size, interval, limit, most, quiet = p.size, p.interval, p.work_time, p.count, p.quiet
if p.linear and size == bytes("4KiB") then size = bytes("256KiB") end
if p.rapid then
  quiet, interval, most = true, 0, most ~= 10 and most or 0
  if limit == 0 then limit = 3 end
end
if most == 0 and limit == 0 then error("count = 0 needs a work_time: nothing would end it", 2) end
if size > p.work_size then error("size: a request is larger than work_size", 2) end
if not p.direct and not p.cached then
  error("direct = false needs cached = true: the page cache can't be dropped before each request", 2)
end

local device = p.file:sub(1, 1) == "/"
if device and (p.cached or p.sync ~= "none") then
  error("file: a device is used past the page cache, and as it is: cached and sync are for files", 2)
end
local data = device and open(p.file)
  or direct.open(p.file, { size = p.work_size, direct = p.direct and not p.cached, sync = p.sync })
local at = p.linear and sequential() or random()

-- A value in the unit in which it has few digits; three of them, unless it is a whole number.
local function figure(n, step, units)
  local e, whole = 1, n
  while n >= step and e < #units do n, e = n / step, e + 1 end
  local digits = (e == 1 or n == math.floor(n)) and "%.0f" or n < 10 and "%.2f" or "%.1f"
  return digits:format(n) .. units[e]
end
local function amount(n) return figure(n, 1024, { " B", " KiB", " MiB", " GiB", " TiB" }) end
local function time(s) return figure(math.floor(s * 1e9 + 0.5), 1000, { " ns", " us", " ms", " s" }) end
local function number(n) return figure(n, 1000, { "", " k", " M", " G" }) end

local where = storage()
local place = where.type ~= "" and ("%s %s %s"):format(where.type, where.source, amount(where.size)) or where.engine
local title = (". (%s)"):format(place)
if device then title = ("%s (block device %s)"):format(p.file, amount(data:size())) end

local function summary(done, sum, squares, least, longest, all, took)
  print(("\n--- %s ioping statistics ---"):format(title))
  if done == 0 then return print("no requests completed") end
  local moved = p.read_write and "" or p.write and " written" or " read"
  local mean = sum / done
  print(("%s requests completed in %s, %s%s, %s iops, %s/s"):format(number(done), time(sum), amount(done * size), moved,
    number(done / sum), amount(done * size / sum)))
  print(("generated %s requests in %s, %s, %s iops, %s/s"):format(number(all), time(took), amount(all * size),
    number(all / took), amount(all * size / took)))
  print(("min/avg/max/mdev = %s / %s / %s / %s"):format(time(least), time(mean), time(longest),
    time(math.sqrt(math.max(0, squares / done - mean * mean)))))
end

phase("ping", { engine = "psync", iterations = 1 }, clients("ping", 1, function()
  local first, requests = now(), 0
  local done, sum, squares, least, longest = 0, 0, 0, math.huge, 0
  repeat
    local from = now()
    local writes = p.write or p.read_write and requests % 2 == 0
    if writes then
      data:write(size, at)
      if not p.cached then data:fdatasync() end
    else
      data:read(size, at)
    end
    local took = now() - from
    requests = requests + 1
    local counts = requests > p.warmup
    if counts then
      done, sum, squares = done + 1, sum + took, squares + took * took
      least, longest = math.min(least, took), math.max(longest, took)
    end
    if not quiet then
      print(("%s %s %s: request=%d time=%s%s"):format(amount(size), writes and ">>>" or "<<<", title, requests, time(took),
        counts and "" or " (warmup)"))
    end
    local over = requests == most or limit > 0 and now() - first >= limit
    if not over and interval > 0 then sleep(math.max(0, from + interval - now())) end
  until over
  summary(done, sum, squares, least, longest, requests, now() - first)
end))
