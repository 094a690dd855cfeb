--- The oldest versions Parley runs on, from the one file that also the scripts read.
local paths = require("parley.host.paths")

local M = {}

local function read()
  local path = vim.fs.joinpath(paths.root(), "scripts", "supported.json")
  local file = io.open(path, "r")
  if not file then
    return {}
  end
  local ok, value = pcall(vim.json.decode, file:read("*a"))
  file:close()
  return ok and value or {}
end

--- The Node floor as text, such as `20.19.0`; nil when the file is not there.
---@return string?
function M.node()
  return read().node
end

--- The Neovim floor as text.
---@return string?
function M.neovim()
  return (read().neovim or {})[1]
end

return M
