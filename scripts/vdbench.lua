-- vdbench: a workload and a run in vdbench's words: xfersize, rdpct, seekpct, iorate up to max or as a curve
--
-- A workload definition and a run definition as parameters: sizes, the share of reads, the share of operations that seek to a new place,
-- and the rate. iorate=max goes as fast as threads allow; a number is a rate at which operations are due at random times; curve
-- measures max first and then shares of it, 10 to 100 %, which shows how latency grows with the load. Runs with several rates go up
-- in them. threads are operations in flight, as in vdbench.
-- In the lines, one for each interval, resp are service times: mean where vdbench has it, which is in the line of the average, and the
-- median in an interval's. What a warm-up does has no line. In the report, what each run measured stands whole.
local p = params {
  xfersize = { "4k/100", "bytes in one operation: 4k, or a split of sizes such as 4k/60:64k/40" },
  rdpct    = { 100, "reads in per cent; the rest are writes", min = 0, max = 100 },
  seekpct  = { "100", "operations that seek to a random place, in per cent; 0 or seq: sequential; eof: sequential, to the end" },
  threads  = { 8, "operations in flight", min = 1, max = 4096 },
  iorate   = { "max", "operations per second, or several with commas between; max; or curve" },
  curve    = { "10,50,70,80,90,100", "shares of the maximum in per cent, with iorate=curve" },
  elapsed  = { "4s", "measured time of each run; a plain number is seconds" },
  interval = { "1s", "time from one line to the next; a plain number is seconds", min = "1ms" },
  warmup   = { "0s", "time before the measuring; a plain number is seconds" },
  openflags = { "directio", "how the file is opened", choice = { "none", "directio", "o_sync", "o_dsync", "directio,o_dsync" } },
  size     = { "256M", "size of the file", min = "1M" },
  range    = { 100, "the part of the file that is used, in per cent from its start", min = 1, max = 100 },
}

local direct = require "direct"
local function wrong(text) error(text, 3) end

local file = direct.open("file1", {
  size = p.size, direct = p.openflags:find("directio") ~= nil,
  sync = p.openflags:match("o_dsync") and "dsync" or p.openflags:match("o_sync") and "sync" or "none",
})

local function share(text)
  if text == "seq" or text == "eof" then return 0 end
  local n = tonumber(text)
  if not n or n < 0 or n > 100 then wrong(("seekpct: %q is not a share in per cent, seq or eof"):format(text)) end
  return n
end

local seek = share(p.seekpct)
local at = seek == 100 and random() or seek == 0 and sequential() or either(seek, random(), sequential())
local mix = {}
if p.rdpct > 0 then mix.read = p.rdpct end
if p.rdpct < 100 then mix.write = 100 - p.rdpct end

local function numbers(text, what)
  local list = {}
  for word in (text .. ","):gmatch("([^,]*),") do
    local n = tonumber(word)
    if not n or n <= 0 then wrong(("%s: %q is not a number above 0"):format(what, word)) end
    list[#list + 1] = n
  end
  return list
end

local heading = ("%12s %9s %9s %7s %7s %6s %8s %8s %8s %8s %8s %6s %5s %5s"):format("interval", "i/o", "MB/sec", "bytes", "read",
  "resp", "read", "write", "read", "write", "resp", "queue", "cpu%", "cpu%") .. "\n" ..
  ("%12s %9s %9s %7s %7s %6s %8s %8s %8s %8s %8s %6s %5s %5s"):format("", "rate", "1024**2", "i/o", "pct", "time", "resp", "resp",
    "max", "max", "stddev", "depth", "sys+u", "sys")

local function line(label, f)
  print(("%12s %9.2f %9.2f %7.0f %7.2f %6.3f %8.3f %8.3f %8.3f %8.3f %8s %6s %5s %5s"):format(label, f.rate, f.bandwidth / MiB(1),
    f.rate > 0 and f.bandwidth / f.rate or 0, f.rate > 0 and 100 * f.reads / f.rate or 0, f.resp * 1e3, f.read * 1e3,
    f.write * 1e3, f.read_max * 1e3, f.write_max * 1e3, f.stddev or "-", f.depth or "-", f.cpu or "-", f.system or "-"))
end

local runs = 0
local function number(x) return x == x and x or 0 end -- of no operation there is none

local function run(label, rate)
  runs = runs + 1
  local name = ("rd%d: %s"):format(runs, label)
  local r = phase(name, { duration = p.elapsed, warmup = p.warmup, interval = p.interval }, stream("vdbench", {
    file = file, op = mix, block = p.xfersize, at = at, depth = p.threads, size = math.floor(p.size * p.range / 100),
    rate = rate, arrival = rate and "poisson", passes = p.seekpct == "eof" and 1 or nil,
  }))
  local read, write = r.vdbench.read, r.vdbench.write
  local all = combine(read, write)
  if all.count == 0 then return 0 end
  print(("\nStarting RD=%s; I/O rate: %s; elapsed=%.4g; For loops: None\n\n%s"):format(name, rate or "Uncontrolled MAX", p.elapsed, heading))
  local reads, writes = series(read), series(write)
  local lines = 0
  for i, w in ipairs(writes) do
    local s = reads[i]
    local n = s.iops + w.iops
    -- What was in flight at the end makes an interval of its own, with next to nothing in it.
    local rest = i > 1 and w.duration < p.interval / 2
    if not rest then
      lines = i
      line(tostring(i), { rate = n, reads = s.iops, bandwidth = s.bandwidth + w.bandwidth, read = s.p50, write = w.p50,
        resp = n > 0 and (s.p50 * s.iops + w.p50 * w.iops) / n or 0, read_max = s.max, write_max = w.max })
    end
  end
  local seconds = r.duration
  line(("avg_1-%d"):format(lines), { rate = all.iops, reads = read.iops, bandwidth = all.bandwidth, resp = all.mean,
    read = number(read.mean), write = number(write.mean), read_max = number(read.max), write_max = number(write.max),
    stddev = ("%.3f"):format(all.stddev * 1e3), depth = ("%.1f"):format(all.iops * all.mean),
    cpu = ("%.1f"):format(100 * (r.cpu.user + r.cpu.system) / seconds), system = ("%.1f"):format(100 * r.cpu.system / seconds) })
  return all.iops
end

if p.iorate == "max" then
  run("max")
elseif p.iorate == "curve" then
  local shares = numbers(p.curve, "curve")
  local most = run("max for curve")
  for _, s in ipairs(shares) do
    run(("%g%% of max"):format(s), math.max(1, math.floor(most * s / 100)))
  end
else
  for _, rate in ipairs(numbers(p.iorate, "iorate")) do run(("%g"):format(rate), rate) end
end
