-- max-rate: the highest rate of requests that meets a latency target
--
-- How much this storage can be sold for. Requests arrive at random at a rate (an open loop), and count from when they
-- were due. The rate is doubled until the target is missed, and the limit then found by halving.
--
-- In the table, a row is a rate that was tried, in the order of trying. A rate is good if p99 keeps to the target and all
-- requests that fell due were answered. One that is not is tried again, so that a single stall decides nothing.
local direct, report, search = require "direct", require "report", require "search"

local p = params {
  target = { "10ms", "p99 from when a request was due" },
  from   = { 500, "requests per second to begin with", min = 1 },
  to     = { 1000000, "requests per second to end with", min = 1 },
  within = { 0.1, "how near the result is to the true limit, as a share", min = 0.01 },
  read   = { 100, "reads in per cent; the rest are writes", min = 0, max = 100 },
  block  = { "4KiB", "bytes in one request", min = 512 },
  depth  = { 256, "most requests that the storage is given at once", min = 1 },
  size   = { "256MiB", "size of the file", min = "1MiB" },
  time   = { "1.2s", "measured time of each rate" },
  warmup = { "200ms", "time before the measuring, for each rate" },
  direct = { true, "bypass the page cache" },
}

local data = direct.open("data", { size = p.size, direct = p.direct })
local op = p.read > 0 and "read" or "write"
local mix = {}
if p.read > 0 then mix.read = p.read end
if p.read < 100 then mix.write = 100 - p.read end

local rows = report.rows("requests/s, " .. op .. "s")

local function try(rate, again)
  local r = phase(("%d/s%s"):format(rate, again or ""), { duration = p.time, warmup = p.warmup }, stream("requests", {
    file = data, op = mix, block = p.block, depth = p.depth, rate = rate, arrival = "poisson",
  }))
  local done, due = r.requests.read.count + r.requests.write.count, rate * p.time
  local missed = done > 0 and done < 0.95 * due - 3 * math.sqrt(due) -- chance alone has a few more or less arrive
  local ok = not missed and not (r.requests[op].response.p99 > p.target)
  rows:add(rate, r.requests[op], ok and "good" or missed and "rate missed" or "too slow", r.requests[op].response)
  return ok
end

local function good(rate)
  rate = math.floor(rate)
  return try(rate) or try(rate, ", again")
end

local best, worst = search.highest({ from = p.from, to = p.to, within = p.within }, good)
local target = format_duration(p.target)
if not best then
  rows:print(("even %s misses the target of %s"):format(format_rate(p.from), target))
elseif worst then
  rows:print(("highest rate within %s at p99: %s"):format(target, format_rate(best)))
else
  rows:print(("all rates up to %s meet the target of %s"):format(format_rate(best), target))
end
