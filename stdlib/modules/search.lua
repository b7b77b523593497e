---@meta search
--- Searches for the highest load that is still good.
local search = {}

---Where to search.
---@class search.Options
---@field from number the lowest load, above 0
---@field to number the highest
---@field within? number how near the result is to the true limit, as a share. Default: 0.05.

---The highest load of which `good` says true, if it does so up to some limit and not above: found by doubling, then by
---halving what is left.
---@param options search.Options
---@param good fun(load: number): boolean
---@return number? highest that was good; nothing if not even the lowest was
---@return number? lowest that was not; nothing if all were good
function search.highest(options, good)
  local from, to, within = options.from, options.to, options.within or 0.05
  if not (type(from) == "number" and type(to) == "number" and from > 0 and to >= from) then
    error(("search.highest: there is nothing between from = %s and to = %s"):format(tostring(from), tostring(to)), 2)
  end
  local best, worst
  local load = from
  while not worst and best ~= to do
    if good(load) then best = load else worst = load end
    load = math.min(2 * load, to)
  end
  while best and worst and worst > best * (1 + within) do
    load = math.sqrt(best * worst) -- halfway, as a ratio
    if good(load) then best = load else worst = load end
  end
  return best, worst
end

---What a latency must keep to.
---@class search.Target
---@field latency string|number the limit: a duration
---@field percentile? "mean"|"p50"|"p90"|"p95"|"p99"|"p999"|"p9999"|"max" which of the latencies. Default: "p99".
---@field window? string|number how long each depth is measured: a duration. Default: "5s".
---@field run? string|number how long the depth that was found is measured at the end: a duration. Default: the window.
---@field most? integer the greatest depth. Default: 1024.

---What a search for a depth found.
---@class search.Depth
---@field depth integer the greatest that kept to the target; 0 if not even a depth of 1 did
---@field missed? integer the least that did not
---@field tried integer[] the depths, in the order of trying
---@field result? PhaseResult of the last phase, at that depth

---The greatest depth at which a stream keeps to a latency: found from 1 on by doubling, then by halving what is left, to the
---very depth, and measured once more at the end. Each depth is a phase of its own; of several operations the slowest counts.
---@param name string of the phases
---@param target search.Target
---@param job fun(depth: integer): Job makes the stream
---@return search.Depth
function search.depth(name, target, job)
  if not target.latency then error("search.depth: which latency is the target? { latency = \"5ms\" }", 2) end
  local limit, figure = seconds(target.latency), target.percentile or "p99"
  local most, window = target.most or 1024, target.window or "5s"
  local found = { depth = 0, tried = {} }

  local function keeps(depth)
    found.tried[#found.tried + 1] = depth
    local r = phase(("%s, depth %d"):format(name, depth), { duration = window }, job(depth))
    local measured = false
    for _, ops in pairs(r) do
      for _, op in pairs(type(ops) == "table" and ops or {}) do
        if type(op) == "table" and (rawget(op, "count") or 0) > 0 then
          measured = true
          if not (op[figure] <= limit) then return false end
        end
      end
    end
    return measured
  end

  local depth = 1
  while found.depth < most and not found.missed do
    if keeps(depth) then found.depth = depth else found.missed = depth end
    depth = math.min(2 * depth, most)
  end
  while found.missed and found.missed - found.depth > 1 do
    depth = math.floor((found.depth + found.missed) / 2)
    if keeps(depth) then found.depth = depth else found.missed = depth end
  end
  if found.depth > 0 then
    found.result = phase(name, { duration = target.run or window }, job(found.depth))
  end
  return found
end

return search
