-- wal: group commit on a write-ahead log: sessions append a record and wait until it is durable
--
-- What a database does for every commit. Sessions commit at the same time, each appends its record and
-- syncs the log; the kernel makes one sync of those that come together, so that more sessions commit more
-- often without waiting longer.
--
-- A log that grows (size=0) has a new length at every sync, which costs metadata. One that is laid out and
-- recycled (size=64MiB) has not; compare the two.
--
-- In the result:
--   session iteration   a commit; its IOPS are commits per second
--   session fdatasync   waiting for the disk, the greatest part of a commit
--   session append      handing the record over: to memory, or to the disk with direct=true or sync=dsync
local p = params {
  record  = { "4KiB", "bytes in one record", min = 1, max = "64MiB" },
  clients = { 16, "sessions that commit at the same time", min = 1 },
  time    = { "10s", "measured time" },
  warmup  = { "0s", "time before the measuring" },
  size    = { "0B", "size of a log that is laid out and goes round, as a recycled one does; 0: the log grows" },
  limit   = { "1GiB", "a log that grows ends the run when it has this size", min = "1MiB" },
  sync    = { "fdatasync", "how a record is made durable", choice = { "fdatasync", "fsync", "dsync", "none" } },
  direct  = { false, "write past the page cache; records must then fit the device's blocks" },
  threads = { 1, "worker threads", min = 1 },
}

local wal = open("wal.log", {
  size = p.size > 0 and p.size or nil,
  direct = p.direct,
  sync = p.sync == "dsync" and "dsync" or "none",
})

local commit = {
  fdatasync = function() wal:append(p.record); wal:fdatasync() end,
  fsync     = function() wal:append(p.record); wal:fsync() end,
  dsync     = function() wal:append(p.record) end,
  none      = function() wal:append(p.record) end,
}

phase("commit", {
  duration = p.time,
  warmup = p.warmup,
  threads = p.threads,
  bytes = p.size == 0 and p.limit or nil,
}, clients("session", p.clients, commit[p.sync]))
