--- Moves the cursor in a chat that was just opened: to its last question at once, and to its first waiting call once
--- the host has drawn it (doc/cursor.md, rule 7).
local buffer = require("parley.text.buffer")
local markers = require("parley.text.markers")

local M = {}

--- By buffer: the window that opened it, until something other than this file moves its cursor.
local fresh = {}

--- Moves the cursor to the last question, once everything that opening a file triggers is over. Not when something else
--- set the cursor: a restored mark, a command, a location list, a session.
---@param buf integer
function M.to_question(buf)
  local win = vim.api.nvim_get_current_win()
  if not vim.api.nvim_buf_is_loaded(buf) or vim.api.nvim_win_get_buf(win) ~= buf then
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

--- Moves the cursor to the first waiting call of a chat that was just opened; returns whether it did.
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
