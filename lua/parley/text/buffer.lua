--- Whole-line edits of a chat buffer that leave every window where it was.
local undo = require("parley.text.undo")

local M = {}

local utf8_continuation = "[\128-\191]"

--- Returns why a buffer cannot be changed, as a sentence; nil when it can.
---@param buf integer
---@return string?
function M.refusal(buf)
  local option = vim.bo[buf]
  if not option.modifiable then
    return "The buffer is not modifiable ('nomodifiable' is set). Nothing was written; run :setlocal modifiable first."
  end
  if option.readonly then
    return "The buffer is read-only ('readonly' is set). Nothing was written; run :setlocal noreadonly first."
  end
  return nil
end

--- Whether an error means that the text is locked, as while Neovim evaluates an expression mapping.
---@param message any
---@return boolean
function M.is_textlocked(message)
  return tostring(message):find("E565", 1, true) ~= nil
end

--- What an edit changed: `lines` replaced the rows from `start` up to `finish`.
---@class parley.Change
---@field start integer
---@field finish integer
---@field lines string[]
---@field index integer of the edit that it is of

--- Returns the differing part of two lines, in bytes but never inside a character.
local function differing_columns(old, new)
  local shorter = math.min(#old, #new)
  local head = 0
  while head < shorter and old:byte(head + 1) == new:byte(head + 1) do
    head = head + 1
  end
  while
    head > 0
    and (old:sub(head + 1, head + 1) .. new:sub(head + 1, head + 1)):find(utf8_continuation)
  do
    head = head - 1
  end
  local tail = 0
  while tail < shorter - head and old:byte(#old - tail) == new:byte(#new - tail) do
    tail = tail + 1
  end
  while tail > 0 and old:sub(#old - tail + 1, #old - tail + 1):find(utf8_continuation) do
    tail = tail - 1
  end
  return head, tail
end

--- Returns the edit without lines that it would replace by equal ones, so that their marks and cursors stay.
local function trimmed(buf, edit)
  local start, finish, lines = edit.start, edit["end"], edit.lines
  local old = vim.api.nvim_buf_get_lines(buf, start, finish, true)
  local head = 0
  while head < #old and head < #lines and old[head + 1] == lines[head + 1] do
    head = head + 1
  end
  local tail = 0
  while tail < #old - head and tail < #lines - head and old[#old - tail] == lines[#lines - tail] do
    tail = tail + 1
  end
  return {
    start = start + head,
    finish = finish - tail,
    old = vim.list_slice(old, head + 1, #old - tail),
    lines = vim.list_slice(lines, head + 1, #lines - tail),
  }
end

local function write_edit(buf, edit)
  if #edit.old == 1 and #edit.lines == 1 then
    local old, new = edit.old[1], edit.lines[1]
    local head, tail = differing_columns(old, new)
    vim.api.nvim_buf_set_text(
      buf,
      edit.start,
      head,
      edit.start,
      #old - tail,
      { new:sub(head + 1, #new - tail) }
    )
  elseif #edit.old > 0 or #edit.lines > 0 then
    vim.api.nvim_buf_set_lines(buf, edit.start, edit.finish, true, edit.lines)
  end
end

--- Returns where row `row` is after `edits` (bottom-up); a row inside a replaced part stays as close as possible.
local function moved_row(row, edits)
  local shift, inside = 0, nil
  for _, edit in ipairs(edits) do
    if edit.finish <= row then
      shift = shift + #edit.lines - (edit.finish - edit.start)
    elseif edit.start <= row then
      inside = edit.start + math.max(0, math.min(row - edit.start, #edit.lines - 1))
    end
  end
  return (inside or row) + shift
end

--- Whether the user is typing in the current window; its cursor must not be moved then.
---@return boolean
function M.is_typing()
  return vim.api.nvim_get_mode().mode:find("^[iR]") ~= nil
end

--- Whether the user is typing in the window.
---@param win integer
---@return boolean
function M.is_typing_in(win)
  return win == vim.api.nvim_get_current_win() and M.is_typing()
end

local function remember_windows(buf)
  return vim.tbl_map(function(win)
    local cursor = vim.api.nvim_win_get_cursor(win)
    return {
      win = win,
      row = cursor[1] - 1,
      column = cursor[2],
      top = vim.fn.getwininfo(win)[1].topline - 1,
    }
  end, vim.fn.win_findbuf(buf))
end

--- Restores a window's view to the lines it showed.
local function restore_window(buf, view, edits)
  local count = vim.api.nvim_buf_line_count(buf)
  local row = math.max(0, math.min(moved_row(view.row, edits), count - 1))
  local cursor = vim.api.nvim_win_get_cursor(view.win)
  if cursor[1] ~= row + 1 then
    vim.api.nvim_win_set_cursor(view.win, { row + 1, view.column })
  end
  local top = math.max(0, math.min(moved_row(view.top, edits), count - 1))
  if vim.fn.getwininfo(view.win)[1].topline ~= top + 1 then
    vim.api.nvim_win_call(view.win, function()
      vim.fn.winrestview({ topline = top + 1 })
    end)
  end
end

--- Whether the buffer still matches the edit: the same number of lines, and the same lines there and next to it.
local function fits(buf, edit)
  if not edit.replaces then
    return true
  end
  if vim.api.nvim_buf_line_count(buf) ~= edit.total then
    return false
  end
  local first = math.max(0, edit.start - 1)
  local replaced = vim.api.nvim_buf_get_lines(buf, first, edit["end"] + 1, false)
  local ok, hash = pcall(vim.fn.sha256, table.concat(replaced, "\n"))
  return ok and hash == edit.replaces
end

--- Applies `{start, end, lines}` edits against `tick`, all in one undo step or none. With `total` and `replaces` (the
--- number of lines and a hash of the replaced ones) nothing is written when the text differs: `differs`.
---@param buf integer
---@param tick integer
---@param edits parley.Edit[]
---@param group? string
---@param is_begun? boolean an answer is under way: its end is written whatever was locked meanwhile
---@return { status: "applied"|"stale"|"differs"|"gone"|"failed", tick?: integer, message?: string }
---@return parley.Change[]? changes
function M.apply(buf, tick, edits, group, is_begun)
  if not vim.api.nvim_buf_is_loaded(buf) then
    return { status = "gone" }
  end
  local now = vim.api.nvim_buf_get_changedtick(buf)
  if now ~= tick then
    return { status = "stale", tick = now }
  end
  local message = not is_begun and M.refusal(buf)
  if message then
    return { status = "failed", message = message, tick = now }
  end
  for _, edit in ipairs(edits) do
    if not fits(buf, edit) then
      return { status = "differs", tick = now }
    end
  end
  local changes = {}
  for index, edit in ipairs(edits) do
    local change = trimmed(buf, edit)
    change.index = index
    table.insert(changes, change)
  end
  -- Bottom-up, so that no edit moves the lines of the next; of two edits in one place the later comes first.
  table.sort(changes, function(a, b)
    if a.start ~= b.start then
      return a.start > b.start
    end
    if a.finish ~= b.finish then
      return a.finish > b.finish
    end
    return a.index > b.index
  end)
  local views = remember_windows(buf)
  local ok, result = pcall(undo.write, buf, group, function()
    for _, change in ipairs(changes) do
      write_edit(buf, change)
    end
  end)
  if not ok then
    if M.is_textlocked(result) then
      -- The lock lasts only a moment. The short pause keeps the host, which retries, from spinning.
      vim.uv.sleep(2)
      return { status = "stale", tick = vim.api.nvim_buf_get_changedtick(buf) }
    end
    return {
      status = "failed",
      message = "Neovim refused the change: " .. tostring(result),
      tick = vim.api.nvim_buf_get_changedtick(buf),
    }
  end
  for _, view in ipairs(views) do
    restore_window(buf, view, changes)
  end
  return { status = "applied", tick = result }, changes
end

return M
