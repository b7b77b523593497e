-- A storage benchmark for moonio. Run it:      moonio run FILE
-- without touching storage, in no time:        moonio run FILE --engine sim
-- with other parameters:                       moonio run FILE -p time=30s -p depth=32
--
-- The top level runs once, from top to bottom. `moonio editor .` makes editors complete all of this.

-- Parameters: a default, whose unit gives the type, and a line of help. -p sets them.
local p = params {
  size  = { "64MiB", "size of the file" },
  block = { "4KiB",  "bytes per operation" },
  depth = { 8,       "reads in flight" },
  time  = { "3s",    "measured time" },
}

-- Files live in the run's directory, which is removed at the end. This one is
-- filled with data first, and then read past the page cache.
local data = open("data", { size = p.size, direct = true })

-- A phase runs its jobs side by side and is measured by itself. A stream is a
-- load that is known beforehand: it keeps `depth` operations in flight, or with
-- rate = "5k/s" and arrival = "poisson" issues them at that rate.
local r = phase("random reads", { duration = p.time },
  stream("reads", { file = data, op = "read", block = p.block, at = random(), depth = p.depth }))

-- Clients are code: every call of the function is one turn, every operation in
-- it looks blocking and is timed under its own name.
local log = open("log")
phase("commits beside reads", { duration = p.time }, {
  stream("reads", { file = data, op = "read", block = p.block, at = zipf(1.1), depth = p.depth }),
  clients("writers", 4, function()
    log:append("4KiB")
    log:fdatasync()
  end),
})

-- Results are values, in seconds and bytes. What is expected and does not hold is
-- reported, and the exit code is 4.
expect(r.reads.read.p99 < ms(500), "99 of 100 reads take less than 500 ms")
