---@meta steady
--- Whether a device has settled: a new or idle one is faster than it will be.
local steady = {}

---Whether the last values of a series hold still, as SNIA's performance test specification asks for: they lie within a
---fifth of their mean, and the straight line through them rises or falls by no more than a tenth of it.
---@param values number[] such as each round's IOPS
---@param window? integer how many of the last values count. Default: 5.
---@param spread? number largest less smallest, as a share of the mean. Default: 0.2.
---@param drift? number the line's rise or fall over the window, as a share of the mean. Default: 0.1.
---@return boolean
---@return number? mean of the window, if the values fill it
function steady.reached(values, window, spread, drift)
  local n = window or 5
  if #values < n then return false end
  local sum, low, high = 0, math.huge, -math.huge
  for i = #values - n + 1, #values do
    sum, low, high = sum + values[i], math.min(low, values[i]), math.max(high, values[i])
  end
  local mean = sum / n
  local rise = math.abs(steady.slope(values, n)) * (n - 1)
  return high - low <= (spread or 0.2) * mean and rise <= (drift or 0.1) * mean, mean
end

---The slope of the straight line nearest to the last values: their change from one to the next.
---@param values number[]
---@param window integer how many of the last values count, at least 2
---@return number
function steady.slope(values, window)
  local middle, sum, squares = (window - 1) / 2, 0, 0
  for i = 0, window - 1 do
    sum = sum + (i - middle) * values[#values - window + 1 + i]
    squares = squares + (i - middle) ^ 2
  end
  return sum / squares
end

return steady
