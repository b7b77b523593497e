---@meta report
--- Tables that a script prints: its phases side by side, one row each, in one unit.
local report = {}

-- A character's first byte; those that follow are from 128 to 191.
local function width(s)
  local n = 0
  for i = 1, #s do
    local b = s:byte(i)
    if b < 128 or b > 191 then n = n + 1 end
  end
  return n
end

local function pad(s, to, left)
  local space = (" "):rep(to - width(s))
  return left and s .. space or space .. s
end

---Prints rows of texts in columns that are as wide as they need to be, the first to the left and the others to the right.
---@param head string[]
---@param rows string[][]
function report.columns(head, rows)
  local widths = {}
  for i in ipairs(head) do
    widths[i] = width(head[i])
    for _, row in ipairs(rows) do
      widths[i] = math.max(widths[i], width(row[i] or ""))
    end
  end
  for r = 0, #rows do
    local row, cells = rows[r] or head, {}
    for i in ipairs(head) do
      cells[i] = pad(row[i] or "", widths[i], i == 1)
    end
    print((table.concat(cells, "  "):gsub("%s+$", "")))
  end
end

---A number with three digits, as figures of measurements are read; "-" for none.
---@param x number
---@return string
function report.figure(x)
  if x ~= x then return "-" end
  local size = math.abs(x)
  if size >= 99.95 or size == 0 then return ("%.0f"):format(x) end
  if size >= 9.995 then return ("%.1f"):format(x) end
  return (size >= 0.1 and "%.2f" or "%.2g"):format(x)
end

---Rows of what was measured, one for each phase or operation.
---@class report.Rows
local Rows = {}
Rows.__index = Rows

---Begins a table.
---@param label string head of the first column, such as "depth"
---@param note? string head of a last column
---@return report.Rows
function report.rows(label, note)
  return setmetatable({ label = label, note = note or "", list = {} }, Rows)
end

---Adds a row: what an operation did, and how long it took.
---@param name string|number the first column
---@param op OpResult
---@param note? string the last column
---@param latency? LatencyResult default: op, its service times; op.response are those from the intended start
function Rows:add(name, op, note, latency)
  self.list[#self.list + 1] = { name = tostring(name), op = op, note = note or "", latency = latency or op }
end

-- The unit in which the smallest latency still has digits.
local function unit(list)
  local least = math.huge
  for _, row in ipairs(list) do
    if row.latency.p50 > 0 then least = math.min(least, row.latency.p50) end
  end
  if least < 0.01 then return 1e6, "µs" end
  if least < 10 then return 1e3, "ms" end
  return 1, "s"
end

local shown = { "mean", "p50", "p99", "p999", "max" }

---Prints the rows, what is said of them, and an empty line. Nothing is printed if nothing was measured, as in
---`moonio check`.
---@param ... string lines below the rows
function Rows:print(...)
  local count, bytes, notes = 0, 0, self.note ~= ""
  for _, row in ipairs(self.list) do
    count, bytes, notes = count + row.op.count, bytes + row.op.bytes, notes or row.note ~= ""
  end
  if count == 0 then return end

  local per, name = unit(self.list)
  local head = { self.label, "IOPS" }
  if bytes > 0 then head[#head + 1] = "MiB/s" end
  for _, f in ipairs(shown) do
    head[#head + 1] = f:gsub("p999", "p99.9") .. " " .. name
  end
  if notes then head[#head + 1] = self.note end

  local rows = {}
  for i, row in ipairs(self.list) do
    local cells = { row.name, report.figure(row.op.iops) }
    if bytes > 0 then cells[#cells + 1] = report.figure(row.op.bandwidth / MiB(1)) end
    for _, f in ipairs(shown) do
      cells[#cells + 1] = report.figure(row.latency[f] * per)
    end
    if notes then cells[#cells + 1] = row.note end
    rows[i] = cells
  end
  report.columns(head, rows)
  for _, line in ipairs { ... } do print(line) end
  print()
end

return report
