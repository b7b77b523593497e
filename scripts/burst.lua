-- burst: a base rate with bursts, and what those wait who arrive in them
--
-- Requests come when they come, whether or not the storage is ready (an open loop). In a burst more come than it may
-- carry; the rest queue up, and the queue is worked off after the burst.
--
-- In the result:
--   service    from when the storage was given the request: what a closed loop would show
--   response   from when the request was due: what its sender waited
-- Where the two part, requests queued. If the report says that the rate was missed, the
-- storage cannot carry it even on average.
local direct, report = require "direct", require "report"

local p = params {
  base   = { "500/s", "requests per second between bursts" },
  peak   = { "10k/s", "requests per second in a burst" },
  every  = { "2s", "from one burst's start to the next's" },
  length = { "200ms", "length of a burst" },
  op     = { "read", "what a request does", choice = { "read", "write" } },
  block  = { "4KiB", "bytes in one request", min = 512 },
  depth  = { 64, "most requests that the storage is given at once", min = 1 },
  size   = { "256MiB", "size of the file", min = "1MiB" },
  time   = { "10s", "measured time" },
  direct = { true, "bypass the page cache" },
}

local data = direct.open("data", { size = p.size, direct = p.direct })

local r = phase("bursts", { duration = p.time }, stream("requests", {
  file = data,
  op = p.op,
  block = p.block,
  depth = p.depth,
  rate = burst { base = p.base, peak = p.peak, every = p.every, length = p.length },
  arrival = "poisson",
}))

local op = r.requests[p.op]
local rows = report.rows(p.op)
rows:add("service", op)
rows:add("response", op, nil, op.response)
rows:print()
