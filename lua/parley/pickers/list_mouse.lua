--- The mouse on floats whose keys are those of another window: they take no focus, so Neovim gives what happens there
--- to the window behind them, which nobody sees or means.
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

--- The line of the float that the mouse is on, or would be with more of them, where each takes one row: 0 on its frame,
--- nil beside it. On a small screen a float is elsewhere than its configuration says.
local function line_at(win)
  local at, place = vim.fn.getmousepos(), vim.fn.getwininfo(win)[1]
  local row, column = at.screenrow - place.winrow, at.screencol - place.wincol
  if row < 0 or row > place.height + 1 or column < 0 or column > place.width + 1 then
    return nil
  end
  local is_inside = row > 0 and row <= place.height
  return is_inside and row - 1 + vim.fn.line("w0", win) or 0
end

--- Maps the mouse in `buf`, which has the focus. Over a float of `actions` it does what that says for the key, or
--- nothing, and beside them what it does everywhere.
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
