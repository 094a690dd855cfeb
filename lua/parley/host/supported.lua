--- The minimum versions, from the file that the scripts read too.
local build = require("parley.host.build")
local paths = require("parley.host.paths")

local M = {}

local function read()
  return build.supported(paths.root())
end

--- Returns the minimum Node version, such as `20.19.0`; nil when the file is missing.
---@return string?
function M.node()
  return read().node
end

--- Returns the minimum Neovim version.
---@return string?
function M.neovim()
  return (read().neovim or {})[1]
end

return M
