--- The tip of a streaming answer: an extmark that is read and written at in one step, so that a person may
--- type anywhere meanwhile.
local buffer = require("parley.text.buffer")
local undo = require("parley.text.undo")

local M = {}

local namespace = vim.api.nvim_create_namespace("parley.tip")
local answer_markers = { "🤖:", "🤖\239\184\143:" }
local unfinished_markers = { "<!-- parley:unfinished" }
--- Bytes into such a line that its mark stands: lines opened above move it, and lines replaced leave it.
local inside = 1
--- Longer prefixes are compared by their beginning: only that can read as a marker.
local compared_bytes = 64

local tips = {}
local next_id = 1

local function line_at(buf, row)
  return vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ""
end

local function place_tip(buf, row, column, id)
  return vim.api.nvim_buf_set_extmark(
    buf,
    namespace,
    row,
    column,
    { id = id, right_gravity = true }
  )
end

local function position(buf, id)
  return vim.api.nvim_buf_get_extmark_by_id(buf, namespace, id, {})
end

local function begins_with_any(text, prefixes)
  return vim.iter(prefixes):any(function(prefix)
    return vim.startswith(text, prefix)
  end)
end

local function place_inside(buf, row, id)
  return vim.api.nvim_buf_set_extmark(
    buf,
    namespace,
    row,
    inside,
    { id = id, right_gravity = false }
  )
end

--- The row of a mark set by `place_inside` while its line still begins with one of `prefixes`; nil when it was
--- deleted or changed.
local function row_of(tip, id, prefixes)
  local at = position(tip.buf, id)
  if not at[1] or not begins_with_any(line_at(tip.buf, at[1]), prefixes) then
    return nil
  end
  if at[2] ~= inside then
    place_inside(tip.buf, at[1], id)
  end
  return at[1]
end

--- Whole lines that are replaced push the tip's mark to the line below. When nothing is missing between the
--- answer's first line and the unfinished mark, the tip's line was replaced and not deleted.
local function replaced_row(tip, answer_row, below_row)
  return below_row - answer_row == tip.span and below_row - tip.gap or nil
end

--- Row and column of the tip, or nil when the answer's first line, its unfinished mark or the tip's own
--- line was deleted or undone.
local function locate(tip)
  if not buffer.is_loaded(tip.buf) then
    return nil
  end
  local answer = tip.answer and row_of(tip, tip.answer, answer_markers)
  local at = position(tip.buf, tip.mark)
  if not answer or not at[1] or at[1] < answer then
    return nil
  end
  if not tip.unfinished then
    return at[1], at[2]
  end
  local below = row_of(tip, tip.unfinished, unfinished_markers)
  if below and below <= at[1] then
    local row = replaced_row(tip, answer, below)
    if not row then
      return nil
    end
    at = { row, #line_at(tip.buf, row) }
    place_tip(tip.buf, at[1], at[2], tip.mark)
  end
  if not below then
    return nil
  end
  tip.span, tip.gap = below - answer, below - at[1]
  return at[1], at[2]
end

--- Applies `edits` and opens a tip where they put it, so that nothing comes between the two: neither a person
--- nor a redraw, for which a request would wait. Also what changed, as `buffer.apply` says it.
function M.open(buf, tick, line, answer_line, group, edits)
  local applied, changes = buffer.apply(buf, tick, edits or {}, group)
  if applied.status ~= "applied" then
    return applied
  end
  local id = next_id
  next_id = next_id + 1
  local has_mark = begins_with_any(line_at(buf, line + 1), unfinished_markers)
  tips[id] = {
    buf = buf,
    answer = line_at(buf, answer_line) ~= "" and place_inside(buf, answer_line) or nil,
    unfinished = has_mark and place_inside(buf, line + 1) or nil,
    mark = place_tip(buf, line, #line_at(buf, line)),
  }
  if not locate(tips[id]) then
    M.close(buf, id)
    return { status = "gone" }, changes
  end
  return { status = "opened", id = id, tick = applied.tick }, changes
end

local function same_beginning(prefix, expected)
  if #prefix >= compared_bytes and #expected >= compared_bytes then
    return prefix:sub(1, compared_bytes) == expected:sub(1, compared_bytes)
  end
  return prefix == expected
end

--- Windows that stand at the end scroll with the text, those that are not current too.
local function keep_end_in_view(buf)
  local current = vim.api.nvim_get_current_win()
  local count = vim.api.nvim_buf_line_count(buf)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    if win ~= current then
      local cursor = vim.api.nvim_win_get_cursor(win)
      if cursor[1] == count then
        vim.api.nvim_win_set_cursor(win, cursor)
      end
    end
  end
end

--- Writes `text` at the tip when `expected` still stands before it on its line.
function M.write(buf, id, expected, text, group)
  local tip = tips[id]
  local row, column
  if tip then
    row, column = locate(tip)
  end
  if not row then
    return { status = "gone" }
  end
  local prefix = line_at(buf, row):sub(1, column)
  if not same_beginning(prefix, expected) then
    return { status = "moved", prefix = prefix }
  end
  local lines = vim.split(text, "\n", { plain = true })
  local ok, result = pcall(undo.write, buf, group, function()
    vim.api.nvim_buf_set_text(buf, row, column, row, column, lines)
  end)
  if not ok then
    if buffer.is_textlocked(result) then
      -- Over in a moment; a short pause keeps the host, which tries again, from spinning.
      vim.uv.sleep(2)
      return { status = "moved", prefix = prefix }
    end
    error(result, 0)
  end
  if tip.span then
    tip.span = tip.span + #lines - 1
  end
  keep_end_in_view(buf)
  return { status = "written", line = row + #lines - 1, tick = result }
end

function M.line(_, id)
  return tips[id] and (locate(tips[id])) or nil
end

--- Whether an answer streams into the buffer.
function M.is_open(buf)
  for _, tip in pairs(tips) do
    if tip.buf == buf then
      return true
    end
  end
  return false
end

function M.close(buf, id)
  local tip = tips[id]
  if not tip then
    return
  end
  tips[id] = nil
  if buffer.is_loaded(buf) then
    for _, mark in pairs({ tip.answer, tip.mark, tip.unfinished }) do
      vim.api.nvim_buf_del_extmark(buf, namespace, mark)
    end
  end
end

--- The tips of a buffer, or of all: `{ {buf, id}, … }`.
function M.list(buf)
  local found = {}
  for id, tip in pairs(tips) do
    if buf == nil or tip.buf == buf then
      found[#found + 1] = { buf = tip.buf, id = id }
    end
  end
  return found
end

return M
