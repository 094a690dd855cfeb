--- Replaces fold methods other than manual in the windows of chats, and restores them: showing calls as rows needs
--- manual folds.
local chats = require("parley.text.chats")
local config = require("parley.config")

local M = {}

--- By chat and window: the fold method that was replaced.
---@type table<integer, table<integer, string>>
local ways = vim.defaulttable()

local function can_fold(win)
  return vim.wo[win].foldenable and not vim.wo[win].diff
end

local function has_other_way(win)
  return can_fold(win) and config.get().fold_calls and vim.wo[win].foldmethod ~= "manual"
end

--- Replaces another fold method in this window, for this buffer only. Returns whether manual folds can be created.
---@param win integer
---@return boolean
function M.set_aside(win)
  if has_other_way(win) then
    ways[vim.api.nvim_win_get_buf(win)][win] = vim.wo[win].foldmethod
    -- The folds of that method would stay. `diff` removes them: without a diff it creates none.
    vim.wo[win][0].foldmethod = "diff"
    vim.api.nvim_win_call(win, function()
      vim.fn.foldlevel(1)
    end)
    vim.wo[win][0].foldmethod = "manual"
  end
  return can_fold(win) and vim.wo[win].foldmethod == "manual"
end

--- Removes all manual folds from a window. Does nothing with 'foldmethod' "marker": `zE` would delete the markers from
--- the text.
---@param win integer
function M.remove_manual(win)
  if vim.wo[win].foldmethod == "manual" then
    vim.api.nvim_win_call(win, function()
      vim.cmd("silent! normal! zE")
    end)
  end
end

--- Whether another fold method was set again since, as file type plugins do.
---@param buf integer
---@return boolean
function M.are_back(buf)
  return vim.iter(chats.windows(buf)):any(has_other_way)
end

--- Restores the fold method of the windows of a buffer that stops being a chat.
---@param buf integer
function M.give_back(buf)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    vim.wo[win][0].foldmethod = rawget(ways[buf], win) or vim.wo[win].foldmethod
  end
  ways[buf] = nil
end

return M
