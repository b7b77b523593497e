-- dd: one block after another, as dd writes, reads and copies, with its closing lines
--
-- The quick look at a disk: dd if=/dev/zero of=F bs=32k count=40k oflag=dsync is moonio run dd with -p before each word. What
-- is read from /dev/zero or /dev/urandom is not read at all, but written: the first as zeros, the second as data that does not
-- compress. What is read from a file that is not there is laid out first. One operation is made at a time, by pread and pwrite.
-- A file that was just written is still in memory without oflag=direct, dsync or conv=fsync: then that is what was measured.
-- In the last line, the time is the operations' and that of a sync at the end; opening and laying out are not in it, nor is the
-- time that dd takes to fill its buffer. In the report, each operation's own time stands.
local p = params {
  ["if"] = { "/dev/zero", "what is read: /dev/zero, /dev/urandom, or a file in the run's directory" },
  of     = { "data", "what is written: a file in the run's directory, or /dev/null" },
  bs     = { "1M", "bytes in one operation; dd's own default is 512", min = 1, max = "2047M" },
  count  = { "", "operations, where 1k is 1024; default: all of a file, or 256 where there is no end" },
  skip   = { "0k", "blocks of the input that are left out first, where 1k is 1024" },
  seek   = { "0k", "blocks of the output that are left out first, where 1k is 1024" },
  iflag  = { "none", "how the input is read", choice = { "none", "direct" } },
  oflag  = { "none", "how the output is written",
    choice = { "none", "direct", "dsync", "sync", "direct,dsync", "direct,sync" } },
  conv   = { "none", "what is synced at the end, and whether the output is kept as it is beyond what is written",
    choice = { "none", "fsync", "fdatasync", "notrunc", "notrunc,fsync", "notrunc,fdatasync" } },
}

local endless = { ["/dev/zero"] = "zero", ["/dev/urandom"] = "random" }
local from, to, bs = p["if"], p.of, p.bs
local count = p.count ~= "" and bytes(p.count) or nil
local sync = p.conv:match("fd?a?t?a?sync")
local function wrong(text) error(text, 2) end

if endless[from] and p.iflag ~= "none" then wrong("iflag=" .. p.iflag .. ": " .. from .. " cannot be read so: give if=FILE") end
if to == "/dev/null" and (p.oflag ~= "none" or p.conv ~= "none" or p.seek > 0) then
  wrong("of=/dev/null: oflag, conv and seek are for a file that is written")
end
if endless[from] and to == "/dev/null" then wrong("from " .. from .. " to /dev/null there is no storage in between") end
if from == to then wrong("if and of are the same file") end

-- The input, and how many bytes of it there are.
local input, all
if endless[from] then
  all = (count or 256) * bs
else
  local size = stat(from)
  if not size then size = (p.skip + (count or 256)) * bs end
  input = open(from, { size = size, direct = p.iflag == "direct" })
  if p.iflag ~= "direct" then input:invalidate() end
  all = math.max(0, size - p.skip * bs)
  if count then all = math.min(all, count * bs) end
end

local output
if to ~= "/dev/null" then
  local keep, begin = p.conv:find("notrunc"), p.seek * bs
  output = open(to, {
    direct = p.oflag:find("direct") ~= nil, truncate = not keep and begin == 0,
    sync = p.oflag:match("dsync") or p.oflag:match("sync") or "none",
  })
  if not keep and begin > 0 then output:truncate(begin) end
end

-- What grows a new file is appended; elsewhere, and where there is an input too, each operation says its place.
local grows = output and not input and p.seek == 0 and not p.conv:find("notrunc")

local function job(block, n, at)
  if input and not output and block < bs then -- at the end it asks for a whole block too
    return clients("dd", 1, function() input:read(bs, p.skip * bs + at) end)
  elseif input and not output then
    return stream("dd", { file = input, op = "read", block = block, at = sequential(),
      offset = p.skip * bs + at, size = n * block, ops = n })
  elseif grows then
    return stream("dd", { file = output, op = "append", block = block, ops = n, data = endless[from] })
  end
  return clients("dd", 1, function()
    if input then input:read(block, p.skip * bs + at) end
    output:write(block, p.seek * bs + at)
    at = at + block
  end)
end

local done = { whole = 0, part = 0, bytes = 0, seconds = 0 }
local function play(name, block, n, at)
  if n == 0 then return end
  local r = phase(name, { engine = "psync", iterations = n }, job(block, n, at))
  local op = combine(grows and r.dd.append or output and r.dd.write or r.dd.read)
  local field = block == bs and "whole" or "part"
  done[field] = done[field] + op.count
  done.bytes, done.seconds = done.bytes + op.bytes, done.seconds + r.duration
end

local whole, rest = math.floor(all / bs), all % bs
play("dd", bs, whole, 0)
play("last block", rest, math.ceil(rest / bs), whole * bs)
if sync and all > 0 then
  done.seconds = done.seconds + phase("sync", { engine = "psync", iterations = 1 },
    clients("dd", 1, function() output[sync](output) end)).duration
end

-- 134 MB, 128 MiB: two digits below ten, none behind the point above.
local function human(n, base, units)
  local e = 0
  while n >= base - 0.5 and e < #units do n, e = n / base, e + 1 end
  return (n < 9.95 and "%.1f %s" or "%.0f %s"):format(n, units[e] or "B"), e
end
-- 83.3 MB/s, 313 MB/s
local function rate(n)
  local e = 1
  n = n / 1000
  while n >= 1000 and e < 5 do n, e = n / 1000, e + 1 end
  return (n < 99.95 and "%.1f %s/s" or "%.0f %s/s"):format(n, ({ "kB", "MB", "GB", "TB", "PB" })[e])
end

local si, e = human(done.bytes, 1000, { "kB", "MB", "GB", "TB", "PB" })
local iec, e2 = human(done.bytes, 1024, { "KiB", "MiB", "GiB", "TiB", "PiB" })
local sizes = e2 > 0 and (" (%s, %s)"):format(si, iec) or e > 0 and (" (%s)"):format(si) or ""
if done.bytes > 0 or all == 0 then
  print(("%d+%d records in\n%d+%d records out"):format(done.whole, done.part, done.whole, done.part))
  print(("%d byte%s%s copied, %.6g s, %s"):format(done.bytes, done.bytes == 1 and "" or "s", sizes, done.seconds,
    rate(done.seconds > 0 and done.bytes / done.seconds or 0)))
end
