--- Opens the fold of the call at the cursor, so that commands act on its text as they would without folds, and closes
--- it when the cursor leaves.
local call_text = require("parley.text.call_text")
local guard = require("parley.screen.folds.guard")
local open_rows = require("parley.screen.calls.open_rows")
local reveal = require("parley.screen.calls.reveal")

local M = {}

--- By window: the extmark of the call whose fold the cursor opened.
local opened = {}
local namespace = vim.api.nvim_create_namespace("parley.folds")

--- Remembers the call in this row with an extmark, to find it again after lines moved.
---@param win integer
---@param buf integer
---@param row integer
function M.remember(win, buf, row)
  opened[win] = { buf = buf, id = vim.api.nvim_buf_set_extmark(buf, namespace, row - 1, 0, {}) }
end

--- Returns the row of the call whose open fold contains this row; nil without one.
local function start_of_open(row)
  while row > 0 and vim.fn.foldlevel(row) > 0 do
    if call_text.is_call(vim.fn.getline(row)) then
      return row
    end
    row = row - 1
  end
end

--- Returns the last row of the open fold that begins in this row.
local function last_of_open(first)
  local last, level = first, vim.fn.foldlevel(first)
  local count = vim.fn.line("$")
  while
    last < count
    and vim.fn.foldlevel(last + 1) >= level
    and not call_text.is_call(vim.fn.getline(last + 1))
  do
    last = last + 1
  end
  return last
end

--- Closes the fold that the cursor opened in this window, unless the cursor is still in it; returns whether it is.
local function close_left(win, row)
  local before = opened[win]
  if not before then
    return false
  end
  local ok, mark = pcall(vim.api.nvim_buf_get_extmark_by_id, before.buf, namespace, before.id, {})
  local was = ok and mark[1] and mark[1] + 1 or nil
  local is_here = before.buf == vim.api.nvim_get_current_buf()
  -- What was made something else there stays seen.
  local is_call = is_here and was and call_text.is_call(vim.fn.getline(was))
  if is_call and vim.fn.foldlevel(was) > 0 and vim.fn.foldclosed(was) == -1 then
    if row >= was and row <= last_of_open(was) then
      return true
    end
    vim.cmd(("silent! %dfoldclose"):format(was))
    if vim.fn.foldclosed(was) ~= was then
      -- Our fold is gone, and this is a wider one by the user or another plugin.
      vim.cmd(("silent! %dfoldopen"):format(was))
    end
  end
  pcall(vim.api.nvim_buf_del_extmark, before.buf, namespace, before.id)
  opened[win] = nil
  return false
end

--- Opens the call that the cursor enters and closes the one it left. `CursorMoved` also comes between the keys of a
--- burst and of a macro, so a command never acts on a closed call.
function M.follow()
  local win, row = vim.api.nvim_get_current_win(), vim.fn.line(".")
  if close_left(win, row) then
    return
  end
  local first = vim.fn.foldclosed(row)
  local buf = vim.api.nvim_get_current_buf()
  open_rows.moved(buf)
  if first == -1 then
    first = start_of_open(row)
    if first then
      -- A search or a jump opened it; it is still closed when the cursor leaves.
      M.remember(win, buf, first)
    end
  elseif open_rows.at(buf, first - 1) then
    -- A waiting call stays folded until a key acts on its text: most keys there are approval keys.
    guard.watch(win, buf, M.remember)
    if open_rows.is_last(buf, first - 1) then
      reveal.ends(buf, false)
    end
  elseif call_text.is_call(vim.fn.getline(first)) then
    local view = vim.fn.winsaveview()
    vim.cmd(("silent %dfoldopen"):format(first))
    M.remember(win, buf, first)
    vim.fn.winrestview({ topline = view.topline })
  end
end

return M
