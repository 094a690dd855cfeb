--- Whole-line edits of a chat buffer, with every window left where it was.
local undo = require("parley.text.undo")

local M = {}

local utf8_continuation = "[\128-\191]"

---@param buf integer
---@return boolean
function M.is_loaded(buf)
  return vim.api.nvim_buf_is_valid(buf) and vim.api.nvim_buf_is_loaded(buf)
end

--- Why a buffer cannot be written to, as a sentence; nil when it can.
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

--- Neovim refuses changes while it evaluates an expression mapping and the like.
---@param message any
---@return boolean
function M.is_textlocked(message)
  return tostring(message):find("E565", 1, true) ~= nil
end

--- What an edit changed: rows from `start` up to `finish` gave way to `lines`.
---@class parley.Change
---@field start integer
---@field finish integer
---@field lines string[]
---@field index integer of the edit that it is of

--- The part of two lines that differs, in bytes and never inside a character.
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

--- The edit without the lines it would replace by themselves: marks and cursors on those stay.
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

--- Where row `row` is after `edits` (bottom-up); a row inside a replaced part stays as near as it can.
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

--- Whether the person types in the window: its cursor is theirs.
---@param win integer
---@return boolean
function M.is_typing_in(win)
  return win == vim.api.nvim_get_current_win() and vim.api.nvim_get_mode().mode:find("^[iR]") ~= nil
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

--- Puts a window's view back on the lines it showed.
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

--- Whether the buffer has what the edit was computed from: as many lines, and the same ones there and beside.
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

--- `{start, end, lines}` edits against `tick`, all in one undo step or none. With `total` and `replaces`, the number
--- of lines and a hash of those replaced, nothing is written where the text is another: `differs`.
---@param buf integer
---@param tick integer
---@param edits parley.Edit[]
---@param group? string
---@param is_begun? boolean an answer is under way: its end is written whatever was locked meanwhile
---@return { status: "applied"|"stale"|"differs"|"gone"|"failed", tick?: integer, message?: string }
---@return parley.Change[]? changes
function M.apply(buf, tick, edits, group, is_begun)
  if not M.is_loaded(buf) then
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
  -- From the bottom, so that no edit moves the lines of the next; of two at one place the later first.
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
      -- Over in a moment; a short pause keeps the host, which tries again, from spinning.
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
