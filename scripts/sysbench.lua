-- sysbench: the six modes of sysbench fileio over many files, with its syncs and its closing report
--
-- sysbench fileio --file-test-mode=rndrw --threads=4 run is moonio run sysbench -p file-test-mode=rndrw -p threads=4; preparing and
-- cleaning up are part of it, and the files are smaller unless file-total-size says otherwise. As there, syncs are events: events=2000 are
-- 1924 writes and 76 syncs of 4 files, and each thread syncs all files at the end besides. Places, the order of reads and writes, and what
-- counts are sysbench's. An asynchronous operation's latency is the time until it completed, where sysbench's ends at its submission;
-- with a rate, each thread has its own share of it.
-- In the report printed, times are those of reads, writes and syncs together; in moonio's, each stands by itself.
local p = params {
  ["file-test-mode"]   = { "rndrw", "what is done", choice = { "seqwr", "seqrewr", "seqrd", "rndrd", "rndwr", "rndrw" } },
  ["file-num"]         = { 128, "how many files", min = 1, max = 10000 },
  ["file-total-size"]  = { "256M", "size of all files together; sysbench's own default is 2G", min = "4k" },
  ["file-block-size"]  = { "16k", "bytes in one operation", min = 1 },
  ["file-io-mode"]     = { "sync", "how operations are made: one at a time, several in flight, or by mapping files",
    choice = { "sync", "async", "mmap" } },
  ["file-async-backlog"] = { 128, "operations in flight of each thread, with file-io-mode=async", min = 1 },
  ["file-extra-flags"] = { "none", "how the files are opened", choice = { "none", "sync", "dsync", "direct", "direct,sync", "direct,dsync" } },
  ["file-fsync-freq"]  = { 100, "requests from one sync of all files to the next; 0: none", min = 0 },
  ["file-fsync-all"]   = { false, "sync after every write" },
  ["file-fsync-end"]   = { true, "sync all files at the end" },
  ["file-fsync-mode"]  = { "fsync", "how files are synced", choice = { "fsync", "fdatasync" } },
  ["file-rw-ratio"]    = { 1.5, "reads for each write, in rndrw", min = 0 },
  threads              = { 1, "threads, each with one request at a time", min = 1 },
  time                 = { "10s", "measured time; 0s: until the events are done" },
  events               = { 0, "reads, writes and syncs; 0: until the time is over", min = 0 },
  rate                 = { 0, "requests per second, at random times; 0: as fast as they go", min = 0 },
  percentile           = { 95, "the percentile that is printed", min = 1, max = 100 },
}

local mode, block, num = p["file-test-mode"], p["file-block-size"], p["file-num"]
local length = math.floor(p["file-total-size"] / num)
local per_file = math.floor(length / block) -- blocks
if per_file == 0 then error("file-total-size: a file of it is smaller than file-block-size", 2) end
if p.time == 0 and p.events == 0 then error("time = 0s needs events: nothing would end it", 2) end

local flags, async = p["file-extra-flags"], p["file-io-mode"] == "async"
local files = {}
for i = 1, num do
  files[i] = open("test_file." .. i - 1, {
    size = length, direct = flags:find("direct") ~= nil, sync = flags:match("dsync") or flags:match("sync") or "none",
    layout = mode == "seqwr" and "allocate" or "write",
  })
end

-- All threads share one place in sequential order, one count of requests, and one ratio.
local blocks = per_file * num
local place, requests, reads, writes = counter(), counter(), counter(), counter()
local events, busy = {}, {} -- of each thread, for its fairness; busy in ns
for i = 1, p.threads do events[i], busy[i] = counter(), counter() end
local sequential_mode = mode:sub(1, 3) == "seq"
local only = ({ seqwr = "write", seqrewr = "write", seqrd = "read", rndrd = "read", rndwr = "write" })[mode]
local syncs, freq, each, ratio = p["file-fsync-mode"], p["file-fsync-freq"], p["file-fsync-all"], p["file-rw-ratio"]
if only == "read" or each then freq = 0 end

local function kind()
  if only then return only end
  if (reads:get() + 1) / (writes:get() + 1) < ratio then return reads:add() and "read" end
  return writes:add() and "write"
end

local rate, due, queues = p.rate / p.threads, {}, {}
local backlog = p["file-async-backlog"]

local function request(id, perform)
  local b = sequential_mode and (place:add() - 1) % blocks or rand(0, blocks - 1)
  local file, op = files[math.floor(b / per_file) + 1], kind()
  perform(id, op, file, block, b % per_file * block)
  if op == "write" and each then perform(id, syncs, file) end
  if freq > 0 and requests:add() % freq == 0 then
    for _, f in ipairs(files) do perform(id, syncs, f) end
  end
end

local function at_once(id, op, file, n, at)
  local from = now()
  file[op](file, n, at)
  busy[id]:add(math.floor((now() - from) * 1e9 + 0.5))
  events[id]:add()
end

local function queued(id, op, file, n, at)
  local q = queues[id] or queue(backlog)
  queues[id] = q
  if op == syncs then q:wait() end -- what it is to make durable
  q[op](q, file, n, at)
  events[id]:add()
end

local engines = { sync = "psync", async = "libaio", mmap = "mmap" }
local options = { duration = p.time > 0 and p.time or nil }
if p.events > 0 then options[each and "iterations" or "ops"] = p.events end -- a write and its own sync are one event
local r = phase(mode, options, clients("thread", p.threads, { threads = p.threads, engine = engines[p["file-io-mode"]] }, function(id)
  if rate > 0 then
    due[id] = (due[id] or now()) - math.log(rand(1, 1000000) / 1000000) / rate
    sleep(math.max(0, due[id] - now()))
  end
  request(id, async and queued or at_once)
end))
local t, seconds, at_end = r.thread, r.duration, 0
if p["file-fsync-end"] and only ~= "read" and not each then
  local e = phase("sync at the end", { iterations = p.threads }, clients("thread", p.threads,
    { threads = p.threads, engine = engines[p["file-io-mode"]] }, function()
      for _, f in ipairs(files) do f[syncs](f) end
    end))
  at_end, seconds = e.thread[syncs].count, seconds + e.duration
end

local function size(n)
  local e = 1
  while n >= 1024 and e < 5 do n, e = n / 1024, e + 1 end
  return ("%.5g%s"):format(n, ({ "B", "KiB", "MiB", "GiB", "TiB" })[e])
end

local function settings()
  print("Extra file open flags: " .. (flags == "none" and "(none)" or flags:gsub("direct", "directio"):gsub(",", " ")))
  print(("%d files, %s each\n%s total file size\nBlock size %s"):format(num, size(length), size(length * num), size(block)))
  if p.events > 0 then print("Number of IO requests: " .. p.events) end
  print(("Read/Write ratio for combined random IO test: %.2f"):format(ratio))
  if p["file-fsync-freq"] > 0 and not each then print(("Periodic FSYNC enabled, calling %s() each %d requests."):format(syncs, p["file-fsync-freq"])) end
  if each then print(("Calling %s() after each write operation."):format(syncs)) end
  if p["file-fsync-end"] and not each then print(("Calling %s() at the end of test, Enabled."):format(syncs)) end
  print("Using " .. ({ sync = "synchronous I/O", async = "asynchronous I/O", mmap = "fast mmap" })[p["file-io-mode"]] .. " mode")
  print("Doing " .. ({ seqwr = "sequential write (creation)", seqrewr = "sequential rewrite", seqrd = "sequential read",
    rndrd = "random read", rndwr = "random write", rndrw = "random r/w" })[mode] .. " test\n")
end

-- Mean and standard deviation of the threads' figures.
local function spread(list, per)
  local sum, squares = 0, 0
  for _, c in ipairs(list) do
    local x = c:get() / per
    sum, squares = sum + x, squares + x * x
  end
  local mean = sum / #list
  return mean, math.sqrt(math.max(0, squares / #list - mean * mean))
end

local all = each and t.iteration or combine(t.read, t.write, t[syncs])
if all.count > 0 and seconds > 0 then
  settings()
  print(("File operations:\n    reads/s:                      %.2f\n    writes/s:                     %.2f\n    fsyncs/s:                     %.2f\n")
    :format(t.read.count / seconds, t.write.count / seconds, (t[syncs].count + at_end) / seconds))
  print(("Throughput:\n    read, MiB/s:                  %.2f\n    written, MiB/s:               %.2f\n")
    :format(t.read.bytes / MiB(1) / seconds, t.write.bytes / MiB(1) / seconds))
  print(("General statistics:\n    total time:                          %.4fs\n    total number of events:              %d\n")
    :format(seconds, all.count))
  local name = ({ "st", "nd", "rd" })[p.percentile % 10]
  if p.percentile >= 11 and p.percentile <= 13 or not name then name = "th" end
  print("Latency (ms):")
  for _, l in ipairs { { "min", all.min }, { "avg", all.mean }, { "max", all.max },
    { p.percentile .. name .. " percentile", percentile(all, p.percentile) }, { "sum", all.mean * all.count } } do
    print(("         %s:%" .. 43 - #l[1] .. ".2f"):format(l[1], l[2] * 1e3))
  end
  print(("\nThreads fairness:\n    events (avg/stddev):           %.4f/%.2f"):format(all.count / p.threads, select(2, spread(events, 1))))
  if not async then print(("    execution time (avg/stddev):   %.4f/%.2f"):format(spread(busy, 1e9))) end
  print()
end
