-- Operators, where gopher-lua does not do what Lua does.

--- numbers are joined to texts as tostring writes them
local rate, parts = 2469135 / 2, { n = 0 }
local function two() parts.n = parts.n + 1 return 1e15, 2 end
eq("rate " .. rate .. "/s", "rate 1234567.5/s")
eq("x" .. two(), "x1e+15")
eq(parts.n, 1)
local function all(...) return "<" .. ... end
eq(all(1 / 0, "no"), "<inf")
