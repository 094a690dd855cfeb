--- Windows that float over a text: notices, previews, contexts and completions of other plugins. What one of them
--- covers is not seen.
local beside = require("parley.messages.beside")

local M = {}

--- How many cells one side of a frame takes.
local function thickness(border, side)
  local part = type(border) == "table" and border[side] or ""
  part = type(part) == "table" and part[1] or part
  return part ~= "" and 1 or 0
end

--- Whether a float takes a cell of these rows and columns of the screen (from 1, both ends included).
local function takes(win, border, rows, columns)
  local at = vim.api.nvim_win_get_position(win)
  local height = vim.api.nvim_win_get_height(win) + thickness(border, 2) + thickness(border, 6)
  local width = vim.api.nvim_win_get_width(win) + thickness(border, 4) + thickness(border, 8)
  return at[1] < rows[2]
    and at[1] + height >= rows[1]
    and at[2] < columns[2]
    and at[2] + width >= columns[1]
end

--- How high (`zindex`) the highest window lies that stands over these rows of the screen, in the first `width` columns
--- of the window's text; nil when none does. Of two that are equally high the current one is seen.
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
    -- Parley's own message at the cursor goes with the next key, and came to what had been seen.
    local is_own = other == win or other == beside.window()
    local is_over = config.relative ~= "" and not config.hide and config.zindex >= own
    if not is_own and is_over and takes(other, config.border, { first, last }, columns) then
      highest = math.max(highest or 0, config.zindex)
    end
  end
  return highest
end

return M
