--- Detects whether the user undid part of what was written at a tip, because appending more would leave a gap. A change
--- by the user between two writes makes each write its own undo step, and the newest is undone first.
local undo = require("parley.text.undo")

local M = {}

--- The undo step of the last write.
---@class parley.WrittenStep
---@field buf integer
---@field change? integer as |changenr()| has it; nil before the first write
---@field tick? integer of the text as that write left it
---@field is_undone boolean
---@field watch integer an autocommand

--- Must be checked after each change: a further change after an undo hides the undo from the step number.
---@param written parley.WrittenStep
---@return boolean
function M.is_undone(written)
  if written.change == nil then
    return false
  end
  local now = undo.in_buffer(written.buf, vim.fn.changenr)
  if now < written.change then
    written.is_undone = true
  elseif now == written.change then
    written.is_undone = false
  end
  return written.is_undone
end

---@param buf integer
---@return parley.WrittenStep
function M.watch(buf)
  local written = { buf = buf, is_undone = false }
  written.watch = vim.api.nvim_create_autocmd("TextChanged", {
    buffer = buf,
    callback = function()
      -- Most changes are our own writes.
      if vim.api.nvim_buf_get_changedtick(buf) ~= written.tick then
        M.is_undone(written)
      end
    end,
  })
  return written
end

--- Records a write; must be called in its buffer, right after it.
---@param written parley.WrittenStep
function M.note(written)
  written.change, written.is_undone = vim.fn.changenr(), false
  written.tick = vim.api.nvim_buf_get_changedtick(written.buf)
end

---@param written parley.WrittenStep
function M.forget(written)
  -- The autocommand may be gone with its buffer.
  pcall(vim.api.nvim_del_autocmd, written.watch)
end

return M
