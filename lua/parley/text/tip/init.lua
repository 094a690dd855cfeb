--- The tip of a streaming answer: an extmark where text is appended atomically, so that the user may type anywhere
--- meanwhile.
local buffer = require("parley.text.buffer")
local first_line = require("parley.text.tip.first_line")
local markers = require("parley.text.markers")
local undo = require("parley.text.undo")
local undone = require("parley.text.tip.undone")
local unfinished = require("parley.text.tip.unfinished")

local M = {}

local namespace = vim.api.nvim_create_namespace("parley.tip")
--- Longer prefixes are compared by their first bytes only, because only those can read as a marker.
local compared_bytes = 64

---@class parley.Tip
---@field buf integer
---@field group? string of undo
---@field mark integer the mark of the place itself; all marks are extmarks
---@field left? integer where the last write left it: unlike `mark`, it stays before text that is inserted there
---@field answer? integer of the answer's first line
---@field unfinished? integer of the line that says that the answer is unfinished
---@field span? integer lines between the answer's first one and the unfinished mark
---@field gap? integer lines between the tip and the unfinished mark
---@field known? parley.TipPlace
---@field written parley.WrittenStep

--- Where the last write left the tip. Valid until something else changes the text, so that most writes need no lookup.
---@class parley.TipPlace
---@field tick integer of the text
---@field row integer
---@field column integer
---@field below? integer the row of the unfinished mark
---@field prefix string the beginning of the text before the tip on its line

---@type table<integer, parley.Tip> by id
local tips = {}
--- The tip that was opened last in each buffer, while it is open.
---@type table<integer, parley.Tip>
local open_in = {}
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

local position = unfinished.position

--- Notes where a write left the tip.
local function note_place(tip, place)
  tip.known = place
  local options = { id = tip.left, right_gravity = false }
  tip.left = vim.api.nvim_buf_set_extmark(tip.buf, namespace, place.row, place.column, options)
end

--- Replacing whole lines pushes the tip's mark to the line below. When no line is missing between the answer's first
--- line and the unfinished mark, the tip's line was replaced and not deleted.
local function replaced_row(tip, answer_row, below_row)
  return below_row - answer_row == tip.span and below_row - tip.gap or nil
end

--- Restores the marks to where the last write left them if the text there matches; returns whether it does. An undo
--- with an immediate redo, as in previews of undotree or telescope-undo, restores the text but not the marks.
local function put_back(tip)
  local known, buf = tip.known, tip.buf
  if not known or not known.below or not tip.answer then
    return false
  end
  local answer, line = known.below - tip.span, line_at(buf, known.row)
  local is_there = #line == known.column
    and vim.startswith(line, known.prefix)
    and unfinished.is_whole(line_at(buf, known.below))
    and markers.read(line_at(buf, answer)) == "answer"
  if is_there then
    place_tip(buf, known.row, known.column, tip.mark)
    first_line.place(buf, answer, tip.answer)
    unfinished.place(buf, known.below, tip.unfinished)
  end
  return is_there
end

--- Returns row and column of the tip and the row of the mark below it; nil when the answer's first line, its unfinished
--- mark, the tip's line or the last write was deleted or undone.
local function locate(tip)
  if not vim.api.nvim_buf_is_loaded(tip.buf) or undone.is_undone(tip.written) then
    return nil
  end
  if put_back(tip) then
    return tip.known.row, tip.known.column, tip.known.below
  end
  local answer = tip.answer and first_line.row(tip)
  local at = position(tip.buf, tip.mark)
  if not answer or not at[1] or at[1] < answer then
    return nil
  end
  if not tip.unfinished then
    return at[1], at[2]
  end
  local below = unfinished.row(tip, answer)
  if not below then
    return nil
  end
  at = position(tip.buf, tip.mark)
  if below <= at[1] then
    local row = replaced_row(tip, answer, below)
    if not row then
      return nil
    end
    at = { row, #line_at(tip.buf, row) }
    place_tip(tip.buf, at[1], at[2], tip.mark)
  end
  tip.span, tip.gap = below - answer, below - at[1]
  return at[1], at[2], below
end

--- Applies `edits` and opens a tip in one step, so that neither a key nor a redraw comes in between. Also returns the
--- changes, as `buffer.apply` does.
---@param buf integer
---@param tick integer
---@param line integer
---@param answer_line integer
---@param group string
---@param edits? parley.Edit[]
---@return { status: "opened"|"stale"|"differs"|"gone"|"failed", tick?: integer, message?: string, id?: integer }
---@return parley.Change[]? changes
function M.open(buf, tick, line, answer_line, group, edits)
  local applied, changes = buffer.apply(buf, tick, edits or {}, group)
  if applied.status ~= "applied" then
    return applied
  end
  local id = next_id
  next_id = next_id + 1
  local has_mark = unfinished.is_begun(line_at(buf, line + 1))
  tips[id] = {
    buf = buf,
    answer = line_at(buf, answer_line) ~= "" and first_line.place(buf, answer_line) or nil,
    unfinished = has_mark and unfinished.place(buf, line + 1) or nil,
    group = group,
    mark = place_tip(buf, line, #line_at(buf, line)),
    written = undone.watch(buf),
  }
  open_in[buf] = tips[id]
  local row, column, below = locate(tips[id])
  if not row then
    M.close(buf, id)
    return { status = "gone" }, changes
  end
  -- Looked up now, so that the first words do not wait for it.
  note_place(tips[id], {
    tick = vim.api.nvim_buf_get_changedtick(buf),
    row = row,
    column = column,
    below = below,
    prefix = line_at(buf, row):sub(1, math.min(column, compared_bytes)),
  })
  return { status = "opened", id = id, tick = applied.tick }, changes
end

local function same_beginning(prefix, expected)
  if #prefix >= compared_bytes and #expected >= compared_bytes then
    return prefix:sub(1, compared_bytes) == expected:sub(1, compared_bytes)
  end
  return prefix == expected
end

--- Returns where the last write left the tip; nil when the text has changed since.
---@return parley.TipPlace?
local function known_place(tip)
  local known = tip.known
  return known and known.tick == vim.api.nvim_buf_get_changedtick(tip.buf) and known or nil
end

--- Returns where the tip is after `lines` were written at it.
local function place_behind(at, lines, tick)
  local count, last = #lines, lines[#lines]
  local is_same_line = count == 1
  return {
    tick = tick,
    row = at.row + count - 1,
    column = is_same_line and at.column + #last or #last,
    below = at.below and at.below + count - 1,
    prefix = (is_same_line and at.prefix .. last or last):sub(1, compared_bytes),
  }
end

--- Returns the tip's place, from the last write or from its marks; nil when it is gone.
---@return parley.TipPlace?
local function find_place(tip)
  local known = vim.api.nvim_buf_is_loaded(tip.buf) and known_place(tip)
  if known then
    return known
  end
  local row, column, below = locate(tip)
  return row and { row = row, column = column, below = below }
end

--- Writes `text` at the tip if `expected` is still the text before it on its line.
---@param buf integer
---@param id integer
---@param expected string
---@param text string
---@param group? string
---@return { status: "written"|"moved"|"gone", prefix?: string, line?: integer, tick?: integer }
function M.write(buf, id, expected, text, group)
  local tip = tips[id]
  local at = tip and find_place(tip)
  if not at then
    return { status = "gone" }
  end
  local row, column = at.row, at.column
  if not (at.prefix and same_beginning(at.prefix, expected)) then
    at.prefix = line_at(buf, row):sub(1, column)
    if not same_beginning(at.prefix, expected) then
      return { status = "moved", prefix = at.prefix }
    end
  end
  local lines = text:find("\n", 1, true) and vim.split(text, "\n", { plain = true }) or { text }
  local ok, result = pcall(undo.write, buf, group, function()
    vim.api.nvim_buf_set_text(buf, row, column, row, column, lines)
    undone.note(tip.written)
  end)
  if not ok then
    if buffer.is_textlocked(result) then
      -- The lock lasts only a moment. The short pause keeps the host, which retries, from spinning.
      vim.uv.sleep(2)
      return { status = "moved", prefix = at.prefix }
    end
    error(result, 0)
  end
  if tip.span then
    tip.span = tip.span + #lines - 1
  end
  note_place(tip, place_behind(at, lines, result))
  return { status = "written", line = row + #lines - 1, tick = result }
end

--- Returns the row of the tip; nil when it is gone.
---@param id integer
---@return integer?
function M.line(_, id)
  return tips[id] and (locate(tips[id])) or nil
end

--- Returns the row of the mark below the tip, after repairing it. With `restore` a deleted mark is written again, as
--- long as the answer's first line and the tip exist.
---@param buf integer
---@param id integer
---@param group? string
---@param restore boolean
---@return integer?
function M.mark(buf, id, group, restore)
  local tip = tips[id]
  if not tip or not vim.api.nvim_buf_is_loaded(buf) then
    return nil
  end
  tip.group = group or tip.group
  local row, _, below = locate(tip)
  if row or not restore or not tip.unfinished then
    return below
  end
  local answer = tip.answer and first_line.row(tip)
  local at = position(buf, tip.mark)
  if not answer then
    return unfinished.moved(tip, 0)
  end
  if unfinished.moved(tip, answer) then
    return unfinished.moved(tip, answer)
  end
  local last = math.max(answer, math.min(at[1] or answer, vim.api.nvim_buf_line_count(buf) - 1))
  unfinished.write(tip, last + 1)
  return last + 1
end

--- Returns row and column of the open tip and the row of the mark below it, without repairing them; nil while one of
--- them is missing.
---@param buf integer
---@return integer? row
---@return integer? column
---@return integer? below
function M.place(buf)
  local tip = open_in[buf]
  local known = tip and known_place(tip)
  if known and known.below then
    return known.row, known.column, known.below
  end
  local below = tip and tip.unfinished and unfinished.covered(tip)
  local at = tip and position(buf, tip.mark)
  if not below or not at[1] or at[1] >= below or not unfinished.is_whole(line_at(buf, below)) then
    return nil
  end
  return at[1], at[2], below
end

--- Returns where the last write left the tip if the text has changed since, but not before the tip on its line. Lines
--- that were added or removed above have moved it.
---@param buf integer
---@return integer? row
---@return integer? column
function M.changed_since(buf)
  local tip = open_in[buf]
  local known = tip and tip.known
  if not known or known.tick == vim.api.nvim_buf_get_changedtick(buf) then
    return nil
  end
  local at = known.below and position(buf, tip.left) or {}
  if at[2] == known.column and vim.startswith(line_at(buf, at[1]), known.prefix) then
    return at[1], at[2]
  end
end

--- Whether an answer streams into the buffer.
---@param buf integer
---@return boolean
function M.is_open(buf)
  return open_in[buf] ~= nil
end

---@param buf integer
---@param id integer
function M.close(buf, id)
  local tip = tips[id]
  if not tip then
    return
  end
  tips[id] = nil
  if open_in[tip.buf] == tip then
    open_in[tip.buf] = nil
  end
  undone.forget(tip.written)
  if vim.api.nvim_buf_is_loaded(buf) then
    for _, mark in pairs({ tip.answer, tip.mark, tip.left, tip.unfinished }) do
      vim.api.nvim_buf_del_extmark(buf, namespace, mark)
    end
  end
end

--- Returns the tips of a buffer, or all of them: `{ {buf, id}, … }`.
---@param buf? integer
---@return { buf: integer, id: integer }[]
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
