--- The oldest versions Parley runs on, from the one file that also the scripts read.
local build = require("parley.host.build")
local paths = require("parley.host.paths")

local M = {}

local function read()
  return build.supported(paths.root())
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
