--- Shows a message at the cursor, in a window without focus, to say why the key just pressed did nothing. The next key
--- closes it.
local floats = require("parley.system.floats")

local M = {}

local namespace = vim.api.nvim_create_namespace("parley.beside")
--- Keys within this time do not close it: they belong to the same burst.
local least_ms = 400

local shown = nil

local function close()
  vim.on_key(nil, namespace)
  if shown then
    pcall(floats.close, shown.win)
  end
  shown = nil
end

local function open(text, highlight)
  local lines = vim.tbl_map(function(line)
    return (" %s "):format(line)
  end, vim.split(text, "\n", { plain = true }))
  local longest = 1
  for _, line in ipairs(lines) do
    longest = math.max(longest, vim.api.nvim_strwidth(line))
  end
  local width = math.max(1, math.min(longest, vim.o.columns - 4))
  local buf = require("parley.system.scratch").buffer()
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.api.nvim_buf_set_extmark(buf, namespace, 0, 0, { end_row = #lines, hl_group = highlight })
  local win = floats.open(buf, false, {
    relative = "cursor",
    row = 1,
    col = 0,
    width = width,
    height = 1,
    style = "minimal",
    border = "none",
    focusable = false,
    noautocmd = true,
    zindex = 45,
  })
  vim.wo[win].wrap = true
  vim.wo[win].linebreak = true
  local rows = vim.api.nvim_win_text_height(win, {}).all
  vim.api.nvim_win_set_height(win, math.min(rows, math.max(1, vim.o.lines - 4)))
  return win
end

--- Returns the message's window; nil when none is shown.
---@return integer?
function M.window()
  return shown and shown.win
end

--- Shows the text; returns false when no window can be opened now.
---@param text string
---@param highlight string
---@return boolean
function M.show(text, highlight)
  close()
  local ok, win = pcall(open, text, highlight)
  if not ok then
    return false
  end
  shown = { win = win, since = vim.uv.hrtime() / 1e6 }
  vim.on_key(function(_, typed)
    if typed ~= "" and shown and vim.uv.hrtime() / 1e6 - shown.since > least_ms then
      vim.schedule(close)
    end
  end, namespace)
  return true
end

return M
