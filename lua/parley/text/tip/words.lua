--- The user's words at the tip of a streaming answer: they wait below it and become the next question.
local markers = require("parley.text.markers")
local tip = require("parley.text.tip")
local undo = require("parley.text.undo")

local M = {}

--- Returns the row after the text below the mark that waits for the next question, or the first row without such text.
local function row_below_words(buf, below)
  local row, free = below + 1, below + 1
  local line = vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1]
  while line and not markers.begins_turn(line) do
    row = row + 1
    free = line:find("%S") and row or free
    line = vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1]
  end
  return free
end

--- Moves the text that the user typed at the tip, from this place on, below the mark and any text waiting there.
--- Returns the new cursor position; nil when nothing was typed there.
---@param buf integer
---@param row integer
---@param column integer
---@param cursor [integer, integer]
---@return [integer, integer]?
function M.take(buf, row, column, cursor)
  local tip_row, tip_column, below = tip.place(buf)
  if not tip_row or tip_row < row or (tip_row == row and tip_column < column) then
    return nil
  end
  local last = below - 1
  local last_column = #vim.api.nvim_buf_get_lines(buf, last, last + 1, true)[1]
  local words = vim.api.nvim_buf_get_text(buf, row, column, last, last_column, {})
  if #words == 1 and words[1] == "" then
    return nil
  end
  local at = { cursor[1] - 1 - row, cursor[2] }
  if at[1] == 0 then
    at[2] = at[2] - column
  end
  if at[1] < 0 or at[1] >= #words or at[2] < 0 then
    return nil
  end
  -- A line opened below the answer begins with a line break.
  if #words > 1 and words[1] == "" then
    table.remove(words, 1)
    at[1] = math.max(0, at[1] - 1)
  end
  local to
  undo.write_along(buf, function()
    vim.api.nvim_buf_set_text(buf, row, column, last, last_column, {})
    to = row_below_words(buf, row + 1)
    vim.api.nvim_buf_set_lines(buf, to, to, true, words)
  end)
  return { to + at[1], at[2] }
end

--- Returns whether text was put or pasted behind this place of the tip in Normal mode since the last write, and nothing
--- of the answer is below it. Of a long paste, which comes in several pieces, Neovim 0.10 marks the last one.
---@param buf integer
---@param row integer
---@param column integer
---@return boolean
function M.is_put_behind(buf, row, column)
  local _, _, below = tip.place(buf)
  local start, last = vim.api.nvim_buf_get_mark(buf, "["), vim.api.nvim_buf_get_mark(buf, "]")
  local is_behind = start[1] - 1 > row or (start[1] - 1 == row and start[2] >= column)
  if not is_behind or last[1] ~= below then
    return false
  end
  local lines = vim.api.nvim_buf_get_lines(buf, row, last[1], false)
  lines[1] = lines[1]:sub(column + 1)
  return table.concat(lines):find("%S") ~= nil
end

return M
