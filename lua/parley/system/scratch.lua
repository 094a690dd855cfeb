--- Scratch buffers for Parley's own windows.
local undisturbed = require("parley.system.undisturbed")

local M = {}

--- Creates a buffer that is wiped with its window. It is modifiable even under `nvim -M` or `:set nomodifiable`.
---@param is_listed? boolean
---@return integer buf
function M.buffer(is_listed)
  local buf = undisturbed.run(vim.api.nvim_create_buf, is_listed == true, true)
  assert(buf, "No window could be opened, because another plugin failed.")
  vim.bo[buf].modifiable, vim.bo[buf].readonly = true, false
  vim.bo[buf].bufhidden = "wipe"
  return buf
end

--- Returns the buffer that has exactly this name. `bufnr()` takes a pattern, and raises an error with 'debug' set when
--- nothing matches.
---@param name string
---@return integer?
function M.named(name)
  return vim.iter(vim.api.nvim_list_bufs()):find(function(buf)
    return vim.api.nvim_buf_get_name(buf) == name
  end)
end

--- Replaces all lines of a buffer that the user does not edit.
---@param buf integer
---@param lines string[]
function M.set_lines(buf, lines)
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
end

return M
