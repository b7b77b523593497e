-- Prints the results of the expressions in a file, a line each, as the tests show them.

dofile("testdata/render.lua")

for expr in io.lines(arg[1]) do
  local ok, r = pcall(assert(loadstring("return (results(" .. expr .. "))", "=case"), expr))
  if not ok then
    r = "error: " .. tostring(r):gsub("^%S-:%d+: ", "")
  end
  print(r)
end
