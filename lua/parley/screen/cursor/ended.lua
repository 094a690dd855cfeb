--- Handles text typed where an answer ended: Insert mode continues when an answer breaks off, and if it produced no
--- text, the cursor is on its hidden mark.
local buffer = require("parley.text.buffer")
local markers = require("parley.text.markers")
local undo = require("parley.text.undo")
local unfinished = require("parley.text.tip.unfinished")

local M = {}

local function line_at(buf, row)
  return vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ""
end

--- Returns the row of the mark after this place, in the same line or the next one; nil without one.
local function mark_behind(buf, row, column)
  local rest = line_at(buf, row):sub(column + 1)
  if rest ~= "" then
    return unfinished.is_begun(rest) and row or nil
  end
  return unfinished.is_begun(line_at(buf, row + 1)) and row + 1 or nil
end

--- Moves the text between the place where we put the cursor and the cursor below the mark; returns whether there is
--- any.
local function give_words(win, buf, row, column)
  local at = vim.api.nvim_win_get_cursor(win)
  local last, last_column = at[1] - 1, at[2]
  local mark = mark_behind(buf, last, last_column)
  if mark == last and column > 0 then
    -- Only in the mark's own line: the line break after the answer stays in between.
    row, column = last, 0
  end
  if not mark or row > last or row == last and column >= last_column then
    return false
  end
  local words = vim.api.nvim_buf_get_text(buf, row, column, last, last_column, {})
  local below = mark - last + row + 1
  undo.write_along(buf, function()
    vim.api.nvim_buf_set_text(buf, row, column, last, last_column, {})
    vim.api.nvim_buf_set_lines(buf, below, below, true, words)
  end)
  vim.api.nvim_win_set_cursor(win, { below + #words, #words[#words] })
  return true
end

--- Whether this row is in a complete answer, after which the cursor moves on to the next question in a moment.
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

--- Whether the window's cursor is after this row of a complete answer, and in no later turn.
---@param win integer
---@param buf integer
---@param row? integer
---@return boolean
function M.is_typed_behind(win, buf, row)
  local last = vim.api.nvim_win_get_cursor(win)[1] - 1
  if not row or last < row or not M.is_over(buf, row) then
    return false
  end
  for each = row + 1, last do
    if markers.begins_turn(line_at(buf, each)) then
      return false
    end
  end
  return true
end

--- Moves text typed after this place, where a complete answer ended, to the next question. Returns the new cursor
--- position; nil when nothing was typed there, or when other text is in between.
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
  -- A line opened below the answer begins with a line break.
  local taken = vim.list_slice(words, #words > 1 and words[1] == "" and 2 or 1)
  local length = #line_at(buf, question)
  undo.write_along(buf, function()
    vim.api.nvim_buf_set_text(buf, question, length, question, length, taken)
    vim.api.nvim_buf_set_text(buf, row, column, last, last_column, {})
  end)
  local now = question - (last - row) + #taken - 1
  return { now, #line_at(buf, now) }
end

--- Handles the user typing, or entering Insert mode, in a window whose cursor we put at the end of an answer. Returns
--- whether the text that follows stays where it is typed.
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
  -- The cursor may have moved since.
  if unfinished.is_begun(line_at(buf, vim.api.nvim_win_get_cursor(win)[1] - 1)) then
    -- Nothing may be typed in or after the mark.
    vim.api.nvim_feedkeys(vim.keycode("<Home>"), "in", false)
    return false
  end
  -- A user who enters Insert mode again means the text that is visible there.
  return true
end

--- Whether the user is about to type in a blank line, such as one opened below an answer.
---@param buf integer
---@return boolean
function M.is_on_blank(buf)
  return vim.api.nvim_get_current_buf() == buf
    and buffer.is_typing()
    and not vim.api.nvim_get_current_line():find("%S")
end

--- Moves the cursor after the marker when the next question was written into the line in which the user types.
function M.put_behind_marker()
  local line, cursor = vim.api.nvim_get_current_line(), vim.api.nvim_win_get_cursor(0)
  if cursor[2] < #line and markers.read(line) == "question" then
    vim.api.nvim_win_set_cursor(0, { cursor[1], #line })
  end
end

return M
