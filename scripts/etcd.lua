-- etcd: whether a disk is fast enough for etcd's log: small writes, each with an fdatasync
--
-- One writer appends entries of the size that a small cluster's member writes, and syncs each. etcd's guide asks for 99
-- of 100 syncs within 10 ms; a slower disk makes leaders time out.
--
-- In the result: member fdatasync, its p99 above all. The run fails (exit code 4) if the target is missed, so that it
-- can be a gate.
local p = params {
  entry  = { "2300B", "bytes in one entry", min = 1, max = "64MiB" },
  total  = { "22MiB", "bytes that are written in all", min = "1MiB" },
  time   = { "20s", "longest time; a disk that needs longer is slow anyway" },
  target = { "10ms", "p99 of the syncs that is asked for" },
}

local wal = open("0000000000000000.wal", { size = p.total, layout = "allocate" })

local r = phase("commit", { duration = p.time, bytes = p.total }, clients("member", 1, function()
  wal:append(p.entry)
  wal:fdatasync()
end))

expect(r.member.fdatasync.p99 < p.target, "99 of 100 syncs take less than " .. format_duration(p.target))
