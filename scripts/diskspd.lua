-- diskspd: what diskspd measures, with its switches as parameters: a mix, outstanding operations, threads
--
-- diskspd -b8K -d10 -o16 -t2 -r -w30 -Sh -L -c256M file is moonio run diskspd with b=8K d=10 o=16 t=2 r=8K w=30 S=h L=true c=256M, each after a
-- -p. Operations are in blocks of b, at random places that are multiples of r, or in order, s bytes from one to the next; o are in
-- flight for each thread. In order, threads have each their own place, T bytes after the one before, or share one with s=i.
-- In the table, a line is what the threads did together; below it, with L, are the latencies in ms, each read on its own and each
-- write, and both. In the report, the same stands in moonio's words.
local p = params {
  b = { "64K", "bytes in one operation", min = 512 },
  d = { "10s", "measured time; a plain number is seconds" },
  W = { "2s", "time before the measuring" },
  o = { 2, "operations in flight, for each thread", min = 1, max = 4096 },
  t = { 1, "worker threads", min = 1, max = 256 },
  r = { "none", "random places, multiples of this size; none: sequential" },
  s = { "none", "bytes from one sequential operation to the next; none: b; i: all threads take from one sequence" },
  T = { "0K", "bytes from one thread's start to the next one's, if sequential", min = 0 },
  w = { 0, "writes in per cent; the rest are reads", min = 0, max = 100 },
  S = { "h", "caching: b, through the page cache; u, past it; h, past it and every write durable; w, durable through it",
    choice = { "b", "u", "h", "w" } },
  L = { true, "print latencies" },
  Z = { false, "write zeros; otherwise the bytes 0 to 255 again and again, as diskspd does" },
  z = { 0, "the random seed; moonio's is --seed", min = 0 },
  c = { "256M", "size of the file that is made", min = "64K" },
  f = { "0K", "only so much of the file, from its start; 0K: all of it" },
  g = { 0, "bytes in a millisecond, for each thread; 0: as fast as it goes", min = 0 },
}

local direct = require "direct"
if p.r ~= "none" and p.s ~= "none" then error("r and s: places are random or sequential", 2) end
local region = p.f > 0 and math.min(p.f, p.c) or p.c
if region < p.b then error("b: a block is larger than the file, or than f leaves of it", 2) end

if p.z ~= 0 then error("z: the seed of a run is given as --seed " .. p.z, 2) end

local past = p.S == "u" or p.S == "h"
local durable = p.w > 0 and (p.S == "h" or p.S == "w") and "dsync" or "none"
local file = direct.open("testfile.dat", { size = p.c, direct = past, sync = durable })

local mix = {}
if p.w < 100 then mix.read = 100 - p.w end
if p.w > 0 then mix.write = p.w end
local bytes_0_to_255 = "0x"
for i = 0, 255 do bytes_0_to_255 = bytes_0_to_255 .. ("%02x"):format(i) end
local options = { file = file, op = mix, block = p.b, size = region, data = p.Z and "zero" or { pattern = bytes_0_to_255 } }
if p.g > 0 then options.rate = ("%dB/s"):format(p.g * 1000) end

-- Random places are the threads' together; a sequence is each one's own, unless all take from one.
local jobs, shared = {}, p.r ~= "none" or p.s == "i"
if p.r ~= "none" then
  options.at, options.align = random(), bytes(p.r)
elseif p.s ~= "none" and p.s ~= "i" then
  options.at = strided(p.s)
else
  options.at = sequential()
end
for i = 1, shared and 1 or p.t do
  local o = {}
  for k, v in pairs(options) do o[k] = v end
  local n = shared and p.t or 1
  o.threads, o.depth = n, p.o * n
  if o.rate and shared then o.rate = ("%dB/s"):format(p.g * 1000 * n) end
  if not shared then
    o.offset = (i - 1) * p.T
    if o.offset + p.b > region then error("T: thread " .. i - 1 .. " would begin beyond the end", 2) end
    o.size = region - o.offset
  end
  jobs[i] = stream(shared and "threads" or "thread " .. i - 1, o)
end
local r = phase("test", { duration = p.d, warmup = p.W }, jobs)

local seconds = r.duration
local function size(n)
  local e = 1
  while n >= 1024 and n % 1024 == 0 and e < 4 do n, e = n / 1024, e + 1 end
  return n .. ({ "B", "KiB", "MiB", "GiB" })[e]
end

local function row(label, op)
  local line = ("%s %15d | %12d | %10.2f | %10.2f |"):format(label, op.bytes, op.count, op.bytes / MiB(1) / seconds, op.count / seconds)
  if not p.L then return (line:gsub(" |$", "")) end
  local none = op.count == 0
  return line .. (" %8.3f | %9.3f"):format(none and 0 or op.mean * 1e3, none and 0 or op.stddev * 1e3)
end

local reads, writes = {}, {}
for i = 1, #jobs do
  local job = r[shared and "threads" or "thread " .. i - 1]
  reads[i], writes[i] = job.read, job.write
end
local function section(title, of)
  local head = "thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s " .. (p.L and "|  AvgLat  | LatStdDev " or "") .. "|  file"
  local rule = ("-"):rep(#head + 12)
  print(title .. " IO\n" .. head .. "\n" .. rule)
  local all = {}
  for i = 1, #jobs do
    all[i] = of(i)
    print(row((shared and "%6s |" or "%6d |"):format(shared and "all" or i - 1), all[i]) ..
      (" | %s (%s)"):format(file:name(), size(p.c)))
  end
  print(rule .. "\n" .. row("total:  ", combine(unpack(all))) .. "\n")
end

local function latencies()
  local read, write = combine(unpack(reads)), combine(unpack(writes))
  local total = combine(read, write)
  local function cell(op, q)
    if op.count == 0 then return ("%10s"):format("N/A") end
    return ("%10.3f"):format(percentile(op, q) * 1e3)
  end
  print("  %-ile |  Read (ms) | Write (ms) | Total (ms)\n" .. ("-"):rep(46))
  local nines, steps = "99", { { "min", 0 }, { "25th", 25 }, { "50th", 50 }, { "75th", 75 }, { "90th", 90 }, { "95th", 95 }, { "99th", 99 } }
  for n = 3, 9 do
    nines = nines .. (n == 3 and ".9" or "9")
    steps[#steps + 1] = { n .. "-nines", tonumber(nines) }
  end
  steps[#steps + 1] = { "max", 100 }
  for _, s in ipairs(steps) do
    print(("%7s | %s | %s | %s"):format(s[1], cell(read, s[2]), cell(write, s[2]), cell(total, s[2])))
  end
  print()
end

if combine(unpack(reads)).count + combine(unpack(writes)).count > 0 and seconds > 0 then
  print(("actual test time:\t%.2fs\nthread count:\t\t%d\n"):format(seconds, p.t))
  section("Total", function(i) return combine(reads[i], writes[i]) end)
  section("Read", function(i) return reads[i] end)
  section("Write", function(i) return writes[i] end)
  if p.L then latencies() end
end
