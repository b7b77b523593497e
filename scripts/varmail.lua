-- varmail: a mail server's spool: deletes, deliveries with a sync, replies and reads of small files
--
-- Each thread of the server goes round: it deletes a message, delivers a new one (create, append, sync), adds to
-- another (open, read, append, sync) and reads a third whole. Sizes are spread around a mean, many small and few large.
--
-- In the result: spans deliver, reply and fetch are what a user waits for; the operations beneath them,
-- create, fsync, unlink and so on, tell where the time goes.
local p = params {
  files   = { 200, "messages in the spool", min = 1, max = 100000 },
  mean    = { "16KiB", "mean size of a message", min = "1KiB", max = "16MiB" },
  threads = { 16, "threads of the server", min = 1 },
  time    = { "10s", "measured time" },
}
if p.files < p.threads then error("files: there must be a message for each of the threads", 2) end

mkdir("spool")
local function path(i) return ("spool/%d"):format(i) end

-- Exponential: of a mean of 16 KiB, a quarter are below 5 KiB and a quarter above 22 KiB.
local function size() return math.ceil(-math.log(rand(1, 1000000) / 1000000) * p.mean) + 1 end

-- A message is in one thread's hands at a time; those that are there lie in front.
local there, gone = {}, {}
for i = 1, p.files do
  local f = open(path(i))
  f:append(size())
  f:close()
  there[i] = i
end

local function take(list)
  local n = rand(#list)
  local i = list[n]
  list[n] = list[#list]
  list[#list] = nil
  return i
end

local function deliver(i)
  local f = open(path(i))
  f:append(size())
  f:fsync()
  f:close()
end

local function reply(i)
  local f = open(path(i))
  f:read(f:size(), 0)
  f:append(size())
  f:fsync()
  f:close()
end

local function fetch(i)
  local f = open(path(i), { write = false })
  f:read(f:size(), 0)
  f:close()
end

-- Does something to a message, unless the others have them all in their hands.
local function with(from, to, fn)
  if #from == 0 then return end
  local i = take(from)
  fn(i)
  to[#to + 1] = i
end

phase("mail", { duration = p.time }, clients("server", p.threads, function()
  with(there, gone, function(i) unlink(path(i)) end)
  with(gone, there, function(i) span("deliver", function() deliver(i) end) end)
  with(there, there, function(i) span("reply", function() reply(i) end) end)
  with(there, there, function(i) span("fetch", function() fetch(i) end) end)
end))
