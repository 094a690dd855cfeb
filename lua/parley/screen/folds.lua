--- Manual folds over long results and long step lines: made once, when a file is opened or such a thing is
--- written, and never computed again. Windows that fold in another way are left alone.
local config = require("parley.config")

local M = {}

--- Lines read at a time when a file is opened, so that nothing waits for a long one; more only for a result
--- that is longer itself.
local chunk = 2000
local longest_chunk = 32000
--- A step line of more bytes wraps in most windows, where a closed fold takes one row.
local long_step = 160
local step_marker = "<!-- parley:step "
local default_foldtext = "foldtext()"

local function least_lines()
  return config.get().fold_results
end

local function takes_folds(win)
  return vim.wo[win].foldmethod == "manual" and vim.wo[win].foldenable
end

local function is_head(line)
  return vim.startswith(line, "🛠") and line:find("^\239?\184?\143?:%s*%[", #"🛠" + 1) ~= nil
end

--- The row after the result that begins at index `at` of `lines`; nil when it does not end in them.
local function end_of_result(lines, at)
  local index = at + 1
  if lines[index] and lines[index]:find("^%s*$") then
    index = index + 1
  end
  local fence = lines[index] and lines[index]:match("^(```+)")
  if not fence then
    return lines[index] and index + 1 or nil
  end
  for row = index + 1, #lines do
    if lines[row]:match("^(```+)%s*$") == fence then
      return row + 1
    end
  end
  return nil
end

local function is_long_step(line)
  return #line > long_step and vim.startswith(line, step_marker)
end

--- Rows `{first, last}` (0-based) to fold among `lines`, which begin at row `start`. Also the row of the first
--- head of a result whose end is not among them.
local function foldable(lines, start)
  local found, open = {}, nil
  local at = 1
  while at <= #lines do
    if is_head(lines[at]) then
      local after = end_of_result(lines, at)
      if not after then
        open = open or (start + at - 1)
      elseif after - at > least_lines() then
        found[#found + 1] = { start + at - 1, start + after - 2 }
      end
      at = after or at + 1
    else
      if is_long_step(lines[at]) then
        found[#found + 1] = { start + at - 1, start + at - 1 }
      end
      at = at + 1
    end
  end
  return found, open
end

--- What a closed fold of ours shows; for 'foldtext'.
function M.text()
  local line = vim.fn.getline(vim.v.foldstart)
  local model = line:match('^<!%-%- parley:step .-"model"%s*:%s*"([^"]*)"')
  if model then
    return "step · " .. model
  end
  return ("%s · %d lines"):format(line, vim.v.foldend - vim.v.foldstart + 1)
end

local function fold(win, ranges)
  if #ranges > 0 and vim.wo[win].foldtext == default_foldtext then
    vim.wo[win][0].foldtext = "v:lua.require'parley.screen.folds'.text()"
  end
  vim.api.nvim_win_call(win, function()
    local cursor = vim.fn.line(".")
    for _, range in ipairs(ranges) do
      local first, last = range[1] + 1, range[2] + 1
      -- One that was made before, or that a person stands in, stays as it is.
      if vim.fn.foldlevel(first) == 0 and (cursor < first or cursor > last) then
        vim.cmd(("silent %d,%dfold"):format(first, last))
      end
    end
  end)
end

local function windows(buf)
  return vim.tbl_filter(takes_folds, vim.fn.win_findbuf(buf))
end

--- Folds what is long among lines that were just written; `changes` bottom-up, as applied.
function M.written(buf, changes)
  if not least_lines() then
    return
  end
  local shift = 0
  for index = #changes, 1, -1 do
    local change = changes[index]
    local ranges = foldable(change.lines, change.start + shift)
    for _, win in ipairs(#ranges > 0 and windows(buf) or {}) do
      fold(win, ranges)
    end
    shift = shift + #change.lines - (change.finish - change.start)
  end
end

local function read_on(buf, tick, row, size)
  if not vim.api.nvim_buf_is_loaded(buf) or vim.api.nvim_buf_get_changedtick(buf) ~= tick then
    return
  end
  local lines = vim.api.nvim_buf_get_lines(buf, row, row + size, false)
  local ranges, open = foldable(lines, row)
  for _, win in ipairs(windows(buf)) do
    if vim.w[win].parley_folds == buf then
      fold(win, ranges)
    end
  end
  local after = row + #lines
  if after >= vim.api.nvim_buf_line_count(buf) then
    return
  end
  -- A result that goes on below is read again from its head, in a longer piece when it fills this one.
  local fills = open == row
  local next_size = fills and size * 4 or chunk
  local next_row = (open and next_size <= longest_chunk) and open or after
  vim.defer_fn(function()
    read_on(buf, tick, next_row, math.min(next_size, longest_chunk))
  end, 1)
end

--- Folds what a chat that was just opened holds, in the windows that have not done so.
function M.prepare(buf)
  if not least_lines() then
    return
  end
  local fresh = false
  for _, win in ipairs(windows(buf)) do
    if vim.w[win].parley_folds ~= buf then
      vim.w[win].parley_folds = buf
      fresh = true
    end
  end
  if fresh then
    vim.schedule(function()
      if vim.api.nvim_buf_is_loaded(buf) then
        read_on(buf, vim.api.nvim_buf_get_changedtick(buf), 0, chunk)
      end
    end)
  end
end

return M
