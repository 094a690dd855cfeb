--- Where the plugin, Node and the built host are.
local M = {}

local root = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h:h:h:h")

--- The folder of the plugin.
function M.root()
  return root
end

function M.node()
  return vim.g.parley_node or vim.env.PARLEY_NODE or "node"
end

--- The script of the host.
function M.entry()
  return vim.fs.joinpath(root, "dist", "host.js")
end

return M
