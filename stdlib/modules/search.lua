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
  if not (from > 0 and to >= from) then
    error(("search.highest: there is nothing between %s and %s"):format(tostring(from), tostring(to)), 2)
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

return search
