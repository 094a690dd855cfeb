--- Determines whether open calls are visible, and scrolls them into view.
local covers = require("parley.screen.covers")
local open_rows = require("parley.screen.calls.open_rows")
local toast = require("parley.messages.toast")

local M = {}

--- Returns the screen row of the last of `count` virtual rows above line `below` (0-based; may be the end of the text);
--- nil when they are not all visible.
local function last_of_block(win, below, count)
  local buf = vim.api.nvim_win_get_buf(win)
  local last
  if below < vim.api.nvim_buf_line_count(buf) then
    last = vim.fn.screenpos(win, below + 1, 1).row - 1
  else
    local line = vim.fn.line("$")
    local top = vim.fn.screenpos(win, line, 1).row
    local info = vim.fn.getwininfo(win)[1]
    local height = vim.api.nvim_win_text_height(win, { start_row = line - 1, end_row = line - 1 })
    last = top > 0 and top + height.all - height.fill - 1 + count or -1
    last = last <= info.winrow + info.winbar + info.height - 1 and last or -1
  end
  return last >= 0 and not toast.covers(math.min(last, last - count + 1), last) and last or nil
end

--- Whether `count` virtual rows above line `below` (0-based; may be the end of the text) are on the screen.
---@param win integer
---@param below integer
---@param count integer
---@return boolean
function M.is_block_visible(win, below, count)
  return last_of_block(win, below, count) ~= nil
end

--- Whether such rows are on the screen and no float covers their first `width` columns.
local function is_block_seen(win, below, count, width)
  local last = last_of_block(win, below, count)
  return last ~= nil and (count == 0 or not covers.highest(win, last - count + 1, last, width))
end

--- Whether a call and its details, below its line or below all calls, are visible in the window.
---@param win integer
---@param call parley.DrawnCall
---@return boolean
function M.is_visible(win, call)
  return vim.api.nvim_win_call(win, function()
    local row = call.line + 1
    if row < vim.fn.line("w0") or row > vim.fn.line("w$") then
      return false
    end
    local closed = vim.fn.foldclosed(row)
    if closed > 0 and (closed ~= row or vim.fn.foldclosedend(row) ~= row) then
      return false
    end
    -- Another plugin's 'foldtext' is shown instead of the row.
    if closed > 0 and not vim.wo.foldtext:find("parley.screen.folds", 1, true) then
      return false
    end
    local top = vim.fn.screenpos(win, row, 1).row
    if toast.covers(top, top) or covers.highest(win, top, top, call.row_width) then
      return false
    end
    local below, count, before = open_rows.below(vim.api.nvim_win_get_buf(win))
    if call.below and closed > 0 then
      return call.is_row or (below ~= nil and is_block_seen(win, below, count, call.widest))
    elseif call.below then
      -- The row is drawn below the line, which may be taller than the window.
      return is_block_seen(win, row, call.row_rows, call.row_width)
        and (
          call.is_row or (below ~= nil and is_block_seen(win, below, before + count, call.widest))
        )
    end
    return is_block_seen(win, row, call.rows, call.widest)
  end)
end

--- Scrolls up when folding lines into rows left empty space below the end of the text.
---@param win integer
function M.fill(win)
  vim.api.nvim_win_call(win, function()
    if vim.fn.line("w$") < vim.fn.line("$") then
      return
    end
    local top, height = vim.fn.line("w0"), vim.fn.getwininfo(win)[1].height
    local rows = vim.api.nvim_win_text_height(win, { start_row = top - 1 }).all
    while top > 1 do
      local above = vim.fn.foldclosed(top - 1)
      above = above > 0 and above or top - 1
      rows = rows
        + vim.api.nvim_win_text_height(win, { start_row = above - 1, end_row = top - 2 }).all
      if rows > height then
        break
      end
      top = above
    end
    vim.fn.winrestview({ topline = top })
  end)
end

--- Scrolls windows whose cursor is on or below the first open call until the virtual lines below the end of the buffer
--- are visible, since Neovim does not count those when it scrolls. `has_shrunk`: the window's contents take fewer rows
--- than before.
---@param buf integer
---@param has_shrunk boolean
function M.ends(buf, has_shrunk)
  local calls = open_rows.list(buf)
  local first = calls[1]
  if not first then
    return
  end
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local cursor = vim.api.nvim_win_get_cursor(win)
    if cursor[1] - 1 >= first.line then
      local info = vim.fn.getwininfo(win)[1]
      -- Without an end row, Neovim also counts the virtual lines below the last line.
      local rows = vim.api.nvim_win_text_height(win, { start_row = info.topline - 1 }).all
      local hidden = rows - info.height
      local top = cursor[1] == first.line + 1 and open_rows.top(buf, first) or cursor[1]
      local wanted = math.min(info.topline + hidden, top - vim.wo[win].scrolloff)
      if hidden < 0 and has_shrunk then
        M.fill(win)
      elseif hidden > 0 and (wanted > info.topline or info.topline > top) then
        vim.api.nvim_win_call(win, function()
          vim.fn.winrestview({ topline = math.max(1, math.min(wanted, top)) })
        end)
      end
    end
  end
end

--- Makes Neovim recount the rows after virtual lines were added. Otherwise it draws the cursor below the last visible
--- line until a key moves it.
---@param buf integer
function M.count_rows(buf)
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.api.nvim_win_get_buf(win) == buf then
      vim.fn.line("w$", win)
    end
  end
end

--- Scrolls until this row is visible above a message at the bottom, but keeps row `keep`, above it, in view.
---@param win integer
---@param row integer from 1
---@param keep integer from 1
function M.above_message(win, row, keep)
  local covered, last = toast.rows()
  local is_at_bottom = covered ~= nil and vim.o.lines - last < covered
  -- Neovim measures the whole window to find a row, and this runs for each write of an answer.
  local at = is_at_bottom and vim.fn.screenpos(win, row, 1).row
  if not at or at < covered or at > last then
    return
  end
  local hidden = at - covered + 1
  vim.api.nvim_win_call(win, function()
    local top = vim.fn.line("w0")
    while hidden > 0 and top < keep do
      local below = math.max(top, vim.fn.foldclosedend(top)) + 1
      local rows = { start_row = top - 1, end_row = below - 2 }
      hidden = hidden - vim.api.nvim_win_text_height(win, rows).all
      top = below
    end
    vim.fn.winrestview({ topline = math.min(top, keep) })
  end)
end

return M
