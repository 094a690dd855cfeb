--- Manual folds over decided calls with their results, long results and step lines. Each is created once, when its text
--- is written or read from a file (`unfolded.lua`).
local call_row = require("parley.screen.calls.call_row")
local call_text = require("parley.text.call_text")
local chats = require("parley.text.chats")
local config = require("parley.config")
local contrast = require("parley.screen.contrast")
local cursor_fold = require("parley.screen.folds.cursor_fold")
local guard = require("parley.screen.folds.guard")
local open_rows = require("parley.screen.calls.open_rows")
local other_folds = require("parley.screen.folds.other_folds")
local reveal = require("parley.screen.calls.reveal")
local spinner = require("parley.screen.spinner")
local undisturbed = require("parley.system.undisturbed")
local waiting_call = require("parley.screen.calls.waiting_call")

local M = {}

--- The most lines that are read for one call with its result.
M.longest_read = 32000
local default_foldtext = "foldtext()"

--- Marks calls whose folds end above their last line, because that was the chat's last line.
local short_namespace = vim.api.nvim_create_namespace("parley.folds.short")

local function least_lines()
  return config.get().fold_results
end

local function folds_calls()
  return config.get().fold_calls
end

--- Whether anything of a chat is folded.
---@return boolean
function M.is_wanted()
  return (least_lines() or folds_calls()) and true or false
end

--- Whether the chat's last line, which folds leave out, belongs to the call folded in these rows.
local function is_short(first, last)
  if last ~= vim.fn.line("$") - 1 then
    return false
  end
  local row = { first - 1, 0 }
  return #vim.api.nvim_buf_get_extmarks(0, short_namespace, row, { first - 1, -1 }, {}) > 0
end

--- Returns the text of one of our closed folds, for 'foldtext'.
---@return string|[string, string?][]
function M.text()
  local line = vim.fn.getline(vim.v.foldstart)
  if call_text.is_call(line) then
    local last = vim.v.foldend
    last = is_short(vim.v.foldstart, last) and last + 1 or last
    local lines = vim.api.nvim_buf_get_lines(0, vim.v.foldstart - 1, last, false)
    local window = vim.fn.getwininfo(vim.api.nvim_get_current_win())[1]
    local width = window.width - window.textoff
    local open = open_rows.at(vim.api.nvim_get_current_buf(), vim.v.foldstart - 1)
    local running = spinner.words_at(vim.api.nvim_get_current_buf(), vim.v.foldstart - 1)
    local chunks = open and waiting_call.chunks(open, width)
      or call_row.chunks(lines, width, running)
    return vim.tbl_map(function(chunk)
      return { chunk[1], contrast.in_row(chunk[2]) }
    end, chunks)
  end
  local model = line:match('^<!%-%- parley:step .-"model"%s*:%s*"([^"]*)"')
  if model then
    return "step · " .. model
  end
  local count = vim.v.foldend - vim.v.foldstart + 1
  -- A fold of one line, as in a diff, hides nothing.
  return count == 1 and line or ("%s · %d lines"):format(line, count)
end

local own_foldtext = "v:lua.require'parley.screen.folds'.text()"

--- Sets the window's fold options for this buffer: a call of one long line folds too, without fill characters.
local function set_options(win)
  local is_default = vim.wo[win].foldtext == default_foldtext or vim.wo[win].foldtext == ""
  if is_default or folds_calls() then
    vim.wo[win][0].foldtext = own_foldtext
  end
  if vim.wo[win].foldtext == own_foldtext and folds_calls() then
    vim.wo[win][0].foldminlines = 0
    vim.opt_local.fillchars:append({ fold = " " })
  end
end

--- Whether a fold already covers these rows: ours, or a wider one by the user, which is left alone. One of ours that
--- begins above does not count: Neovim moves it there when lines are removed and restored.
local function is_folded(first, last)
  if vim.fn.foldlevel(first) == 0 then
    return false
  end
  local is_open = vim.fn.foldclosed(first) == -1
  if is_open then
    -- Only a closed fold reports where it begins.
    vim.cmd(("silent! %dfoldclose"):format(first))
  end
  local start, finish = vim.fn.foldclosed(first), vim.fn.foldclosedend(first)
  if is_open then
    vim.cmd(("silent! %dfoldopen"):format(first))
  end
  return start == first and finish >= last or start < first and finish > last
end

--- Removes the folds in rows that will become one fold. A waiting call had a fold, which Neovim may leave on one of its
--- lines after a change. The call below is folded again if its fold had absorbed lines that were inserted above it.
local function unfold(first, last)
  local view, below = nil, 0
  for row = first, last do
    -- Removes the innermost fold each time.
    for _ = 1, vim.fn.foldlevel(row) do
      view = view or vim.fn.winsaveview()
      below = math.max(below, vim.fn.foldclosedend(row))
      vim.api.nvim_win_set_cursor(0, { row, 0 })
      vim.cmd("silent! normal! zD")
    end
  end
  if view then
    vim.fn.winrestview(view)
  end
  if below > last and call_text.is_call(vim.fn.getline(last + 1)) then
    vim.cmd(("silent %d,%dfold"):format(last + 1, below))
  end
end

--- Removes the closed fold at this row; open ones around it may be the user's.
local function remove_closed(row)
  local view = vim.fn.winsaveview()
  vim.api.nvim_win_set_cursor(0, { row, 0 })
  vim.cmd("silent! normal! zD")
  vim.fn.winrestview(view)
end

--- Folds these rows in the current window; returns whether they were unfolded before.
local function fold_range(win, range, cursor)
  local buf = vim.api.nvim_win_get_buf(win)
  local first, whole = range[1] + 1, range[2] + 1
  local is_inside = cursor >= first and cursor <= whole
  local last = whole
  -- Virtual text below the chat's last line would be hidden with that line.
  if last == vim.fn.line("$") and last > first then
    last = last - 1
    vim.api.nvim_buf_set_extmark(buf, short_namespace, first - 1, 0, { id = first })
  end
  local is_wanted = last >= first and (folds_calls() or not is_inside)
  if not is_wanted or is_folded(first, last) then
    return false
  end
  -- A call that was a row under the cursor stays a row together with its result, and the window keeps its view.
  local is_row = range[3] or vim.fn.foldclosed(cursor) == first
  unfold(first, whole)
  vim.cmd(("silent %d,%dfold"):format(first, last))
  if is_inside and is_row then
    guard.watch(win, buf, cursor_fold.remember)
  elseif is_inside then
    vim.cmd(("silent %dfoldopen"):format(first))
    cursor_fold.remember(win, buf, first)
  end
  return true
end

--- Folds these ranges, each `{ first, last, waits }`; returns whether one of them was unfolded before.
local function fold(win, ranges)
  local has_new = false
  if #ranges > 0 then
    undisturbed.run(vim.api.nvim_win_call, win, function()
      set_options(win)
    end)
  end
  vim.api.nvim_win_call(win, function()
    local cursor = vim.fn.line(".")
    for _, range in ipairs(ranges) do
      has_new = fold_range(win, range, cursor) or has_new
    end
  end)
  return has_new
end

local function windows(buf)
  return vim.tbl_filter(other_folds.set_aside, chats.windows(buf))
end

--- Whether lines can be shown as rows in the window.
---@param win integer
---@return boolean
function M.can_fold(win)
  return folds_calls() and other_folds.set_aside(win)
end

--- Opens the folds that hide the cursor's line; a waiting call stays a row.
function M.reveal_line()
  local row = vim.fn.line(".")
  if vim.fn.foldclosed(row) ~= row or vim.fn.foldclosedend(row) ~= row then
    vim.cmd("silent! normal! zv")
  end
end

--- Folds each waiting call into a row; returns whether one of them was not folded before.
---@param buf integer
---@param calls parley.ShownCall[]
---@return boolean
function M.open_calls(buf, calls)
  local has_shrunk = false
  if not folds_calls() then
    return has_shrunk
  end
  local ranges = {}
  for _, call in ipairs(calls) do
    local line = vim.api.nvim_buf_get_lines(buf, call.line, call.line + 1, false)[1]
    -- A running call may have moved since the host made the view.
    if line and call_text.is_call(line) then
      ranges[#ranges + 1] = { call.line, call.line, true }
    end
  end
  for _, win in ipairs(windows(buf)) do
    has_shrunk = fold(win, ranges) or has_shrunk
  end
  return has_shrunk
end

--- Returns the row of the call above these rows if only blank lines are in between.
local function with_call_above(buf, start, lines)
  local above = vim.api.nvim_buf_get_lines(buf, math.max(0, start - 2), start, false)
  for index = #above, 1, -1 do
    if call_text.is_call(above[index]) then
      local taken = vim.list_slice(above, index)
      return start - #taken, vim.list_extend(taken, lines)
    end
    if above[index]:find("%S") then
      break
    end
  end
  return start, lines
end

local function foldable_with_call(buf, start, lines)
  local first, all = start, lines
  if folds_calls() then
    local below = vim.api.nvim_buf_get_lines(buf, start + #lines, start + #lines + 3, false)
    first, all = with_call_above(buf, start, vim.list_extend(vim.list_slice(lines), below))
  end
  return (call_text.foldable(all, first, least_lines(), folds_calls()))
end

--- Extends folds to their last lines once those are no longer the chat's last line.
local function lengthen(buf)
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buf, short_namespace, 0, -1, {})) do
    local id, row = mark[1], mark[2]
    local lines = vim.api.nvim_buf_get_lines(buf, row, row + M.longest_read, false)
    local range = call_text.foldable(lines, row, least_lines(), folds_calls())[1]
    local has_more = range ~= nil and range[2] + 1 < vim.api.nvim_buf_line_count(buf)
    if not range or has_more then
      vim.api.nvim_buf_del_extmark(buf, short_namespace, id)
    end
    for _, win in ipairs(has_more and range[1] == row and windows(buf) or {}) do
      fold(win, { range })
    end
  end
end

--- Folds long parts of lines that were just written; `changes` are bottom-up, as applied.
---@param buf integer
---@param changes parley.Change[]
function M.written(buf, changes)
  if not M.is_wanted() then
    return
  end
  local shift = 0
  for index = #changes, 1, -1 do
    local change = changes[index]
    M.fold(buf, foldable_with_call(buf, change.start + shift, change.lines))
    shift = shift + #change.lines - (change.finish - change.start)
  end
  lengthen(buf)
end

--- Returns the rows to fold among `lines`, which begin at `row`, and the row of the first result that ends below them.
---@param lines string[]
---@param row integer 0-based
---@return [integer, integer][] ranges
---@return integer? open
function M.foldable(lines, row)
  return call_text.foldable(lines, row, least_lines(), folds_calls())
end

--- Folds these rows in all windows of the chat; existing folds are left alone.
---@param buf integer
---@param ranges [integer, integer][] 0-based, both ends included
function M.fold(buf, ranges)
  for _, win in ipairs(#ranges > 0 and windows(buf) or {}) do
    if fold(win, ranges) then
      reveal.fill(win)
    end
  end
end

--- Whether a window of the chat has a fold already, as a view or a session makes them before the chat is read. In the
--- middle of typing no command is run to find out.
---@param buf integer
---@return boolean
function M.has_folds(buf)
  if vim.api.nvim_get_mode().mode ~= "n" then
    return true
  end
  local function look()
    local view = vim.fn.winsaveview()
    vim.fn.cursor(1, 1)
    vim.cmd("silent! normal! zj")
    local row = vim.fn.line(".")
    vim.fn.winrestview(view)
    return row > 1 or vim.fn.foldlevel(1) > 0
  end
  return vim.iter(windows(buf)):any(function(win)
    return vim.api.nvim_win_call(win, look)
  end)
end

--- Removes the closed folds that begin in these rows (0-based, the last one excluded) and are left over from a call
--- that was changed into something else: `x` there would delete everything that such a fold hides.
---@param buf integer
---@param first integer
---@param last integer
function M.remove_left(buf, first, last)
  local function look()
    local row = first + 1
    while row <= last do
      local start, finish = vim.fn.foldclosed(row), vim.fn.foldclosedend(row)
      if start == row then
        local lines = vim.api.nvim_buf_get_lines(buf, row - 1, math.min(finish, row + 9), false)
        if call_text.is_left(lines, finish - row + 1) then
          remove_closed(row)
        end
      end
      row = math.max(row, finish) + 1
    end
  end
  for _, win in ipairs(windows(buf)) do
    vim.api.nvim_win_call(win, look)
  end
end

--- Replaces other fold methods in the windows of this chat, and starts opening folds at the cursor.
---@param buf integer
function M.attach(buf)
  windows(buf)
  if folds_calls() then
    vim.api.nvim_create_autocmd("CursorMoved", {
      group = vim.api.nvim_create_augroup("parley.folds." .. buf, {}),
      buffer = buf,
      callback = cursor_fold.follow,
    })
  end
end

--- Restores the windows' own fold method when the buffer stops being a chat; our folds are removed.
---@param buf integer
function M.detach(buf)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    if vim.wo[win].foldtext == own_foldtext then
      other_folds.remove_manual(win)
      vim.api.nvim_win_call(win, function()
        vim.cmd("setlocal foldtext< foldminlines< fillchars<")
      end)
    end
  end
  other_folds.give_back(buf)
end

return M
