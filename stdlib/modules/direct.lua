---@meta direct
--- Files past the page cache wherever that is possible.
local direct = {}

---Opens a file as `open` does. Where the file system refuses direct I/O, the file is opened without it, and the log says so.
---@param name string
---@param options? OpenOptions
---@return File
function direct.open(name, options)
  local ok, file = pcall(open, name, options)
  if ok then return file end
  if not (options and options.direct) or not tostring(file):find("direct I/O", 1, true) then
    error(file, 2)
  end
  local buffered = {}
  for k, v in pairs(options) do
    buffered[k] = v
  end
  buffered.direct = false
  log(("%s: direct I/O is refused here, so the page cache takes part in what is measured"):format(name))
  return open(name, buffered)
end

return direct
