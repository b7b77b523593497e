-- replay: plays a captured workload, at its times or otherwise, against other storage
--
-- The trace says what was done, when, and where; this does it again: at the captured times, faster or slower, as fast as
-- possible, or as a closed loop for each of the trace's processes. What the trace was of becomes files that are laid out first,
-- unless map names others. `moonio replay FILE` runs this script; without a trace it plays a short one of fio's, as an example.
-- In the report, how late operations were issued stands apart from how long they took, and what was left out or changed is
-- counted with the reason.
local p = params {
  trace      = { "builtin:example", "the trace's files, with ; between them; - is standard input" },
  format     = { "", "the trace's format, as NAME or NAME:KEY=VALUE; default: it is recognised" },
  timing     = { "captured", "when operations are issued", choice = { "captured", "fast", "dependent", "streams" } },
  speed      = { 1, "2 is twice as fast as captured", min = 0.000001 },
  depth      = { 0, "most operations in flight; default: 1024, or 32 with timing=fast", min = 0 },
  from       = { "0s", "leave out what was before, since the trace's start" },
  to         = { "0s", "leave out what was after; 0s: to the end" },
  max_gap    = { "0s", "cut longer idle times to this; 0s: as they are" },
  loops      = { 1, "how often it is played", min = 1 },
  address    = { "auto", "what happens to offsets", choice = { "auto", "keep", "error", "wrap", "scale", "compact", "clamp", "skip" } },
  align      = { "expand", "what happens to operations that are not aligned", choice = { "expand", "nearest", "split", "drop" } },
  overlap    = { "allow", "what happens to one that overlaps one in flight", choice = { "allow", "order", "drop" } },
  late       = { "catch-up", "what happens to one that is late", choice = { "catch-up", "shift", "drop", "abort" } },
  late_limit = { "0s", "how late, for shift, drop and abort" },
  size       = { "0B", "size of each target; 0B: as the trace needs it" },
  direct     = { "captured", "whether the page cache is bypassed: as it was, or for devices", choice = { "captured", "true", "false" } },
  one        = { false, "all that the trace is of in one file" },
  map        = { "", "targets by the trace's names, as NAME=FILE with ; between; NAME can be a pattern" },
  skip_bad   = { false, "play the trace although more than 1 % of its lines cannot be read, or it is cut off" },
  on_error   = { "stop", "whether the first failed operation ends the run", choice = { "stop", "count" } },
  threads    = { 1, "worker threads", min = 1 },
}

local function some(value, none)
  if value ~= none then return value end
end

local paths, files = {}, nil
for path in p.trace:gmatch("[^;]+") do paths[#paths + 1] = path end

-- Whether the page cache is bypassed: nil leaves it to what the trace says of each file.
local direct
if p.direct ~= "captured" then direct = p.direct == "true" end

-- A file that map names is opened before the trace is read through: its first record decides.
local function bypass()
  if direct ~= nil then return direct end
  for io in trace.open(paths, { format = some(p.format, "") }) do return io.direct ~= false end
end

for entry in p.map:gmatch("[^;]+") do
  local name, target = entry:match("^(.-)=(.+)$")
  if not name then error(("map: %q is not NAME=FILE"):format(entry), 0) end
  files = files or {}
  files[name] = open(target, { size = some(p.size, 0), direct = bypass() })
end

local job = replay("replay", {
  trace = paths, format = some(p.format, ""), timing = p.timing, speed = p.speed, depth = some(p.depth, 0),
  from = p.from, to = p.to, max_gap = p.max_gap, loops = p.loops,
  address = some(p.address, "auto"), align = p.align, overlap = p.overlap,
  late = p.late, late_limit = some(p.late_limit, 0),
  size = some(p.size, 0), direct = direct, one = p.one, files = files, skip_bad = p.skip_bad,
})
phase("replay", { threads = p.threads, on_error = p.on_error }, job)
