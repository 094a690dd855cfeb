--- Scratch buffers for Parley's own windows.
local M = {}

--- Creates a buffer that is wiped with its window. It is modifiable even under `nvim -M` or `:set nomodifiable`.
---@param is_listed? boolean
---@return integer buf
function M.buffer(is_listed)
  local buf = vim.api.nvim_create_buf(is_listed == true, true)
  vim.bo[buf].modifiable, vim.bo[buf].readonly = true, false
  vim.bo[buf].bufhidden = "wipe"
  return buf
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
