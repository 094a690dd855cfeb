--- Parley's own floating windows. None of them stays in a tab page that the user leaves: Neovim 0.10 crashes when the
--- last other window of such a tab page is closed from outside, as `:bwipeout` does.
local undisturbed = require("parley.system.undisturbed")

local M = {}

local group = vim.api.nvim_create_augroup("parley.floats", {})

--- The open ones, and what else to do when their tab page is left.
---@type table<integer, fun()|true>
local open = {}

vim.api.nvim_create_autocmd("TabLeave", {
  group = group,
  callback = function()
    for win, on_left in pairs(open) do
      if not vim.api.nvim_win_is_valid(win) then
        open[win] = nil
      elseif vim.api.nvim_win_get_tabpage(win) == vim.api.nvim_get_current_tabpage() then
        open[win] = nil
        local is_closed = pcall(M.close, win)
        if is_closed and on_left ~= true then
          on_left()
        end
      end
    end
  end,
})

--- Opens a floating window, as `nvim_open_win` does. `on_left` is called after it was closed because the user left its
--- tab page.
---@param buf integer
---@param enter boolean
---@param place table
---@param on_left? fun()
---@return integer win
function M.open(buf, enter, place, on_left)
  -- Without a result where an autocommand threw an exception.
  local win = undisturbed.run(vim.api.nvim_open_win, buf, enter, place) or vim.fn.bufwinid(buf)
  open[win] = on_left or true
  return win
end

--- Closes it, unless it is closed already.
---@param win integer
function M.close(win)
  if vim.api.nvim_win_is_valid(win) then
    undisturbed.run(vim.api.nvim_win_close, win, true)
  end
end

return M
