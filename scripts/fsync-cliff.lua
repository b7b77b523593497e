-- fsync-cliff: the same writes without a sync, with fdatasync, with fsync and with O_DSYNC
--
-- What durability costs. A program that writes without a sync is told that its data is written when it is in memory. The
-- four phases make the same writes over a file that is laid out, and differ only in what they wait for.
--
-- In the table, a row is a write together with its sync; the last column is how many times as long one takes as
-- without a sync. A disk whose syncs cost nothing either has a cache that survives a loss of power, or lies.
local report = require "report"

local p = params {
  block   = { "4KiB", "bytes in one write", min = 1, max = "64MiB" },
  clients = { 1, "writers at the same time", min = 1 },
  size    = { "64MiB", "size of the file", min = "1MiB" },
  time    = { "3s", "measured time of each phase" },
  direct  = { false, "bypass the page cache; blocks must then fit the device's" },
}

local file = open("data", { size = p.size, direct = p.direct })
local durable = open("data", { size = p.size, direct = p.direct, sync = "dsync" })

local ways = {
  { "none",      function() file:append(p.block) end },
  { "fdatasync", function() file:append(p.block); file:fdatasync() end },
  { "fsync",     function() file:append(p.block); file:fsync() end },
  { "O_DSYNC",   function() durable:append(p.block) end },
}

local rows, free = report.rows("sync", "slower"), nil
for _, way in ipairs(ways) do
  local name, write = way[1], way[2]
  local r = phase(name, { duration = p.time }, clients("writer", p.clients, write))
  file:fsync() -- what one phase has left in memory must not cost the next
  local op = r.writer.iteration
  free = free or op.mean
  rows:add(name, op, free > 0 and op.count > 0 and report.figure(op.mean / free) .. " ×" or "-")
end
rows:print()
