--- Tracks the mark line below a streaming answer, and repairs it when the user typed in it.
local undo = require("parley.text.undo")

local M = {}

local namespace = vim.api.nvim_create_namespace("parley.tip")
local beginning = "<!-- parley:unfinished"
local open_mark = "<!-- parley:unfinished open -->"

local function line_at(buf, row)
  return vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ""
end

--- Whether the line is an unfinished mark, for any reason.
---@param line string
---@return boolean
function M.is_begun(line)
  return vim.startswith(line, beginning)
end

--- Whether the line is exactly the mark of a streaming answer.
---@param line string
---@return boolean
function M.is_whole(line)
  return line == open_mark
end

--- Sets an extmark over the whole line and its end: it survives typing in the line and goes when the line is deleted.
---@param buf integer
---@param row integer
---@param id? integer of the mark that is put there
---@return integer id
function M.place(buf, row, id)
  return vim.api.nvim_buf_set_extmark(buf, namespace, row, 0, {
    id = id,
    end_row = row + 1,
    end_col = 0,
    end_right_gravity = false,
    invalidate = true,
    -- The end row may be past the last line.
    strict = false,
  })
end

--- Returns row, column and details of a mark; empty when it is outside the text. Reloading the file (`:e!`) leaves
--- marks where they were, possibly below the last line or past the end of a line.
---@param buf integer
---@param id integer
---@return { [1]: integer?, [2]: integer?, [3]: table? }
function M.position(buf, id)
  local at = vim.api.nvim_buf_get_extmark_by_id(buf, namespace, id, { details = true })
  local row = at[1]
  if not row or row >= vim.api.nvim_buf_line_count(buf) or at[2] > #line_at(buf, row) then
    return {}
  end
  return at
end

--- Returns first row, its column and last row of the unfinished mark; nil when it was deleted.
---@param tip parley.Tip
---@return integer? first
---@return integer? column
---@return integer? last
function M.covered(tip)
  local at = M.position(tip.buf, tip.unfinished)
  local details = at[3]
  if not details or details.invalid then
    return nil
  end
  local last = details.end_row - (details.end_col == 0 and 1 or 0)
  last = math.min(last, vim.api.nvim_buf_line_count(tip.buf) - 1)
  -- Neovim 0.10 does not mark it invalid when its line is deleted, but it covers nothing then.
  if last < at[1] then
    return nil
  end
  return at[1], at[2], last
end

--- Returns the mark's row after its line was moved or filtered: the only line below the answer with its text.
---@param tip parley.Tip
---@param answer integer the row from where it is looked for
---@return integer?
function M.moved(tip, answer)
  local lines = vim.api.nvim_buf_get_lines(tip.buf, answer, -1, false)
  local row = nil
  for index, line in ipairs(lines) do
    if line == open_mark then
      if row then
        return nil
      end
      row = answer + index - 1
    end
  end
  return row
end

--- Returns the text before, inside and after the mark in `text`.
local function beside_mark(text)
  local at = text:find(open_mark, 1, true)
  if at then
    return text:sub(1, at - 1) .. text:sub(at + #open_mark), at - 1, #text - at + 1 - #open_mark
  end
  local head = 0
  while head < #text and head < #open_mark and text:byte(head + 1) == open_mark:byte(head + 1) do
    head = head + 1
  end
  local tail = 0
  local most = math.min(#text, #open_mark) - head
  while tail < most and text:byte(#text - tail) == open_mark:byte(#open_mark - tail) do
    tail = tail + 1
  end
  return text:sub(head + 1, #text - tail), nil, nil
end

local function windows_in(buf, first, last)
  return vim.tbl_filter(function(win)
    local row = vim.api.nvim_win_get_cursor(win)[1] - 1
    return first <= row and row <= last
  end, vim.fn.win_findbuf(buf))
end

--- Puts the mark back on its own line, with the text typed in that line and the cursor below it.
local function put_right(tip, first, column, last)
  local buf = tip.buf
  local lines = vim.api.nvim_buf_get_lines(buf, first, last + 1, false)
  local end_column = #lines[#lines]
  lines[1] = lines[1]:sub(column + 1)
  local typed = beside_mark(table.concat(lines, "\n")):gsub("^%s*\n", "")
  local words_end = typed:match("^.*%S()") or 1
  typed = typed:sub(1, (typed:find("\n", words_end, true) or #typed + 1) - 1)
  local below = typed:find("%S") and vim.split(typed, "\n", { plain = true }) or {}
  local wins = windows_in(buf, first, last)
  local written = vim.list_extend({ open_mark }, below)
  if column > 0 then
    table.insert(written, 1, "")
  end
  undo.write(buf, tip.group, function()
    vim.api.nvim_buf_set_text(buf, first, column, last, end_column, written)
  end)
  local row = first + (column > 0 and 1 or 0)
  for _, win in ipairs(wins) do
    if #below > 0 then
      vim.api.nvim_win_set_cursor(win, { row + 1 + #below, #below[#below] })
    end
  end
  M.place(buf, row, tip.unfinished)
  return row
end

--- Returns the row of the unfinished mark, after repairing it when the user typed in it; nil when it was deleted.
---@param tip parley.Tip
---@param answer integer the row of the answer's first line
---@return integer?
function M.row(tip, answer)
  local first, column, last = M.covered(tip)
  if not first then
    first = M.moved(tip, answer)
    if first then
      M.place(tip.buf, first, tip.unfinished)
    end
    return first
  end
  if line_at(tip.buf, first) == open_mark then
    if last ~= first or column ~= 0 then
      M.place(tip.buf, first, tip.unfinished)
    end
    return first
  end
  local at = M.position(tip.buf, tip.mark)
  -- When the mark was joined with the tip's line, the text before the tip belongs to the answer.
  local from = at[1] == first and math.min(at[2], #line_at(tip.buf, first)) or 0
  return put_right(tip, first, from, last)
end

--- Writes a deleted mark again on its own line.
---@param tip parley.Tip
---@param row integer
function M.write(tip, row)
  undo.write(tip.buf, tip.group, function()
    vim.api.nvim_buf_set_lines(tip.buf, row, row, true, { open_mark })
  end)
  M.place(tip.buf, row, tip.unfinished)
end

return M
