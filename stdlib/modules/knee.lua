---@meta knee
--- Where more load stops paying: for ladders of depths, clients, block sizes or rates.
---
--- A point's latency may be any of its latencies, as long as it is the same for all: the mean says what
--- the load pays on average, p99 what its slowest operations pay. Points at which nothing was measured are
--- passed over.
local knee = {}

---What was measured at one load, from the least to the greatest.
---@class knee.Point
---@field load number such as the depth
---@field throughput number operations or bytes per second
---@field latency? number in seconds; only `find` needs it

---The knee: the point with the most throughput for its latency (their quotient is highest). Below it more load
---buys throughput, above it mostly waiting.
---@param points knee.Point[]
---@return knee.Point? point nothing, if nothing was measured
function knee.find(points)
  local best, power = nil, 0
  for _, p in ipairs(points) do
    if p.throughput > 0 and p.latency and p.latency > 0 and p.throughput / p.latency > power then
      best, power = p, p.throughput / p.latency
    end
  end
  return best
end

---The highest throughput of the first n points.
---@param points knee.Point[]
---@param n? integer default: all
---@return number throughput 0, if nothing was measured
function knee.highest(points, n)
  local most = 0
  for i = 1, n or #points do
    most = math.max(most, points[i].throughput)
  end
  return most
end

---The least load that has nearly the highest throughput.
---@param points knee.Point[]
---@param share? number how near, from 0 to 1. Default: 0.95.
---@return knee.Point? point nothing, if nothing was measured
function knee.enough(points, share)
  local most = knee.highest(points)
  for _, p in ipairs(points) do
    if p.throughput > 0 and p.throughput >= (share or 0.95) * most then return p end
  end
end

---Whether throughput has stopped growing: the last two points brought next to nothing over those before them.
---@param points knee.Point[]
---@param growth? number what is worth going on for, as a share. Default: 0.05.
---@return boolean
function knee.flat(points, growth)
  local before = knee.highest(points, #points - 2)
  return before > 0 and knee.highest(points) < before * (1 + (growth or 0.05))
end

return knee
