-- group-commit: every session syncs for itself, against one that syncs for all who wait
--
-- Databases don't leave the grouping of commits to the kernel: the first session that finds no sync under way becomes the
-- leader and syncs for all who have appended by then; those who come later wait for the next one.
--
-- In the table, a row is a whole commit; the last column is how many commits one sync made durable.
local report = require "report"

local p = params {
  record  = { "512B", "bytes in one record", min = 1, max = "64MiB" },
  clients = { 32, "sessions that commit at the same time", min = 1 },
  size    = { "64MiB", "size of the log, which is recycled", min = "1MiB" },
  time    = { "5s", "measured time of each way" },
}

local wal = open("wal.log", { size = p.size })

local function alone()
  wal:append(p.record)
  wal:fdatasync()
end

-- Counted by record: the session with the last number that is durable may go on, and all before it.
local appended, durable, syncing = 0, 0, false
local synced = event()

local function lead()
  syncing = true
  local last = appended
  wal:fdatasync()
  durable, syncing = last, false
  synced:pulse()
end

local function together()
  wal:append(p.record)
  appended = appended + 1
  local mine = appended
  while durable < mine do
    if syncing then synced:wait() else lead() end
  end
end

local rows = report.rows("sync", "commits/sync")
for _, way in ipairs { { "each its own", alone }, { "one for all", together } } do
  local name, commit = way[1], way[2]
  local s = phase(name, { duration = p.time }, clients("session", p.clients, commit)).session
  rows:add(name, s.iteration, s.fdatasync.count > 0 and report.figure(s.iteration.count / s.fdatasync.count) or "-")
end
rows:print()
