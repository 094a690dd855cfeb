--- What is typed where an answer ended: Insert mode lasts when it breaks off, and where nothing came of it the cursor
--- is on its mark, which is hidden.
local buffer = require("parley.text.buffer")
local markers = require("parley.text.markers")
local undo = require("parley.text.undo")
local unfinished = require("parley.text.tip.unfinished")

local M = {}

local function line_at(buf, row)
  return vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ""
end

--- The row of the mark that stands behind this place, in its line or the next one; nil when none does.
local function mark_behind(buf, row, column)
  local rest = line_at(buf, row):sub(column + 1)
  if rest ~= "" then
    return unfinished.is_begun(rest) and row or nil
  end
  return unfinished.is_begun(line_at(buf, row + 1)) and row + 1 or nil
end

--- Moves the words between the place where the cursor was put and the cursor below the mark; whether there are any.
local function give_words(win, buf, row, column)
  local at = vim.api.nvim_win_get_cursor(win)
  local last, last_column = at[1] - 1, at[2]
  local mark = mark_behind(buf, last, last_column)
  if mark == last and column > 0 then
    -- Only in the mark's own line: the end of the answer's stays between them.
    row, column = last, 0
  end
  if not mark or row > last or row == last and column >= last_column then
    return false
  end
  local words = vim.api.nvim_buf_get_text(buf, row, column, last, last_column, {})
  local below = mark - last + row + 1
  undo.write(buf, nil, function()
    vim.api.nvim_buf_set_text(buf, row, column, last, last_column, {})
    vim.api.nvim_buf_set_lines(buf, below, below, true, words)
  end)
  vim.api.nvim_win_set_cursor(win, { below + #words, #words[#words] })
  return true
end

--- Whether this row is in an answer that is whole: the cursor goes on to the next question in a moment.
---@param buf integer
---@param row? integer
---@return boolean
function M.is_over(buf, row)
  local is_unfinished = row
    and (unfinished.is_begun(line_at(buf, row)) or unfinished.is_begun(line_at(buf, row + 1)))
  if not row or is_unfinished then
    return false
  end
  while row > 0 and not markers.begins_turn(line_at(buf, row)) do
    row = row - 1
  end
  return markers.read(line_at(buf, row)) == "answer"
end

--- Takes what was typed behind this place, where a whole answer ended, along to the next question; where the cursor
--- belongs then. Nil when nothing was typed there, or something stands between.
---@param win integer
---@param buf integer
---@param row integer
---@param column integer
---@param line integer where the question was before what was typed
---@return [integer, integer]?
function M.take_words(win, buf, row, column, line)
  local at = vim.api.nvim_win_get_cursor(win)
  local last, last_column = at[1] - 1, at[2]
  if row > last or row == last and column > last_column then
    return nil
  end
  local words = vim.api.nvim_buf_get_text(buf, row, column, last, last_column, {})
  local question = vim.iter(vim.fn.range(line, line + #words - 1)):find(function(each)
    return each > last and markers.read(line_at(buf, each)) == "question"
  end)
  if not question or not table.concat(words):find("%S") then
    return nil
  end
  local between = vim.api.nvim_buf_get_text(buf, last, last_column, question, 0, {})
  if table.concat(between):find("%S") then
    return nil
  end
  -- A line that was opened below the answer has its line break before it.
  local taken = vim.list_slice(words, #words > 1 and words[1] == "" and 2 or 1)
  local length = #line_at(buf, question)
  undo.write(buf, nil, function()
    vim.api.nvim_buf_set_text(buf, question, length, question, length, taken)
    vim.api.nvim_buf_set_text(buf, row, column, last, last_column, {})
  end)
  local now = question - (last - row) + #taken - 1
  return { now, #line_at(buf, now) }
end

--- The person types, or begins to, in a window whose cursor was put here at the end of an answer. Whether what comes is
--- their own text, in its place.
---@param win integer
---@param buf integer
---@param is_entering boolean
---@param row? integer
---@param column? integer
---@return boolean
function M.typed(win, buf, is_entering, row, column)
  if not row or not column or not is_entering then
    return row ~= nil and column ~= nil and give_words(win, buf, row, column)
  end
  -- The cursor may have been moved since.
  if unfinished.is_begun(line_at(buf, vim.api.nvim_win_get_cursor(win)[1] - 1)) then
    -- Behind the mark and in it nothing can be typed.
    vim.api.nvim_feedkeys(vim.keycode("<Home>"), "in", false)
    return false
  end
  -- Whoever goes back into Insert mode means the text that is seen there.
  return true
end

--- Whether the person is about to type in a line of blanks, such as one that was opened below an answer.
---@param buf integer
---@return boolean
function M.is_on_blank(buf)
  local win = vim.api.nvim_get_current_win()
  return vim.api.nvim_win_get_buf(win) == buf
    and buffer.is_typing_in(win)
    and not vim.api.nvim_get_current_line():find("%S")
end

--- The next question was written into the line in which they type: what comes belongs behind its marker.
function M.put_behind_marker()
  local line, cursor = vim.api.nvim_get_current_line(), vim.api.nvim_win_get_cursor(0)
  if cursor[2] < #line and markers.read(line) == "question" then
    vim.api.nvim_win_set_cursor(0, { cursor[1], #line })
  end
end

return M
