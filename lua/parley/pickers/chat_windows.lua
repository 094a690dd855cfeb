--- The windows of the list of chats, in the middle of the screen.
local floats = require("parley.system.floats")

local M = {}

--- From this many columns on, the preview is next to the list.
local wide = 100

local footer = " <CR> open ^s split ^f in texts ^r rename ^o move ^e tags ^d delete "

--- Returns where the windows are on the screen as it is now.
local function places()
  local columns, lines = vim.o.columns, vim.o.lines - vim.o.cmdheight - 1
  local width, height = math.max(20, columns - 4), math.max(6, math.min(lines - 2, 40))
  local is_wide = columns >= wide
  local list_width = is_wide and math.floor(width * 0.55) or width - 2
  local top = math.max(0, math.floor((lines - height) / 2))
  return {
    input = { relative = "editor", row = top, col = 1, width = list_width, height = 1 },
    list = {
      relative = "editor",
      row = top + 3,
      col = 1,
      width = list_width,
      height = math.max(1, height - 5),
      footer = vim.api.nvim_strwidth(footer) <= list_width and footer or " <CR> open  <Esc> ",
    },
    preview = {
      relative = "editor",
      row = top,
      col = is_wide and list_width + 3 or 1,
      width = is_wide and width - list_width - 2 or list_width,
      height = height - 2,
      hide = not is_wide,
    },
  }
end

--- Opens the input line, the list below it, and the preview next to them where there is room.
---@param buffers { input: integer, list: integer, preview: integer }
---@return table<string, integer> windows by the same names
function M.open(buffers)
  local place, looks = places(), { style = "minimal", border = "rounded" }
  local function float(name, more)
    local how = vim.tbl_extend("error", place[name], looks, more)
    return floats.open(buffers[name], name == "input", how)
  end
  local windows = {
    input = float("input", { title = " Chats " }),
    list = float("list", { focusable = false }),
    preview = float("preview", { focusable = false, title = " Preview " }),
  }
  vim.wo[windows.preview].wrap, vim.wo[windows.preview].linebreak = true, true
  vim.wo[windows.list].wrap = false
  return windows
end

--- Whether there is room for the preview.
---@param windows table<string, integer>
---@return boolean
function M.has_preview(windows)
  return not vim.api.nvim_win_get_config(windows.preview).hide
end

--- Whether all of the windows are still there and show their own texts. When something else closed one, or put another
--- text into it, the list is closed a moment later.
---@param list { windows: table<string, integer>, input: integer, list: integer, preview: integer }
---@return boolean
function M.are_open(list)
  return vim.iter(list.windows):all(function(name, win)
    return vim.api.nvim_win_is_valid(win) and vim.api.nvim_win_get_buf(win) == list[name]
  end)
end

--- Fits the windows to a screen whose size has changed.
---@param windows table<string, integer>
function M.fit(windows)
  for name, place in pairs(places()) do
    vim.api.nvim_win_set_config(windows[name], place)
  end
end

return M
