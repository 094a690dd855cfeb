--- The paths of the plugin, Node and the built host.
local build = require("parley.host.build")
local node = require("parley.host.node")

local M = {}

--- A file that only this plugin has.
local mark = "rplugin/node/parley/package.json"

local function find_root()
  local above = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h:h:h:h")
  if vim.uv.fs_stat(vim.fs.joinpath(above, mark)) then
    return above
  end
  -- LuaRocks puts Lua files in a separate folder and the rest on the runtimepath.
  local found = vim.api.nvim_get_runtime_file(mark, false)[1]
  return found and vim.fn.fnamemodify(found, ":p:h:h:h:h") or above
end

local root = find_root()

--- Returns the plugin's root folder.
---@return string
function M.root()
  return root
end

--- Returns the folder that contains dist/: the plugin's own, or one in the cache when that is not writable.
---@return string
function M.built()
  return build.place(root)
end

--- The Node that the host is started with.
M.node = node.path

--- Returns the host's script.
---@return string
function M.entry()
  return vim.fs.joinpath(M.built(), "dist", "host.js")
end

--- The size of V8's young generation. Node's default of 16 MB per semi-space is never given back and would make a host
--- that mostly waits 30 MB larger.
local young_memory = "--max-semi-space-size=4"
--- Lets the host collect garbage itself while it is idle.
local own_collector = "--expose-gc"

--- In bytes. glibc raises this threshold to the largest block that was ever freed and keeps smaller blocks for itself:
--- 8 MB in an idle host, up to 38 MB after a chat of 10,000 exchanges. Setting it, to glibc's initial value, fixes it.
local whole_pieces = "131072"

--- Returns what is added to the host's environment; the host removes it again for its child processes.
---@return table<string, string>
function M.environment()
  return { MALLOC_MMAP_THRESHOLD_ = vim.env.MALLOC_MMAP_THRESHOLD_ or whole_pieces }
end

--- Returns the command that starts the host.
---@return string[]
function M.command()
  return { M.node(), young_memory, own_collector, M.entry() }
end

return M
