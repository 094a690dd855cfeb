--- Floating windows for the full list of open calls, texts to read, and the keys.
local covers = require("parley.screen.covers")
local floats = require("parley.system.floats")
local scratch = require("parley.system.scratch")
local waiting_call = require("parley.screen.calls.waiting_call")
local wrap = require("parley.screen.wrap")

local M = {}

local namespace = vim.api.nvim_create_namespace("parley.float")

--- The most columns for text.
local function widest()
  return math.max(20, vim.o.columns - 4)
end

--- The most rows of text.
local function most_rows()
  return math.max(1, vim.o.lines - 6)
end

--- Returns a layout as large as the lines need. Each line fits in the window, so that the last one can be reached.
local function layout(lines, title, footer)
  local longest = vim.api.nvim_strwidth(title .. footer) + 4
  for _, line in ipairs(lines) do
    longest = math.max(longest, vim.api.nvim_strwidth(line))
  end
  local width = math.max(1, math.min(longest, vim.o.columns - 4))
  local height = math.max(1, math.min(#lines, most_rows()))
  return {
    relative = "editor",
    row = math.max(0, math.floor((vim.o.lines - height) / 2) - 1),
    col = math.max(0, math.floor((vim.o.columns - width) / 2) - 1),
    width = width,
    height = height,
    style = "minimal",
    border = "rounded",
    title = " " .. title .. " ",
    footer = " " .. footer .. " ",
  }
end

--- Breaks the lines at the edge of a window of that width.
local function broken(lines, width)
  local parts = {}
  for _, line in ipairs(lines) do
    vim.list_extend(parts, wrap.at_edge(line, width))
  end
  return parts
end

--- Returns what makes the rows of a text to read.
local function making(lines)
  return function()
    return broken(lines, widest())
  end
end

local function is_floating(win)
  return vim.api.nvim_win_get_config(win).relative ~= ""
end

local function colour(buf, groups)
  vim.api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
  for row, group in pairs(groups) do
    local options = { end_row = row, hl_group = group }
    vim.api.nvim_buf_set_extmark(buf, namespace, row - 1, 0, options)
  end
end

local function q_closes()
  return "q closes"
end

--- Opens a window and returns it. `make` returns lines that fit on the screen as it is now, and perhaps their highlight
--- groups by row; `footer` returns the description of the keys, given the lines, and the window once it is open.
local function open(make, title, footer)
  -- Its keys are mapped in Normal mode.
  vim.cmd.stopinsert()
  local buf = scratch.buffer()
  local lines
  local function fill()
    local groups
    lines, groups = make()
    if not vim.deep_equal(lines, vim.api.nvim_buf_get_lines(buf, 0, -1, false)) then
      scratch.set_lines(buf, lines)
      colour(buf, groups or {})
    end
  end
  fill()
  local win = floats.open(buf, true, layout(lines, title, footer(lines)))
  vim.wo[win].wrap = true
  local function draw_frame()
    vim.api.nvim_win_set_config(win, layout(lines, title, footer(lines, win)))
  end
  --- Draws it for the screen and the calls as they are now; returns false when it is not there any more.
  local function refresh()
    if not vim.api.nvim_win_is_valid(win) or vim.api.nvim_win_get_buf(win) ~= buf then
      return false
    end
    fill()
    draw_frame()
    return true
  end
  vim.api.nvim_create_autocmd("VimResized", {
    callback = function()
      return not refresh()
    end,
  })
  local function close()
    floats.close(win)
  end
  -- A key such as <C-o> shows another text in it, for which this is no window.
  vim.api.nvim_create_autocmd("BufWipeout", {
    buffer = buf,
    once = true,
    callback = vim.schedule_wrap(close),
  })
  for _, key in ipairs({ "q", "<Esc>" }) do
    vim.keymap.set("n", key, close, { buffer = buf, nowait = true, desc = "Parley: close" })
  end
  -- A question asked meanwhile may open its own window; then this one, which it is about, stays open behind it.
  local watch
  watch = vim.api.nvim_create_autocmd("WinEnter", {
    callback = vim.schedule_wrap(function()
      if not is_floating(vim.api.nvim_get_current_win()) then
        close()
      end
      if not vim.api.nvim_win_is_valid(win) then
        pcall(vim.api.nvim_del_autocmd, watch)
      end
    end),
  })
  return { buf = buf, win = win, close = close, draw_frame = draw_frame, refresh = refresh }
end

--- Returns all details of the calls, uncut, and the highlight group of each line.
local function call_lines(calls)
  local lines, groups = {}, {}
  local function add(line, group)
    for _, part in ipairs(wrap.at_edge(line, widest())) do
      lines[#lines + 1] = part
      groups[#lines] = group
    end
  end
  for _, call in ipairs(calls) do
    add(("line %d"):format(call.line + 1), "ParleyCall")
    for _, line in ipairs(call.full or call.lines) do
      for _, text in ipairs(vim.split(line, "\n", { plain = true })) do
        add(text, waiting_call.diff_highlight(text))
      end
    end
    add("", nil)
  end
  return lines, groups
end

local function is_end_seen(win)
  return vim.fn.line("w$", win) >= vim.api.nvim_buf_line_count(vim.api.nvim_win_get_buf(win))
end

--- Opens a window to read page by page. `footer` returns the description of the keys, given whether there is more
--- below. The window that it returns has a function that turns the page, and returns false at the end.
local function open_pages(make, title, footer)
  local view = open(make, title, function(lines, win)
    local has_more = #lines > most_rows()
    if win then
      has_more = not is_end_seen(win)
    end
    return footer(has_more)
  end)
  local win = view.win
  local scrolled = { pattern = tostring(win), callback = view.draw_frame }
  local watch = vim.api.nvim_create_autocmd("WinScrolled", scrolled)
  vim.api.nvim_create_autocmd("BufWipeout", {
    buffer = view.buf,
    once = true,
    callback = function()
      vim.api.nvim_del_autocmd(watch)
    end,
  })
  -- Raises the window above floats that cover it; returns whether one did.
  local function raise()
    local info = vim.fn.getwininfo(win)[1]
    local over = covers.highest(win, info.winrow, info.winrow + info.height)
    if over then
      vim.api.nvim_win_set_config(win, { zindex = over + 1 })
    end
    return over ~= nil
  end
  raise()
  function view.turn()
    if raise() then
      return true
    end
    if is_end_seen(win) then
      return false
    end
    vim.cmd.normal({ vim.keycode("<C-f>"), bang = true })
    view.draw_frame()
    return true
  end
  return view
end

--- Lists the calls that a key would decide. The same key decides them here (Enter if the user has no key for it);
--- another approval key applies to its own calls. Approving turns pages until the end was visible. The returned
--- function updates the list to the current calls.
---@param calls parley.DrawnCall[]
---@param decision string the record of what was pressed
---@param keys { key: string, row: parley.KeyRow }[] the user's approval keys
---@param press fun(decision: string, is_same: boolean, close: fun())
---@return fun(now: parley.DrawnCall[]): boolean
function M.calls(calls, decision, keys, press)
  local title = ("%d open call%s"):format(#calls, #calls == 1 and "" or "s")
  local own = {}
  for _, each in ipairs(keys) do
    if each.row.decision.record == decision then
      own[#own + 1] = each.key
    end
  end
  local is_no = decision:find("^y[nN]$") ~= nil
  local function footer(has_more)
    local does = has_more and not is_no and "shows more" or "decides"
    return ("%s %s, q closes"):format(own[1] or "<CR>", does)
  end
  local pages = open_pages(function()
    return call_lines(calls)
  end, title, footer)
  local buf = pages.buf
  local function map(key, record, is_yes, words)
    vim.keymap.set("n", key, function()
      if not (is_yes and pages.turn()) then
        press(record, record == decision, pages.close)
      end
    end, { buffer = buf, nowait = true, desc = "Parley: " .. words })
  end
  for _, each in ipairs(keys) do
    local row = each.row
    map(each.key, row.decision.record, row.decision.answer == "yes", row.words)
  end
  if #own == 0 then
    map("<CR>", decision, not is_no, "decide")
  end
  return function(now)
    if #now == 0 then
      pages.close()
      return false
    end
    calls = now
    return pages.refresh()
  end
end

--- Shows any lines.
---@param lines string[]
---@param title string
function M.text(lines, title)
  open(making(lines), title, q_closes)
end

--- Returns the most rows that the lines take in a window as wide as the screen.
---@param lines string[]
---@return integer
function M.rows_of(lines)
  return #broken(lines, vim.o.columns)
end

--- Shows a text to read page by page before a question about it. Calls `done` with whether its end was reached. Returns
--- the window.
---@param lines string[]
---@param title string
---@param done fun(is_read: boolean)
---@return integer
function M.read(lines, title, done)
  local pages = open_pages(making(lines), title, function(has_more)
    return ("<CR> %s, q leaves it"):format(has_more and "shows more" or "asks")
  end)
  local is_read = false
  vim.keymap.set("n", "<CR>", function()
    is_read = not pages.turn()
    if is_read then
      pages.close()
    end
  end, { buffer = pages.buf, nowait = true, desc = "Parley: go on" })
  vim.api.nvim_create_autocmd("BufWipeout", {
    buffer = pages.buf,
    once = true,
    callback = vim.schedule_wrap(function()
      done(is_read)
    end),
  })
  return pages.win
end

--- Lists keys: `{ {key, description}, … }`.
---@param rows [string, string][]
function M.help(rows)
  local lines = {}
  for _, row in ipairs(rows) do
    lines[#lines + 1] = ("%-12s %s"):format(row[1], row[2])
  end
  vim.list_extend(lines, { "", "The approval keys work on an open ❓: line. More: :help parley" })
  open(function()
    return lines
  end, "Parley", q_closes)
end

return M
