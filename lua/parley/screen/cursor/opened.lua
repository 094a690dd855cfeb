--- Where the cursor goes in a chat that was opened: to its last question at once, to its first call that waits when the
--- host has seen it (doc/cursor.md, rule 7).
local buffer = require("parley.text.buffer")
local markers = require("parley.text.markers")

local M = {}

--- By buffer: the window that was opened on it, as long as nothing but this file moved its cursor.
local fresh = {}

--- A chat was opened, and all that follows its opening is over: its window goes to the last question, unless something
--- else set its cursor: a restored mark, a command, a list of places, a session.
---@param buf integer
function M.to_question(buf)
  local win = vim.api.nvim_get_current_win()
  if not buffer.is_loaded(buf) or vim.api.nvim_win_get_buf(win) ~= buf then
    return
  end
  local at, count = vim.api.nvim_win_get_cursor(win), vim.api.nvim_buf_line_count(buf)
  if at[1] ~= 1 or at[2] ~= 0 or buffer.is_typing_in(win) then
    return
  end
  for row = count, 1, -1 do
    local line = vim.api.nvim_buf_get_lines(buf, row - 1, row, true)[1]
    if markers.read(line) == "question" then
      vim.api.nvim_win_set_cursor(win, { row, #line })
      break
    end
  end
  fresh[buf] = { win = win, cursor = vim.api.nvim_win_get_cursor(win) }
end

--- The first view of a chat that was opened: a call that waits comes before the last question. Whether the cursor went
--- there.
---@param buf integer
---@param calls parley.ShownCall[]
---@return boolean
function M.to_call(buf, calls)
  local opened = fresh[buf]
  fresh[buf] = nil
  if not opened or not calls[1] or not vim.api.nvim_win_is_valid(opened.win) then
    return false
  end
  local is_there = vim.api.nvim_win_get_buf(opened.win) == buf
    and vim.deep_equal(vim.api.nvim_win_get_cursor(opened.win), opened.cursor)
  local is_free = require("parley.screen.cursor").may_move(opened.win)
    and not buffer.is_typing_in(opened.win)
  if is_there and is_free then
    vim.api.nvim_win_set_cursor(opened.win, { calls[1].line + 1, 0 })
    return true
  end
  return false
end

return M
