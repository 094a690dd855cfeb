--- The tip of a streaming answer: an extmark that is read and written at in one step, so that a person may
--- type anywhere meanwhile.
local buffer = require("parley.buffer")
local undo = require("parley.undo")

local M = {}

local namespace = vim.api.nvim_create_namespace("parley.tip")
local answer_marker = "🤖"
local unfinished_marker = "<!-- parley:unfinished"
--- Longer prefixes are compared by their beginning: only that can read as a marker.
local compared_bytes = 64

local tips = {}
local next_id = 1

local function line_at(buf, row)
  return vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ""
end

local function place(buf, row, column, right_gravity)
  return vim.api.nvim_buf_set_extmark(
    buf,
    namespace,
    row,
    column,
    { right_gravity = right_gravity }
  )
end

local function position(buf, id)
  return vim.api.nvim_buf_get_extmark_by_id(buf, namespace, id, {})
end

local function begins_with(text, prefix)
  return text:sub(1, #prefix) == prefix
end

--- The row of the mark below the tip while it still is one; nil when it was deleted or changed.
local function unfinished_row(tip)
  local below = position(tip.buf, tip.unfinished)
  local stands = below[1]
    and below[2] == 0
    and begins_with(line_at(tip.buf, below[1]), unfinished_marker)
  return stands and below[1] or nil
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
  local answer, at = position(tip.buf, tip.answer), position(tip.buf, tip.mark)
  if not answer[1] or not at[1] or at[1] < answer[1] then
    return nil
  end
  if answer[2] ~= 0 or not begins_with(line_at(tip.buf, answer[1]), answer_marker) then
    return nil
  end
  if not tip.unfinished then
    return at[1], at[2]
  end
  local below = unfinished_row(tip)
  if below and below <= at[1] then
    local row = replaced_row(tip, answer[1], below)
    if not row then
      return nil
    end
    at = { row, #line_at(tip.buf, row) }
    vim.api.nvim_buf_set_extmark(
      tip.buf,
      namespace,
      at[1],
      at[2],
      { id = tip.mark, right_gravity = true }
    )
  end
  if not below then
    return nil
  end
  tip.span, tip.gap = below - answer[1], below - at[1]
  return at[1], at[2]
end

function M.open(buf, tick, line, answer_line)
  if not buffer.is_loaded(buf) then
    return { status = "gone" }
  end
  local now = vim.api.nvim_buf_get_changedtick(buf)
  if now ~= tick then
    return { status = "stale", tick = now }
  end
  local id = next_id
  next_id = next_id + 1
  local below = line_at(buf, line + 1)
  tips[id] = {
    buf = buf,
    -- Marks at the start of a line go left: what is typed in front of them ends their line's meaning.
    answer = place(buf, answer_line, 0, false),
    unfinished = begins_with(below, unfinished_marker) and place(buf, line + 1, 0, true) or nil,
    mark = place(buf, line, #line_at(buf, line), true),
  }
  if not locate(tips[id]) then
    M.close(buf, id)
    return { status = "gone" }
  end
  require("parley.treesitter").pause(buf)
  return { status = "opened", id = id, tick = now }
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
  keep_end_in_view(buf)
  return { status = "written", line = row + #lines - 1, tick = result }
end

function M.line(_, id)
  return tips[id] and (locate(tips[id])) or nil
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
  if not vim.iter(tips):any(function(_, other)
    return other.buf == buf
  end) then
    require("parley.treesitter").resume(buf)
  end
end

--- Closes every tip of a buffer, or of all: the host that wrote there is gone.
function M.close_all(buf)
  for id, tip in pairs(tips) do
    if buf == nil or tip.buf == buf then
      M.close(tip.buf, id)
    end
  end
end

return M
