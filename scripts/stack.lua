-- stack: the same operations answered by the disk and by memory: what is the device's, what the software's
--
-- An operation that memory answers passes the program, the system call and the file system, and no device. What it takes is the
-- software's share; what the same takes past the page cache, less that, is the storage's. The same script with --dir on a tmpfs
-- (/dev/shm, say) and direct = false shows a file system made for memory: compare the two results.
--
-- In the table, a row is a kind of operation on the disk (direct, synced) or in memory (through the page cache). In the last column
-- stands how many times as long it takes as in memory.
local direct, report = require "direct", require "report"

local p = params {
  block  = { "4KiB", "bytes in one operation", min = 512, max = "64MiB" },
  depth  = { 1, "operations in flight", min = 1 },
  engine = { "psync", "engine of the threads, which has each operation made by one call", choice = { "psync", "io_uring", "libaio", "pool" } },
  size   = { "64MiB", "size of the files, which must fit into memory", min = "1MiB" },
  time   = { "3s", "measured time of each step" },
  direct = { true, "on the disk, bypass the page cache; otherwise only syncs reach it" },
}

local where = storage()
local disk = direct.open("disk", { size = p.size, direct = p.direct })
local durable = direct.open("disk", { size = p.size, direct = p.direct, sync = "dsync" })
local memory = open("memory", { size = p.size })

local function measure(name, file, op)
  local r = phase(name, { duration = p.time, engine = p.engine },
    stream("ops", { file = file, op = op, block = p.block, at = random(), depth = p.depth }))
  return r.ops[op]
end

-- What is not in memory yet comes there first, and is not measured.
for at = 0, p.size - 1, MiB(1) do memory:read(math.min(MiB(1), p.size - at), at) end

local rows = report.rows(where.type ~= "" and "on " .. where.type or "on " .. where.engine, "of memory's")
for _, op in ipairs { "read", "write" } do
  local fast = measure(op .. "s, memory", memory, op)
  memory:fsync() -- what is written back must not cost the disk's turn
  local function add(name, slow)
    rows:add(name, slow, fast.count > 0 and fast.mean > 0 and report.figure(slow.mean / fast.mean) .. " ×" or "-")
  end
  add(op .. "s, memory", fast)
  add(op .. "s, disk", measure(op .. "s, disk", disk, op))
  if op == "write" then add("durable writes", measure("durable writes", durable, op)) end
end
rows:print()
