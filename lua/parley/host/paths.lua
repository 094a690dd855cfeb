--- Where the plugin, Node and the built host are.
local build = require("parley.host.build")
local node = require("parley.host.node")

local M = {}

local root = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h:h:h:h")

--- The folder of the plugin.
---@return string
function M.root()
  return root
end

--- The folder in which dist/ is: the plugin's own, or one in the cache where that cannot be written.
---@return string
function M.built()
  return build.place(root)
end

--- The Node that the host is started with.
M.node = node.path

--- The script of the host.
---@return string
function M.entry()
  return vim.fs.joinpath(M.built(), "dist", "host.js")
end

return M
