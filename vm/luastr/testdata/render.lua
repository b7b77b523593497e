-- Run by the library under test and by other Luas: it shows results in one way.

local function show(v)
  if type(v) == "string" then
    return '"' .. v:gsub('[%c"\\\127-\255]', function(c) return ("\\x%02x"):format(c:byte()) end) .. '"'
  elseif type(v) == "number" then
    return ("%.17g"):format(v)
  end
  return tostring(v)
end

function results(...)
  local shown = {}
  for i = 1, select("#", ...) do
    shown[i] = show((select(i, ...)))
  end
  return table.concat(shown, " ")
end

-- collect is what gmatch finds: at most two captures of each match.
function collect(s, p)
  local found = {}
  for a, b in string.gmatch(s, p) do
    found[#found + 1] = b and a .. ":" .. b or a .. ""
  end
  return table.concat(found, "|")
end
