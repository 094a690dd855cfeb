--- Shows messages that do not fit on the command line in a window without focus: at the bottom, or at the top if it
--- would cover the cursor. The first key after a while closes it, so that someone who is typing still sees it.
local floats = require("parley.system.floats")

local M = {}

local namespace = vim.api.nvim_create_namespace("parley.toast")
local least_ms = 2500
local most_rows = 8
--- How long its rows still count as covered after it closed: a key press decides about what was visible before it.
local covered_ms = 500

--- The open window: `{ win, buf, since, top, bottom, texts }`, with its first and last screen row (from 1), and its
--- texts with their highlights.
local shown = nil
--- The rows that it covered, and when it closed.
local gone = { top = math.huge, bottom = 0, at = 0 }

local function now()
  return vim.uv.hrtime() / 1e6
end

---@return boolean
function M.is_open()
  return shown ~= nil and vim.api.nvim_win_is_valid(shown.win)
end

--- Returns the first and the last screen row, from 1, that a message covers or covered a moment ago; nil without one.
---@return integer?
---@return integer?
function M.rows()
  local place = M.is_open() and shown or now() - gone.at < covered_ms and gone
  if place then
    return place.top, place.bottom
  end
end

--- Whether a message covers any of these screen rows, from 1, or covered it a moment ago.
---@param first integer
---@param last integer
---@return boolean
function M.covers(first, last)
  local top, bottom = M.rows()
  return top ~= nil and first <= bottom and last >= top
end

local function close()
  -- Closing fails in the command-line window and while text is locked; then the next key closes it.
  if M.is_open() and not pcall(floats.close, shown.win) then
    return
  end
  vim.on_key(nil, namespace)
  if shown then
    gone = { top = shown.top, bottom = shown.bottom, at = now() }
  end
  shown = nil
end

local function close_with_a_key()
  vim.on_key(function(_, typed)
    if typed ~= "" and shown and now() - shown.since > least_ms then
      vim.schedule(close)
    end
  end, namespace)
end

--- Returns the first row, from 0, of a window that is `height` high: at the bottom of the screen, or at its top if only
--- the window at the bottom would cover the cursor.
local function first_row(height)
  local above = (vim.o.showtabline == 2 or vim.o.showtabline == 1 and vim.fn.tabpagenr("$") > 1)
      and 1
    or 0
  local below = vim.o.cmdheight + (vim.o.laststatus > 0 and 1 or 0)
  local at_bottom = vim.o.lines - below - height
  -- Makes Neovim scroll to a cursor that was moved since the last redraw.
  vim.fn.line("w0")
  local cursor = vim.fn.screenpos(0, vim.fn.line("."), vim.fn.col(".")).row - 1
  return cursor >= at_bottom and cursor >= above + height and above or at_bottom
end

--- Lays the window out, `rows` high if there is room.
local function layout(rows)
  local height = math.max(1, math.min(rows, most_rows, vim.o.lines - 3))
  return {
    relative = "editor",
    row = first_row(height),
    col = 0,
    width = vim.o.columns,
    height = height,
    style = "minimal",
    -- 'winborder' (Neovim 0.11) would add rows and cover lines that count as visible.
    border = "none",
    focusable = false,
    zindex = 40,
  }
end

local function add_lines(buf, lines, highlight)
  local is_empty = vim.api.nvim_buf_get_lines(buf, 0, -1, false)[1] == ""
  local first = is_empty and 0 or vim.api.nvim_buf_line_count(buf)
  vim.api.nvim_buf_set_lines(buf, first, -1, false, lines)
  for row = first, first + #lines - 1 do
    vim.api.nvim_buf_set_extmark(buf, namespace, row, 0, {
      end_row = row + 1,
      hl_group = highlight,
      strict = false,
    })
  end
end

--- Shows in the next tab page what was shown too briefly in the one that the user just left.
local function follow()
  local texts, since = shown.texts, shown.since
  close()
  if now() - since < least_ms then
    vim.schedule(function()
      for _, each in ipairs(texts) do
        M.show(each[1], each[2])
      end
    end)
  end
end

local function open_window()
  local buf = require("parley.system.scratch").buffer()
  local options = vim.tbl_extend("error", layout(1), { noautocmd = true })
  local win = floats.open(buf, false, options, follow)
  vim.wo[win].wrap, vim.wo[win].linebreak = true, true
  shown = { win = win, buf = buf, texts = {} }
  close_with_a_key()
end

--- Adds the text below what is shown already. Returns false when no window can be opened now.
---@param text string
---@param highlight string
---@return boolean
function M.show(text, highlight)
  if not M.is_open() and not pcall(open_window) then
    return false
  end
  shown.since = now()
  table.insert(shown.texts, { text, highlight })
  add_lines(shown.buf, vim.split(text, "\n", { plain = true }), highlight)
  local place = layout(vim.api.nvim_win_text_height(shown.win, {}).all)
  shown.top, shown.bottom = place.row + 1, place.row + place.height
  vim.api.nvim_win_set_config(shown.win, place)
  -- When there are too many messages, the last one must be visible.
  vim.api.nvim_win_set_cursor(shown.win, { vim.api.nvim_buf_line_count(shown.buf), 0 })
  return true
end

return M
