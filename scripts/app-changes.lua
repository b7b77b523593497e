-- app-changes: three changes to a program, each measured before and after
--
-- Eight writes of 4 KiB and a sync, or one write of 32 KiB and a sync. A file that is opened for each record, or kept open. A log whose
-- every record is synced, or one that syncs for a batch. None needs another disk, and each is often worth more than one.
--
-- In the table, two rows belong together: a unit of the same work before and after the change. In the last column stands how many
-- times as many units are done in the same time.
local report = require "report"

local p = params {
  small  = { "4KiB", "bytes in a small write, and in a record", min = 1, max = "1MiB" },
  merge  = { 8, "small writes that become one", min = 2, max = 1024 },
  batch  = { 16, "records of a log that are synced together", min = 2, max = 1024 },
  size   = { "64MiB", "size of the files", min = "1MiB" },
  time   = { "3s", "measured time of each step" },
}

local data, log = open("data", { size = p.size }), open("log", { size = p.size })

local changes = {
  { p.merge .. " writes and a sync", function()
    for _ = 1, p.merge do data:append(p.small) end
    data:fdatasync()
  end, "one write and a sync", function()
    data:append(p.merge * p.small)
    data:fdatasync()
  end },
  { "opened for each", function()
    local f = open("data")
    f:write(p.small, 0)
    f:close()
  end, "kept open", function() data:write(p.small, 0) end },
  { "each record synced", function()
    for _ = 1, p.batch do
      log:append(p.small)
      log:fdatasync()
    end
  end, "records synced together", function()
    for _ = 1, p.batch do log:append(p.small) end
    log:fdatasync()
  end },
}

local rows = report.rows("unit of work", "done")
local function measure(name, fn)
  local op = phase(name, { duration = p.time, engine = "psync" }, clients("program", 1, fn)).program.iteration
  data:fsync() -- what one has left in memory must not cost the next
  return op
end
for _, c in ipairs(changes) do
  local before, after = measure(c[1], c[2]), measure(c[3], c[4])
  rows:add(c[1], before)
  rows:add(c[3], after, before.iops > 0 and report.figure(after.iops / before.iops) .. " ×" or "-")
end
rows:print()
