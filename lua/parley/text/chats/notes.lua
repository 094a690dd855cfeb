--- Small files in the state folder, one for each thing to remember. A rename replaces them, so that no reader sees half
--- of one, and nothing is written where a link in their place leads.
local system = require("parley.system")

local M = {}

--- Read and written by the user only.
local private = tonumber("600", 8)

--- Returns the first `count` lines of a note; nil when there is none.
---@param path string
---@param count integer
---@return string[]?
function M.read(path, count)
  local is_read, lines = pcall(vim.fn.readfile, path, "", count)
  return is_read and lines or nil
end

--- Writes a note. One that cannot be written stays as it was, since none is needed for anything but convenience.
---@param path string
---@param lines string[]
function M.write(path, lines)
  pcall(vim.fn.mkdir, vim.fs.dirname(path), "p", "0700")
  local draft = ("%s.%d.new"):format(path, vim.uv.os_getpid())
  -- Left by a process that was killed while it wrote.
  vim.uv.fs_unlink(draft)
  local fd = vim.uv.fs_open(draft, "wx", private)
  if not fd then
    return
  end
  local text = table.concat(lines, "\n") .. "\n"
  local is_whole = vim.uv.fs_write(fd, text, 0) == #text
  vim.uv.fs_close(fd)
  if not (is_whole and system.rename(draft, path)) then
    vim.uv.fs_unlink(draft)
  end
end

return M
