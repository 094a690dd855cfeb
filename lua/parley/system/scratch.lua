--- A buffer that belongs to no file, for what Parley shows.
local M = {}

--- It goes with its window, and can be written where new buffers cannot (`nvim -M`, `:set nomodifiable`).
---@param is_listed? boolean
---@return integer buf
function M.buffer(is_listed)
  local buf = vim.api.nvim_create_buf(is_listed == true, true)
  vim.bo[buf].modifiable, vim.bo[buf].readonly = true, false
  vim.bo[buf].bufhidden = "wipe"
  return buf
end

--- Puts these lines in place of all it has; nobody types there.
---@param buf integer
---@param lines string[]
function M.set_lines(buf, lines)
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
end

return M
