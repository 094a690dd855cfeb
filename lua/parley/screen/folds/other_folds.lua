--- Other ways of folding than by hand, which are set aside in the windows of chats: calls are rows there.
local chats = require("parley.text.chats")
local config = require("parley.config")

local M = {}

--- By chat and window: the way of folding that is done without there.
---@type table<integer, table<integer, string>>
local ways = vim.defaulttable()

local function can_fold(win)
  return vim.wo[win].foldenable and not vim.wo[win].diff
end

local function has_other_way(win)
  return can_fold(win) and config.get().fold_calls and vim.wo[win].foldmethod ~= "manual"
end

--- Sets another way aside in this window for this buffer alone, another buffer there has it again; whether folds can
--- be made by hand.
---@param win integer
---@return boolean
function M.set_aside(win)
  if has_other_way(win) then
    ways[vim.api.nvim_win_get_buf(win)][win] = vim.wo[win].foldmethod
    -- What that way has folded would stay; by differences nothing is, where none are shown.
    vim.wo[win][0].foldmethod = "diff"
    vim.api.nvim_win_call(win, function()
      vim.fn.foldlevel(1)
    end)
    vim.wo[win][0].foldmethod = "manual"
  end
  return can_fold(win) and vim.wo[win].foldmethod == "manual"
end

--- Takes all folds that were made by hand out of a window, and nothing where folds are made by marks: `zE` would take
--- these out of the text.
---@param win integer
function M.remove_manual(win)
  if vim.wo[win].foldmethod == "manual" then
    vim.api.nvim_win_call(win, function()
      vim.cmd("silent! normal! zE")
    end)
  end
end

--- Whether one was set again since, as plugins of a file type do.
---@param buf integer
---@return boolean
function M.are_back(buf)
  return vim.iter(chats.windows(buf)):any(has_other_way)
end

--- The windows of a buffer that is no chat any more fold as they did without.
---@param buf integer
function M.give_back(buf)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    vim.wo[win][0].foldmethod = rawget(ways[buf], win) or vim.wo[win].foldmethod
  end
  ways[buf] = nil
end

return M
