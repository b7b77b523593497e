-- kafka: partitions whose segments are appended to, rolled and deleted, with consumers that read behind
--
-- A message broker's storage. Each partition has a producer that appends batches to the newest segment, begins another
-- when it is full and deletes the oldest, and a consumer that reads the same batches after it, in order. Nothing is
-- synced: a broker relies on its replicas, and the page cache answers consumers that keep up.
--
-- In the result: producer append and consumer read are what clients of the broker wait for; producer roll is a
-- segment's change, with create, close and unlink beneath it.
local p = params {
  partitions = { 4, "partitions", min = 1, max = 10000 },
  batch      = { "16KiB", "bytes in one batch", min = 1, max = "64MiB" },
  segment    = { "8MiB", "size of a segment", min = "64KiB" },
  keep       = { 4, "segments of a partition that are kept", min = 2 },
  pause      = { "2ms", "between two batches of one producer", min = "10us" },
  time       = { "10s", "measured time" },
}

-- A partition's segments by number, those from first to last. The consumer is at a byte of one of them.
local function partition(n)
  local part = { name = "topic-" .. n, first = 1, last = 0, files = {}, at = 1, offset = 0 }
  mkdir(part.name)
  return part
end

local parts = {}
for n = 1, p.partitions do parts[n] = partition(n) end

local function roll(part)
  part.last = part.last + 1
  part.files[part.last] = open(("%s/%08d.log"):format(part.name, part.last))
  -- A consumer that is still at the oldest segment holds it.
  while part.last - part.first >= p.keep and part.first < part.at do
    local old = part.first
    part.first = old + 1
    part.files[old]:close()
    part.files[old] = nil
    unlink(("%s/%08d.log"):format(part.name, old))
  end
end

local function produce(n)
  local part = parts[n]
  local log = part.files[part.last]
  if not log or log:tail() + p.batch > p.segment then
    span("roll", function() roll(part) end)
    log = part.files[part.last]
  end
  log:append(p.batch)
  sleep(p.pause)
end

local function consume(n)
  local part = parts[n]
  local log = part.files[part.at]
  if log and part.offset + p.batch <= log:size() then
    log:read(p.batch, part.offset)
    part.offset = part.offset + p.batch
  elseif part.at < part.last then
    part.at, part.offset = part.at + 1, 0
  else
    sleep(p.pause)
  end
end

phase("broker", { duration = p.time },
  clients("producer", p.partitions, produce),
  clients("consumer", p.partitions, consume))
