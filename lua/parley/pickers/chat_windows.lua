--- The windows of the list of chats, in the middle of the screen.
local floats = require("parley.system.floats")

local M = {}

--- From this many columns on, the preview is next to the list.
local wide = 100

local function float(buf, enter, place)
  return floats.open(
    buf,
    enter,
    vim.tbl_extend("force", { relative = "editor", style = "minimal", border = "rounded" }, place)
  )
end

local footer = " <CR> open ^s split ^f in texts ^r rename ^o move ^e tags ^d delete "

--- Opens the input line, the list below it, and the preview next to them where there is room.
---@param buffers { input: integer, list: integer, preview: integer }
---@return table<string, integer> windows by the same names
function M.open(buffers)
  local columns, lines = vim.o.columns, vim.o.lines - vim.o.cmdheight - 1
  local width, height = math.max(20, columns - 4), math.max(6, math.min(lines - 2, 40))
  local is_wide = columns >= wide
  local list_width = is_wide and math.floor(width * 0.55) or width - 2
  local top = math.max(0, math.floor((lines - height) / 2))
  local windows = {}
  windows.input = float(buffers.input, true, {
    row = top,
    col = 1,
    width = list_width,
    height = 1,
    title = " Chats ",
  })
  windows.list = float(buffers.list, false, {
    row = top + 3,
    col = 1,
    width = list_width,
    height = math.max(1, height - 5),
    focusable = false,
    footer = vim.api.nvim_strwidth(footer) <= list_width and footer or " <CR> open  <Esc> ",
  })
  if is_wide then
    windows.preview = float(buffers.preview, false, {
      row = top,
      col = list_width + 3,
      width = width - list_width - 2,
      height = height - 2,
      focusable = false,
      title = " Preview ",
    })
    vim.wo[windows.preview].wrap = true
  end
  vim.wo[windows.list].wrap = false
  return windows
end

return M
