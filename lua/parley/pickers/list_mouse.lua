--- Mouse support for floats without focus whose keys belong to another window. Neovim would send mouse events on them
--- to the window behind.
local M = {}

local keys = {
  "LeftMouse",
  "2-LeftMouse",
  "LeftDrag",
  "LeftRelease",
  "MiddleMouse",
  "RightMouse",
  "ScrollWheelUp",
  "ScrollWheelDown",
}

--- Returns the line of the float under the mouse, assuming one row for each (also past the last line): 0 on its frame,
--- nil outside. Uses the float's actual position, which on a small screen differs from its configuration.
local function line_at(win)
  local at, place = vim.fn.getmousepos(), vim.fn.getwininfo(win)[1]
  local row, column = at.screenrow - place.winrow, at.screencol - place.wincol
  if row < 0 or row > place.height + 1 or column < 0 or column > place.width + 1 then
    return nil
  end
  local is_inside = row > 0 and row <= place.height
  return is_inside and row - 1 + vim.fn.line("w0", win) or 0
end

--- Maps the mouse in `buf`, which has the focus. Over a float in `actions` a key does what that table says, or nothing;
--- elsewhere it keeps its usual meaning.
---@param buf integer
---@param actions table<integer, table<string, fun(line: integer): any>> by window and by the name of the key
function M.map(buf, actions)
  for _, name in ipairs(keys) do
    local key = ("<%s>"):format(name)
    vim.keymap.set({ "n", "i" }, key, function()
      for win, acts in pairs(actions) do
        local line = vim.api.nvim_win_is_valid(win) and line_at(win)
        if line and acts[name] then
          acts[name](line)
        end
        if line then
          return
        end
      end
      vim.api.nvim_feedkeys(vim.keycode(key), "ni", false)
    end, { buffer = buf, desc = "Parley: the mouse in a list" })
  end
end

return M
