--- Finds floating windows (notifications, previews, contexts, completion menus) that cover text: covered text does not
--- count as seen.
local beside = require("parley.messages.beside")

local M = {}

--- Returns how many cells one side of a border takes.
local function thickness(border, side)
  local part = type(border) == "table" and border[side] or ""
  part = type(part) == "table" and part[1] or part
  return part ~= "" and 1 or 0
end

--- Whether a float covers any cell of these screen rows and columns (from 1, inclusive).
local function takes(win, border, rows, columns)
  local at = vim.api.nvim_win_get_position(win)
  local height = vim.api.nvim_win_get_height(win) + thickness(border, 2) + thickness(border, 6)
  local width = vim.api.nvim_win_get_width(win) + thickness(border, 4) + thickness(border, 8)
  return at[1] < rows[2]
    and at[1] + height >= rows[1]
    and at[2] < columns[2]
    and at[2] + width >= columns[1]
end

--- Returns the highest `zindex` of the floats over these screen rows, in the first `width` columns of the window's
--- text; nil without one. At equal `zindex` the current window is on top.
---@param win integer
---@param first integer from 1
---@param last integer
---@param width? integer all of them without it
---@return integer?
function M.highest(win, first, last, width)
  local info = vim.fn.getwininfo(win)[1]
  local left = info.wincol + info.textoff
  local columns = { left, width and left + width - 1 or info.wincol + info.width - 1 }
  local own = vim.api.nvim_win_get_config(win).zindex or 0
  own = win == vim.api.nvim_get_current_win() and own + 1 or own
  local highest = nil
  for _, other in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local config = vim.api.nvim_win_get_config(other)
    -- Parley's own message at the cursor does not count: it came after the text was seen, and the next key closes it.
    local is_own = other == win or other == beside.window()
    local is_over = config.relative ~= "" and not config.hide and config.zindex >= own
    if not is_own and is_over and takes(other, config.border, { first, last }, columns) then
      highest = math.max(highest or 0, config.zindex)
    end
  end
  return highest
end

return M
