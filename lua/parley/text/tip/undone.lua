--- Whether a person undid a part of what was written at a tip: what comes next would stand behind a hole. A change of
--- theirs between two writes makes each an undo step of its own, and the newest is the first to be undone.
local undo = require("parley.text.undo")

local M = {}

--- The undo step that holds what was written last.
---@class parley.WrittenStep
---@field buf integer
---@field change? integer as |changenr()| has it; nil before the first write
---@field tick? integer of the text as that write left it
---@field is_undone boolean
---@field watch integer an autocommand

--- Looked at after each change: another one on top of an undo hides it from the number of the step.
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
      -- Most changes are those writes.
      if vim.api.nvim_buf_get_changedtick(buf) ~= written.tick then
        M.is_undone(written)
      end
    end,
  })
  return written
end

--- To be called where the write is made, in its buffer.
---@param written parley.WrittenStep
function M.note(written)
  written.change, written.is_undone = vim.fn.changenr(), false
  written.tick = vim.api.nvim_buf_get_changedtick(written.buf)
end

---@param written parley.WrittenStep
function M.forget(written)
  -- Gone already with its buffer.
  pcall(vim.api.nvim_del_autocmd, written.watch)
end

return M
