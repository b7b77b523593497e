-- reads: 4 KiB random reads of one file, as a stream or by clients
local p = params {
  time    = { "5s",   "measured time" },
  depth   = { 32,     "operations in flight" },
  clients = { false,  "made by clients, one for each operation in flight" },
  direct  = { true,   "past the page cache" },
  threads = { 1,      "worker threads" },
}

local f
if stat("bench.dat") then
  f = open("bench.dat", { direct = p.direct, write = false })
else
  f = open("bench.dat", { size = "1GiB", direct = p.direct })
end

local job
if p.clients then
  local at = random()
  job = clients("reads", p.depth, function() f:read(4096, at) end)
else
  job = stream("reads", { file = f, op = "read", block = "4KiB", at = random(), depth = p.depth })
end

phase("reads", { duration = p.time, warmup = "500ms", threads = p.threads }, job)
