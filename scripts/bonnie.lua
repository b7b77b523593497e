-- bonnie: what bonnie++ does to a file system: bytes, blocks, rewrites, seeks, and many small files
--
-- The tests, their order and the table are bonnie++'s, and so are the parameters' names. One byte at a time means one call for each byte,
-- as bonnie++ 2 makes them: a program's own buffer in front of that, as stdio's, turns them into block writes. Blocks are written to a
-- new file, and synced at the end. Instead of a file twice as large as memory, each test that reads begins with none of it in memory.
-- Then files are made, looked up and deleted, in the order of their names and in a random one.
-- In the table, rates are KiB/s (k), MiB/s (m) or per second, with the share of a processor in per cent; figures stand there too where bonnie++ leaves out what
-- took less than half a second; a latency is that of the slowest operation.
local p = params {
  s     = { "256M", "size of the file", min = "1M" },
  chunk = { "8k", "bytes in a block", min = 512 },
  chars = { "512k", "how much of it is written and read a byte at a time; bonnie++: all of it", min = 1 },
  f     = { false, "fast: nothing is done a byte at a time" },
  n     = { 1, "files in multiples of 1024; 0: none", min = 0, max = 100 },
  size  = { "0k", "size of each of these files", max = "64MiB" },
  seeks = { 8192, "random seeks, all seekers together", min = 1 },
  procs = { 5, "seekers at the same time", min = 1, max = 64 },
  b     = { false, "no write buffering: a sync after every write, and after each file that is made" },
  D     = { false, "bypass the page cache" },
}

local blocks = math.floor(p.s / p.chunk)
if blocks == 0 then error("s: the file is smaller than a chunk", 2) end
local chars = math.min(p.chars, p.s)

local columns = { [true] = {}, [false] = {} } -- of the upper table, of the lower one
local function measured(upper, op, seconds, moved, cpu)
  local list = columns[upper]
  if op.count == 0 then list[#list + 1] = { "", "", "" } return end
  local rate
  if moved then
    local n, unit = moved / 1024 / seconds, 1
    while n >= 10000 and unit < 4 do n, unit = n / 1024, unit + 1 end
    rate = ("%.0f%s"):format(n, ({ "k", "m", "g", "t" })[unit])
  else
    local n = op.count / seconds
    rate = n < 100 and ("%.1f"):format(n) or n < 99999.5 and ("%.0f"):format(n) or ("%.0fk"):format(n / 1000)
  end
  local wait, unit = op.max * 1e6, 1
  while wait >= 100000 and unit < 3 do wait, unit = wait / 1000, unit + 1 end
  list[#list + 1] = { rate, ("%.0f"):format(100 * (cpu.user + cpu.system) / seconds),
    ("%.0f%s"):format(wait, ({ "us", "ms", "s" })[unit]) }
end

local engine = "psync"
local function bulk(name, options)
  options.depth, options.fsync = 1, p.b and options.op ~= "read" and 1 or nil
  local r = phase(name, { engine = engine }, stream("bonnie", options))
  local op = r.bonnie[options.op]
  measured(true, op, r.duration, op.bytes, r.cpu)
end

local function blank() measured(true, { count = 0 }) end
if p.f then blank() else
  bulk("writing a byte at a time", { file = open("chars"), op = "append", block = 1, ops = chars, sync_at_end = "fsync" })
end
bulk("writing blocks", { file = open("blocks", { direct = p.D }), op = "append", block = p.chunk, ops = blocks, sync_at_end = "fsync" })

local file = open("blocks", { direct = p.D })
file:invalidate()
local length, at = blocks * p.chunk, 0
local r = phase("rewriting", { engine = engine, iterations = blocks }, clients("bonnie", 1, function()
  file:read(p.chunk, at)
  file:write(p.chunk, at)
  if p.b then file:fsync() end
  at = at + p.chunk
end))
file:fsync()
measured(true, r.bonnie.iteration, r.duration, r.bonnie.write.bytes, r.cpu)

if p.f then blank() else
  local f = open("chars")
  f:invalidate()
  bulk("reading a byte at a time", { file = f, op = "read", block = 1, at = sequential(), size = chars, ops = chars })
end
file:invalidate()
bulk("reading blocks", { file = file, op = "read", block = p.chunk, at = sequential(), size = length, ops = blocks })

file:invalidate()
r = phase("seeking", { iterations = p.seeks }, clients("bonnie", p.procs, { threads = p.procs, engine = engine }, function()
  local place = rand(0, blocks - 1) * p.chunk
  file:read(p.chunk, place)
  if chance(0.1) then file:write(p.chunk, place) end
end))
measured(true, r.bonnie.iteration, r.duration, nil, r.cpu)

-- Makes, looks up and deletes files; random names are in no order, and neither is what is done with them then.
local function files(kind, names, order)
  local function each(what, fn)
    local i = 0
    local r = phase(what .. " files in " .. kind .. " order", { engine = engine, iterations = #names },
      clients("bonnie", 1, function()
        i = i + 1
        fn(i)
      end))
    measured(false, r.bonnie.iteration, r.duration, nil, r.cpu)
  end
  each("making", function(i)
    local f = open(names[i])
    if p.size > 0 then f:append(p.size) end
    if p.b then f:fsync() end
    f:close()
  end)
  each("looking up", function(i)
    stat(names[order[i]])
    if p.size > 0 then
      local f = open(names[order[i]], { write = false })
      f:read(p.size, 0)
      f:close()
    end
  end)
  each("deleting", function(i) unlink(names[order[i]]) end)
end

if p.n > 0 then
  mkdir("bonnie")
  local straight, shuffled, sorted, mixed = {}, {}, {}, {}
  for i = 1, p.n * 1024 do
    straight[i], shuffled[i] = i, i
    sorted[i] = ("bonnie/%010d"):format(i)
    mixed[i] = ("bonnie/%07x%06d"):format(rand(0, 2 ^ 28 - 1), i)
  end
  for i = #shuffled, 2, -1 do
    local j = rand(i)
    shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
  end
  files("sequential", sorted, straight)
  files("random", mixed, shuffled)
end

local function lines(label, list, title, titles)
  local rates, waits = ("%-15s%5s"):format(label[1], label[2]), ("%-20s"):format("Latency")
  for i, c in ipairs(list) do
    rates, waits = rates .. ("%6s %3s"):format(c[1], c[2]), waits .. ("%9s "):format(c[3])
  end
  print(title)
  for _, line in ipairs(titles) do print(line) end
  print((rates:gsub("%s+$", "")))
  print((waits:gsub("%s+$", "")))
end

local function size(n)
  local e = 1
  while n >= 1024 and n % 1024 == 0 and e < 4 do n, e = n / 1024, e + 1 end
  return n .. ({ "", "k", "M", "G" })[e]
end

if r.bonnie.read.count > 0 then
  lines({ "moonio", size(p.s) }, columns[true],
    "                    ------Sequential Output------ --Sequential Input- --Random-", {
    "                    -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--",
    "Name:Size etc        /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP" })
  if p.n > 0 then
    lines({ "", tostring(p.n) }, columns[false],
      "                    ------Sequential Create------ --------Random Create--------", {
      "                    -Create-- --Read--- -Delete-- -Create-- --Read--- -Delete--",
      "              files  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP" })
  end
  print()
end
