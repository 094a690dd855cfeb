--- Shows waiting and running calls as one row each: a closed fold over the call's line, with its text kept here.
--- Details that do not fit in a row are drawn below the last one.
local fillers = require("parley.screen.fillers")
local waiting_call = require("parley.screen.calls.waiting_call")
local wrap = require("parley.screen.wrap")

local M = {}

local namespace = vim.api.nvim_create_namespace("parley.open_rows")

--- A drawn call: the host's data, and its state on the screen.
---@class parley.DrawnCall: parley.ShownCall
---@field id integer of the mark over its line
---@field is_row boolean whether its row holds all of it
---@field is_cut_here? boolean whether the details below are not all there is
---@field decided boolean a key decided it, and the host has not written that yet
---@field rows integer how many rows are drawn for it below
---@field row_rows integer how many of them its row takes where no fold hides its line
---@field row_width integer columns of its row, cut or not
---@field widest integer columns of the longest of what is drawn for it
---@field below? integer the extmark of the text below all calls
---@field seen_ms? number when its details came below, by vim.uv.hrtime() in milliseconds
---@field is_fresh? boolean its details came with the cursor, or changed, too short a time ago to be read

--- By buffer: the calls with the extmarks of their lines, and what is drawn below them.
local shown = {}

--- Milliseconds that a user needs to read a call that appeared under the cursor or replaced another. A key that comes
--- sooner, as the second `yo` of `yoyo`, was not meant for it.
local reading_ms = 500

local function now_ms()
  return vim.uv.hrtime() / 1e6
end

--- Returns what identifies a call for an approval.
local function identity(call)
  return table.concat({ call.text, call.tool, call.effect }, "\n")
end

--- Returns the drawn calls by identity, and also by text for those whose details were known.
local function drawn(buf)
  local found = {}
  for _, call in ipairs(shown[buf] and shown[buf].calls or {}) do
    found[identity(call)] = call
    if not call.pending then
      found[call.text] = call
    end
  end
  return found
end

--- Records when a call appeared. One that appears where there was none before counts as read at once.
local function note_seen(call, before)
  local is_new = before and not before[identity(call)] and not before[call.text]
  call.seen_ms = call.seen_ms or (is_new and -math.huge or now_ms())
end

--- Whether all windows of the buffer can show rows. If not, because of another 'foldmethod', the lines are shown as
--- they are, each with its details below.
local function folds_everywhere(buf, can_fold)
  local wins = vim.fn.win_findbuf(buf)
  return #wins > 0 and vim.iter(wins):all(can_fold)
end

local function place(buf, call, options)
  local text = vim.api.nvim_buf_get_lines(buf, call.line, call.line + 1, false)[1] or ""
  options.end_col, options.invalidate = #text, true
  return vim.api.nvim_buf_set_extmark(buf, namespace, call.line, 0, options)
end

--- Returns the row where the details below the calls are drawn: the first row after the calls that is not folded.
--- Decided calls, which are folds too, may follow; the chat's last line, which a fold leaves out, counts as part of
--- them.
local function row_below(buf, last)
  local row = last + 1
  local win = vim.fn.bufwinid(buf)
  if win < 0 then
    return row
  end
  return vim.api.nvim_win_call(win, function()
    local first, level = row, math.max(1, vim.fn.foldlevel(last + 1))
    while vim.fn.foldlevel(row + 1) >= level do
      row = row + 1
    end
    return row > first and row + 1 == vim.fn.line("$") and row + 1 or row
  end)
end

--- Returns the call to show details of: the one at the cursor, else the first that needs them.
local function detailed(buf, state)
  local win = vim.api.nvim_get_current_win()
  local at = vim.api.nvim_win_get_buf(win) == buf and vim.api.nvim_win_get_cursor(win)[1] - 1 or -1
  local first = nil
  for _, call in ipairs(state.calls) do
    if not call.is_row then
      first = first or call
      if M.row_of(buf, call) == at then
        return call
      end
    end
  end
  return first
end

--- Draws details of one call and the description of the keys below the calls. `before` has the calls that were already
--- drawn; it is nil when only the cursor moved.
local function draw_below(buf, state, before)
  local call, rows = detailed(buf, state), {}
  state.detailed = call
  if call then
    local more
    rows, more = waiting_call.details(call, state.width, true)
    call.is_cut_here = more
    call.widest = waiting_call.widest(rows)
    note_seen(call, before)
  end
  call = call or {}
  call.rows = #rows
  for _, row in ipairs(state.prompt) do
    rows[#rows + 1] = row
  end
  if #rows == 0 or #state.calls == 0 then
    return
  end
  local last = M.row_of(buf, state.calls[#state.calls]) or 0
  local at = math.min(row_below(buf, last), vim.api.nvim_buf_line_count(buf))
  state.below = vim.api.nvim_buf_set_extmark(buf, namespace, at, 0, {
    id = state.below,
    virt_lines = rows,
    virt_lines_above = true,
    -- Stays below the calls when lines are added there, such as the next question at the end of the text.
    right_gravity = false,
  })
end

--- Whether some window cannot show the calls and everything below them with the cursor on the first call. 'scrolloff'
--- keeps lines above the cursor, and with 999 nothing below the last line.
local function is_too_high(buf, state)
  local rows = #state.calls + (state.detailed and state.detailed.rows or 0) + #state.prompt
  return vim.iter(vim.fn.win_findbuf(buf)):any(function(win)
    local kept = vim.wo[win].scrolloff
    local above = math.min(kept, state.calls[1].line)
    return math.max(above + rows, kept * 2) > vim.fn.getwininfo(win)[1].height
  end)
end

--- Returns the last row above the calls that no fold hides, below which something can be drawn; negative without one.
--- Folded step lines and decided calls may come in between.
local function row_above(buf, first)
  local row, win = first - 1, vim.fn.bufwinid(buf)
  return win < 0 and row
    or vim.api.nvim_win_call(win, function()
      local closed = vim.fn.foldclosed(row + 1)
      while closed > 0 do
        row = closed - 2
        closed = vim.fn.foldclosed(row + 1)
      end
      return row
    end)
end

--- Draws the description of the keys above the calls too, when both ends do not fit in the window.
local function draw_above(buf, state)
  local first = state.calls[1]
  local row = first and is_too_high(buf, state) and row_above(buf, first.line) or -1
  if row >= 0 then
    state.lines_above = first.line - row
    vim.api.nvim_buf_set_extmark(buf, namespace, row, 0, { virt_lines = state.prompt })
  end
end

--- Returns the first line (from 1) of the block of calls, including the line whose virtual lines describe the keys.
---@param buf integer
---@param first parley.DrawnCall
---@return integer
function M.top(buf, first)
  return first.line + 1 - (shown[buf] and shown[buf].lines_above or 0)
end

--- Returns the current row of the call; nil when its line is gone.
---@param buf integer
---@param call parley.DrawnCall
---@return integer?
function M.row_of(buf, call)
  local mark = vim.api.nvim_buf_get_extmark_by_id(buf, namespace, call.id, { details = true })
  -- Lines that were replaced below the last one left can leave it behind the end of the text.
  local is_there = mark[1] and not mark[3].invalid and mark[1] < vim.api.nvim_buf_line_count(buf)
  return is_there and mark[1] or nil
end

--- Draws `calls`, top to bottom, and `texts` (`{ text, highlight }` each) below them: the keys, and the usage.
--- `can_fold` says whether a window can show lines as rows.
---@param buf integer
---@param calls parley.ShownCall[]
---@param texts [string?, string][]
---@param can_fold fun(win: integer): boolean
function M.draw(buf, calls, texts, can_fold)
  local before = drawn(buf)
  M.clear(buf)
  local width = wrap.width(buf)
  local are_rows = folds_everywhere(buf, can_fold)
  local state = { calls = {}, width = width, are_rows = are_rows, prompt = {} }
  shown[buf] = state
  for _, given in ipairs(calls) do
    local call = vim.tbl_extend("force", {
      row = "",
      lines = {},
      tool = "",
      effect = "",
      decided = false,
    }, given)
    call.pending, call.cut = given.pending == true, given.cut == true
    call.seen_ms = vim.tbl_get(before, identity(call), "seen_ms")
    call.row_width = waiting_call.row_width(call.row)
    call.is_row = are_rows and given.whole == true and call.row_width <= width
    call.widest = call.is_row and call.row_width or 0
    -- Drawn below the line itself, so visible while its fold is open.
    local options = { virt_lines = waiting_call.rows({ call.row }, width) }
    call.rows, call.row_rows = 0, #options.virt_lines
    if not are_rows then
      local rows, is_cut = waiting_call.details(call, width, false)
      options.virt_lines, call.is_cut_here = rows, is_cut
      call.rows, call.widest = #rows, waiting_call.widest(rows)
      note_seen(call, before)
    end
    call.id = place(buf, call, options)
    state.calls[#state.calls + 1] = call
  end
  for _, each in ipairs(texts) do
    for _, line in ipairs(each[1] and wrap.words(each[1], width) or {}) do
      state.prompt[#state.prompt + 1] = { { line, each[2] } }
    end
  end
  if are_rows then
    draw_below(buf, state, before)
    draw_above(buf, state)
  elseif #state.calls > 0 and #state.prompt > 0 then
    vim.api.nvim_buf_set_extmark(buf, namespace, state.calls[#state.calls].line, 0, {
      virt_lines = state.prompt,
    })
  end
end

--- Updates the details to the call at the cursor, after the cursor moved.
---@param buf integer
function M.moved(buf)
  local state = shown[buf]
  if state and state.are_rows and #state.calls > 1 and detailed(buf, state) ~= state.detailed then
    draw_below(buf, state)
    fillers.settle(buf)
  end
end

--- Returns the visible buffers whose windows' width differs from the one the calls were drawn for; each only once per
--- change. Runs with each redraw.
---@return integer[]
function M.misfits()
  local found = {}
  for buf, state in pairs(shown) do
    if state.calls[1] and state.width and vim.fn.bufwinid(buf) > 0 then
      local before = state.width
      state.width = wrap.width(buf)
      if state.width ~= before then
        found[#found + 1] = buf
      end
    end
  end
  return found
end

--- Returns the drawn calls, each with its current line.
---@param buf integer
---@return parley.DrawnCall[]
function M.list(buf)
  local found = {}
  local state = shown[buf]
  -- Signs, line numbers or another window may have taken columns since the calls were drawn.
  local width = state and wrap.columns(buf) or 0
  for _, call in ipairs(state and state.calls or {}) do
    local line = M.row_of(buf, call)
    if line then
      local is_detailed = state.detailed == call or not state.are_rows
      local is_unseen = not call.is_row and not is_detailed or call.widest > width
      found[#found + 1] = vim.tbl_extend("force", call, {
        line = line,
        cut = call.cut or is_unseen or (not call.is_row and call.is_cut_here == true),
        below = state.are_rows and state.below or nil,
        is_fresh = call.seen_ms ~= nil and now_ms() - call.seen_ms < reading_ms,
      })
    end
  end
  return found
end

--- Marks the call in this row as decided; it is drawn as open until the host has written the decision.
---@param buf integer
---@param row integer
function M.set_decided(buf, row)
  local call = M.at(buf, row)
  if call then
    call.decided = true
  end
end

--- Returns the open call in this row; nil without one.
---@param buf integer
---@param row integer
---@return parley.DrawnCall?
function M.at(buf, row)
  return vim.iter(shown[buf] and shown[buf].calls or {}):find(function(call)
    return M.row_of(buf, call) == row
  end)
end

--- Whether the last open call is in this row, so that the details are right below it.
---@param buf integer
---@param row integer
---@return boolean
function M.is_last(buf, row)
  local calls = shown[buf] and shown[buf].calls or {}
  return #calls > 0 and M.row_of(buf, calls[#calls]) == row
end

--- Returns the row where the details are drawn, how many rows they take, and how many rows precede them when the last
--- call's line is not folded.
---@param buf integer
---@return integer? row
---@return integer? count
---@return integer? before
function M.below(buf)
  local state = shown[buf]
  local mark = state
    and state.below
    and vim.api.nvim_buf_get_extmark_by_id(buf, namespace, state.below, {})
  if not mark or not mark[1] then
    return nil
  end
  local count = (state.detailed and state.detailed.rows or 0) + #state.prompt
  return mark[1], count, state.calls[#state.calls].row_rows
end

---@param buf integer
function M.clear(buf)
  shown[buf] = nil
  if vim.api.nvim_buf_is_loaded(buf) then
    vim.api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
  end
end

return M
