--- The highlights of each window of a chat: the marks of its visible rows, kept over changes, and the rows to redraw
--- because of a change elsewhere.
local cuts = require("parley.colours.cuts")
local follow = require("parley.colours.follow")
local marks = require("parley.colours.marks")
local pieces = require("parley.colours.pieces")

local M = {}

---@class parley.Colours
---@field highlighter vim.treesitter.highlighter Neovim's own, which rests
---@field cuts? parley.Cuts
---@field late integer[] first rows of long pieces that wait for a pause in typing to be parsed
---@field timer? uv.uv_timer_t
---@field tip? integer the row where an answer streams
---@field is_only_tip? boolean all that changed since colours were looked for is what the answer wrote
---@field is_waiting? boolean what it wrote has no colours yet
---@field next_ms? number before which an answer that streams gets no colours
---@field is_fresh? boolean an answer was opened and has no text yet

---@class parley.Frame what a window shows
---@field buf integer
---@field tick integer
---@field first integer
---@field last integer
---@field rows table<integer, parley.RowMarks>

---@type table<integer, parley.Colours> by buffer
local coloured = {}

---@type table<integer, parley.Frame> by window
local frames = {}

--- Buffers whose changes are followed.
local followed = {}

--- How long a streaming answer's new text waits for colours: at least this many milliseconds, and this many times as
--- long as finding the colours took.
local stream_ms, stream_times = 100, 200

local function now_ms()
  return vim.uv.hrtime() / 1e6
end

local function on_lines(_, buf, _, first, last, new_last)
  local state = coloured[buf]
  if not state then
    followed[buf] = nil
    return true
  end
  local is_tip = follow.tip(state, first, last, new_last)
  if is_tip and state.is_fresh then
    -- The first words appear at once and are coloured together with the next ones.
    state.is_fresh = nil
    state.next_ms = now_ms() + stream_ms
  end
  state.is_only_tip = state.is_only_tip and is_tip
  state.cuts = cuts.follow(state.cuts, first, last, new_last)
  follow.late(state.late, first, last, new_last)
  for _, frame in pairs(frames) do
    if frame.buf == buf then
      follow.frame(frame, first, last, new_last, is_tip)
    end
  end
end

local function forget_frames(buf)
  for win, frame in pairs(frames) do
    if frame.buf == buf then
      frames[win] = nil
    end
  end
end

local function attach(buf)
  if followed[buf] then
    return
  end
  followed[buf] = true
  vim.api.nvim_buf_attach(buf, false, {
    on_lines = on_lines,
    on_reload = function()
      local state = coloured[buf]
      if state then
        state.cuts, state.late = nil, {}
        forget_frames(buf)
      end
    end,
    on_detach = function()
      followed[buf] = nil
      M.finish(buf)
    end,
  })
end

--- Returns the rows of the window that are drawn: of a closed fold only the first.
local function seen_rows(win, first, last)
  if last - first < vim.api.nvim_win_get_height(win) + 2 or not vim.wo[win].foldenable then
    return nil
  end
  return vim.api.nvim_win_call(win, function()
    local seen, row = {}, first
    while row <= last do
      seen[row] = true
      row = math.max(row + 1, vim.fn.foldclosedend(row + 1))
    end
    return seen
  end)
end

local function has_seen(seen, first, last)
  if not seen then
    return true
  end
  for row = first, last do
    if seen[row] then
      return true
    end
  end
  return false
end

--- Milliseconds without a change after which long pieces are parsed.
local pause_ms = 150
--- Milliseconds after which new text is coloured without a further write. Until then it waits for a write, which
--- redraws anyway.
local rest_ms = 40

--- Schedules work on a buffer, with one timer per buffer.
local function look_again(buf, after_ms, work)
  local state = coloured[buf]
  state.timer = state.timer or assert(vim.uv.new_timer())
  state.timer:start(
    after_ms,
    0,
    vim.schedule_wrap(function()
      if coloured[buf] == state then
        work(state)
      end
    end)
  )
end

--- Makes the next redraw find the marks of a buffer's windows again, even without a change.
local function mark_unsure(buf)
  for _, frame in pairs(frames) do
    frame.tick = frame.buf == buf and -1 or frame.tick
  end
end

local function redraw(buf)
  if vim.api.nvim_buf_is_loaded(buf) then
    mark_unsure(buf)
    vim.api.nvim__redraw({ buf = buf, valid = false, flush = false })
  end
end

--- Redraws the answer's last row, which also finds its colours.
local function redraw_tip(buf)
  local row = coloured[buf].tip
  if row then
    vim.api.nvim__redraw({ buf = buf, range = { row, row + 1 }, flush = false })
    coloured[buf].is_only_tip = false
    mark_unsure(buf)
  end
end

--- Finds the colours of the answer's last row if no write does so in time.
local function redraw_tip_later(buf)
  local left = coloured[buf].next_ms - now_ms()
  look_again(buf, math.ceil(math.max(0, left) + rest_ms), function(state)
    if state.is_waiting and now_ms() < state.next_ms then
      redraw_tip_later(buf)
    elseif state.is_waiting then
      redraw_tip(buf)
    end
  end)
end

--- Parses the pieces that were too long to parse between two keys. Not while an answer streams: Neovim parses in steps,
--- but a single step can take 50 ms for a paragraph of thousands of lines.
local function parse_late(buf)
  if coloured[buf].tip then
    return
  end
  look_again(buf, pause_ms, function(state)
    if state.tip then
      return
    end
    local late = state.late
    state.late = {}
    for _, start in ipairs(late) do
      local _, below
      _, below, state.cuts = cuts.around(buf, state.cuts, start, start)
      local lines = vim.api.nvim_buf_get_lines(buf, start, below, false)
      pieces.prepare(lines, start == 0, function()
        redraw(buf)
      end)
    end
  end)
end

--- Returns the marks of the rows `first` to `last`. Rows whose marks take too long keep those of `before`; rows in
--- closed folds are handled when they are drawn.
---@param win integer
---@param buf integer
---@param first integer
---@param last integer
---@param before table<integer, parley.RowMarks>?
---@return table<integer, parley.RowMarks>
function M.marks_between(win, buf, first, last, before)
  local state, rows = coloured[buf], {}
  local starts, below
  starts, below, state.cuts = cuts.around(buf, state.cuts, first, last)
  local seen = seen_rows(win, first, last)
  for index, start in ipairs(starts) do
    local next_start = starts[index + 1] or below
    local from, to = math.max(first, start), math.min(last, next_start - 1)
    if pieces.are_too_long(buf, start, next_start) then
      for row = from, to do
        rows[row] = marks.none
      end
    elseif has_seen(seen, from, to) then
      local is_late = vim.list_contains(state.late, start)
      local lines = not is_late and vim.api.nvim_buf_get_lines(buf, start, next_start, false)
      local piece = lines and pieces.piece(lines, start == 0, true)
      if piece then
        pieces.fill(piece, from - start, to - start, start, rows)
      else
        if not is_late then
          table.insert(state.late, start)
        end
        for row = from, to do
          rows[row] = before and before[row] or marks.none
        end
        parse_late(buf)
      end
    else
      for row = from, to do
        rows[row] = marks.unseen
      end
    end
  end
  return rows
end

--- Redraws rows that look different although they were not edited, as below a newly opened fence.
local function redraw_changed(buf, before, rows, first, last)
  local from = nil
  for row = first, last + 1 do
    local old, new = before[row], rows[row]
    local is_seen = old ~= marks.unseen and new ~= marks.unseen
    local differs = row <= last and old and new and is_seen and not marks.are_same(old, new)
    if differs and not from then
      from = row
    elseif not differs and from then
      vim.api.nvim__redraw({ buf = buf, range = { from, row }, flush = false })
      from = nil
    end
  end
end

--- Whether to leave the colours of a streaming answer for later: it is parsed a few times per second, because parsing
--- for each write would be most of the cost of streaming.
local function waits_for_answer(buf, frame, first, last)
  local state = coloured[buf]
  local waits = state.tip and state.is_only_tip and now_ms() < (state.next_ms or 0)
  for row = first, waits and last or first - 1 do
    waits = waits and frame.rows[row] ~= nil
  end
  state.is_waiting = waits
  if waits then
    if not state.timer or not state.timer:is_active() then
      redraw_tip_later(buf)
    end
    return true
  end
  state.is_only_tip = true
  return false
end

--- Finds the marks of a window's visible rows.
---@param win integer
---@param buf integer
---@param first integer
---@param last integer
function M.update(win, buf, first, last)
  local tick = vim.api.nvim_buf_get_changedtick(buf)
  local frame = frames[win]
  if frame and frame.buf ~= buf then
    frame = nil
  end
  local is_known = frame and frame.first <= first and frame.last >= last
  if is_known and frame.tick == tick then
    return
  end
  if frame and waits_for_answer(buf, frame, first, last) then
    frame.tick, frame.first, frame.last = tick, first, last
    return
  end
  local begun = now_ms()
  local rows = M.marks_between(win, buf, first, last, frame and frame.rows)
  local ended = now_ms()
  coloured[buf].next_ms = ended + math.max(stream_ms, (ended - begun) * stream_times)
  if frame and frame.tick ~= tick then
    redraw_changed(buf, frame.rows, rows, first, last)
  end
  frames[win] = { buf = buf, tick = tick, first = first, last = last, rows = rows }
end

--- Returns the colour state of a buffer; nil when Neovim's own highlighter is used, or none.
---@param buf integer
---@return parley.Colours?
function M.of(buf)
  return coloured[buf]
end

---@param win integer
---@param buf integer
---@return parley.Frame?
function M.frame(win, buf)
  local frame = frames[win]
  return frame and frame.buf == buf and frame or nil
end

--- Whether a row that is being drawn may have marks; most rows of a streaming answer have none.
---@param win integer
---@param buf integer
---@param row integer
---@return boolean
function M.has_marks(win, buf, row)
  local frame = frames[win]
  local found = frame and frame.buf == buf and frame.rows[row]
  return found == marks.unseen or (found and #found > 0) or false
end

--- Returns the marks of a row that is being drawn; finds those of the rows below too when a fold was opened.
---@param win integer
---@param buf integer
---@param row integer
---@return parley.RowMarks?
function M.row(win, buf, row)
  local frame = M.frame(win, buf)
  local found = frame and frame.rows[row]
  if not frame or found ~= marks.unseen then
    return found
  end
  local last = math.min(frame.last, row + vim.api.nvim_win_get_height(win))
  for each, row_marks in pairs(M.marks_between(win, buf, row, last, nil)) do
    frame.rows[each] = row_marks
  end
  return frame.rows[row]
end

--- Forgets windows that are no longer shown.
---@param shown table<integer, true>
function M.keep(shown)
  for win in pairs(frames) do
    frames[win] = shown[win] and frames[win] or nil
  end
end

---@param buf integer
---@param highlighter vim.treesitter.highlighter
function M.begin(buf, highlighter)
  M.finish(buf)
  coloured[buf] = { highlighter = highlighter, late = {} }
  attach(buf)
end

---@param buf integer
---@return vim.treesitter.highlighter?
function M.finish(buf)
  local state = coloured[buf]
  coloured[buf] = nil
  forget_frames(buf)
  if state and state.timer then
    state.timer:close()
  end
  if next(coloured) == nil then
    pieces.forget()
  end
  return state and state.highlighter
end

--- Records the row into which an answer streams; nil when it has ended.
---@param buf integer
---@param row integer?
function M.stream(buf, row)
  local state = coloured[buf]
  if state then
    redraw_tip(buf)
    state.tip, state.is_fresh = row, row ~= nil
    if #state.late > 0 then
      parse_late(buf)
    end
  end
end

return M
