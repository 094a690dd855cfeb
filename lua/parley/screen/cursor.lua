--- Where the cursor goes by itself: only from the end of a chat, or from where a decision was made.
local buffer = require("parley.text.buffer")

local M = {}

--- Where the cursor was when a decision was sent last: whoever stays there waits for what comes next.
local decided = nil

--- A decision was sent from this window.
function M.remember(win, buf)
  if vim.api.nvim_win_is_valid(win) then
    decided = { win = win, buf = buf, cursor = vim.api.nvim_win_get_cursor(win) }
  end
end

local function is_where_decided(win, buf)
  return decided ~= nil
    and decided.win == win
    and decided.buf == buf
    and vim.deep_equal(decided.cursor, vim.api.nvim_win_get_cursor(win))
end

--- Puts the cursor on `line` when the current window shows the buffer and its cursor was at the end, or where a
--- decision was made last.
function M.follow(buf, line)
  local win = vim.api.nvim_get_current_win()
  if
    not buffer.is_loaded(buf)
    or vim.api.nvim_win_get_buf(win) ~= buf
    or buffer.is_typing_in(win)
  then
    return false
  end
  local count = vim.api.nvim_buf_line_count(buf)
  if line >= count then
    return false
  end
  local is_at_end = vim.api.nvim_win_get_cursor(win)[1] == count
  if not is_at_end and not is_where_decided(win, buf) then
    return false
  end
  local text = vim.api.nvim_buf_get_lines(buf, line, line + 1, true)[1]
  vim.api.nvim_win_set_cursor(win, { line + 1, text:find("^❓") and 0 or #text })
  return true
end

return M
