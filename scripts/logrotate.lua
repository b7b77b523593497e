-- logrotate: writers append lines to a log that is rotated at a size, with the oldest file deleted
--
-- What a service's logger does. Writers take turns at the log; the one whose line would make it too long
-- closes it, renames app.log.1 to app.log.2 and so on from the oldest down, app.log to app.log.1, and begins
-- a new one. Meanwhile the others wait.
--
-- In the result:
--   writer line       a line from the wish to log it until it is written: what the service waits
--   writer rotation   a whole rotation; compare its max with that of line
--   writer append     writing the line alone, mostly into the page cache
--   writer unlink, rename, close, create, fdatasync   the steps of a rotation
local p = params {
  line    = { "200B", "bytes in one line", min = 1, max = "64MiB" },
  limit   = { "1MiB", "size at which the log is rotated", min = "1KiB" },
  keep    = { 5, "rotated files that are kept", min = 1, max = 1000 },
  writers = { 8, "writers that share the log", min = 1 },
  pause   = { "1ms", "between two lines of one writer" },
  sync    = { "rotation", "what is made durable: each line, the log before a rotation, or nothing",
              choice = { "line", "rotation", "none" } },
  time    = { "10s", "measured time" },
}

local function rotated(i) return "app.log." .. i end

-- Files that an earlier run has kept in the same directory.
local files = 0
while files < p.keep and stat(rotated(files + 1)) do files = files + 1 end

local log = open("app.log")
local turn = semaphore(1)

local function rotate()
  if p.sync == "rotation" then log:fdatasync() end
  log:close()
  if files == p.keep then
    unlink(rotated(files))
    files = files - 1
  end
  for i = files, 1, -1 do rename(rotated(i), rotated(i + 1)) end
  rename("app.log", rotated(1))
  files = files + 1
  log = open("app.log")
end

local function line()
  turn:acquire()
  if log:size() + p.line > p.limit then span("rotation", rotate) end
  log:append(p.line)
  if p.sync == "line" then log:fdatasync() end
  turn:release()
end

phase("logging", { duration = p.time }, clients("writer", p.writers, function()
  span("line", line)
  if p.pause > 0 then sleep(p.pause) end
end))
