--- Where the plugin, Node and the built host are.
local build = require("parley.host.build")
local node = require("parley.host.node")

local M = {}

--- A file of the plugin that no other one has.
local mark = "rplugin/node/parley/package.json"

local function find_root()
  local above = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h:h:h:h")
  if vim.uv.fs_stat(vim.fs.joinpath(above, mark)) then
    return above
  end
  -- LuaRocks puts Lua into a folder of its own, and the rest onto the runtimepath.
  local found = vim.api.nvim_get_runtime_file(mark, false)[1]
  return found and vim.fn.fnamemodify(found, ":p:h:h:h:h") or above
end

local root = find_root()

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

--- Megabytes for what the host forgets at once. Node's own 16 are lent three times and given back to nobody: 30 MB
--- more of a host that mostly waits.
local young_memory = "--max-semi-space-size=4"
--- Lets the host give back what it does not use, when nobody waits for it.
local own_collector = "--expose-gc"

--- glibc raises this size, in bytes, to that of the largest piece that was ever given back, and keeps for itself what
--- is smaller: 8 MB of a host at rest, and up to 38 after a chat of 10,000 exchanges. A size that is set stays; this is
--- the one that glibc begins with.
local whole_pieces = "131072"

--- What the host's environment has more than Neovim's; the host takes it out of that of its children.
---@return table<string, string>
function M.environment()
  return { MALLOC_MMAP_THRESHOLD_ = vim.env.MALLOC_MMAP_THRESHOLD_ or whole_pieces }
end

--- What starts the host.
---@return string[]
function M.command()
  return { M.node(), young_memory, own_collector, M.entry() }
end

return M
