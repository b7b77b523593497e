-- oltp: page reads, write-back and commits, before, during and after a checkpoint
--
-- A transactional database at work: reads of pages at a rate, some much hotter than others; a flusher that writes
-- pages back; sessions that commit to a log. A checkpoint writes the data file through in large blocks as
-- fast as it can. What matters is what it does to the others.
--
-- In the result:
--   reads      response: from when the read was due, so that waiting behind a busy device counts
--   commits    fdatasync, and iteration for a whole commit
--   checkpoint bandwidth
-- The table printed first shows the reads and the commits of the three phases side by side.
local direct, report = require "direct", require "report"

local p = params {
  size       = { "256MiB", "size of the data file", min = "16MiB" },
  log        = { "64MiB", "size of the log, which is recycled", min = "1MiB" },
  page       = { "8KiB", "bytes in a page", min = 512 },
  reads      = { "1k/s", "page reads per second" },
  flush      = { "200/s", "pages written back per second" },
  sessions   = { 8, "sessions that commit", min = 1 },
  checkpoint = { 8, "1 MiB writes of the checkpoint in flight", min = 1 },
  time       = { "4s", "measured time of each phase" },
  direct     = { true, "pages bypass the page cache" },
}

local data = direct.open("pages", { size = p.size, direct = p.direct })
local wal = open("wal.log", { size = p.log })

local work = {
  stream("reads", { file = data, op = "read", block = p.page, at = zipf(1.1), rate = p.reads, arrival = "poisson" }),
  stream("flusher", { file = data, op = "write", block = p.page, at = random(), rate = p.flush }),
  clients("commits", p.sessions, function()
    wal:append("4KiB")
    wal:fdatasync()
  end),
}
local checkpoint = stream("checkpoint", {
  file = data, op = "write", block = "1MiB", at = sequential(), depth = p.checkpoint,
})

local reads, commits = report.rows("reads, response"), report.rows("commits")
for _, name in ipairs { "before", "checkpoint", "after" } do
  local r = phase(name, { duration = p.time }, work, name == "checkpoint" and { checkpoint } or {})
  reads:add(name, r.reads.read, nil, r.reads.read.response)
  commits:add(name, r.commits.iteration)
end
reads:print()
commits:print()
