--- The call that the cursor is in: its fold opens there, so that every command does to the text what it does without
--- folds, and closes behind the cursor.
local call_text = require("parley.text.call_text")
local guard = require("parley.screen.folds.guard")
local open_rows = require("parley.screen.calls.open_rows")
local reveal = require("parley.screen.calls.reveal")

local M = {}

--- By window: the mark of the call whose fold the cursor opened.
local opened = {}
local namespace = vim.api.nvim_create_namespace("parley.folds")

--- The mark of the call in this row, by which it is found again after other lines moved.
---@param win integer
---@param buf integer
---@param row integer
function M.remember(win, buf, row)
  opened[win] = { buf = buf, id = vim.api.nvim_buf_set_extmark(buf, namespace, row - 1, 0, {}) }
end

--- The row of the call in whose open fold this row is; nil when it is in none.
local function start_of_open(row)
  while row > 0 and vim.fn.foldlevel(row) > 0 do
    if call_text.is_call(vim.fn.getline(row)) then
      return row
    end
    row = row - 1
  end
end

--- The last row of the open fold that begins in this row.
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

--- Closes the call that the cursor opened in this window, unless it is still there; whether it is.
local function close_left(win, row)
  local before = opened[win]
  if not before then
    return false
  end
  local ok, mark = pcall(vim.api.nvim_buf_get_extmark_by_id, before.buf, namespace, before.id, {})
  local was = ok and mark[1] and mark[1] + 1 or nil
  local is_here = before.buf == vim.api.nvim_get_current_buf()
  if is_here and was and vim.fn.foldlevel(was) > 0 and vim.fn.foldclosed(was) == -1 then
    if row >= was and row <= last_of_open(was) then
      return true
    end
    vim.cmd(("silent! %dfoldclose"):format(was))
    if vim.fn.foldclosed(was) ~= was then
      -- Ours is gone, and this is a wider one of the person or of another plugin.
      vim.cmd(("silent! %dfoldopen"):format(was))
    end
  end
  pcall(vim.api.nvim_buf_del_extmark, before.buf, namespace, before.id)
  opened[win] = nil
  return false
end

--- Opens the call that the cursor comes to and closes the one it left. `CursorMoved` comes between the keys of a
--- burst and of a macro too, so a command never meets a closed call.
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
      -- A search or a jump opened it; it closes behind the cursor all the same.
      M.remember(win, buf, first)
    end
  elseif open_rows.at(buf, first - 1) then
    -- It stays a row until a key is about its text: most keys there decide.
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
