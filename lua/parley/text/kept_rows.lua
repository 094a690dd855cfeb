--- Rows that Neovim keeps by their numbers while a person types, and writes that have to wait for them. The place of a
--- word that is completed: when lines come or go above it, the next key of the menu takes away what stands between
--- (since Neovim 0.11), or puts the word elsewhere. The block of a blockwise insert: its text would reach the first
--- line alone.
local M = {}

--- The buffer with a blockwise insert; nil when there is none.
local block = nil

local group = vim.api.nvim_create_augroup("parley.kept_rows", {})
vim.api.nvim_create_autocmd("ModeChanged", {
  group = group,
  pattern = "[\22]*:[iR]*",
  callback = function(event)
    block = event.buf
  end,
})
vim.api.nvim_create_autocmd("ModeChanged", {
  group = group,
  pattern = "*:n",
  callback = function()
    block = nil
  end,
})

local function is_completing()
  return vim.fn.complete_info({ "mode" }).mode ~= ""
end

local function is_typing_in(buf)
  return vim.api.nvim_get_current_buf() == buf and vim.api.nvim_get_mode().mode:find("^[iR]") ~= nil
end

--- The first row (from 0) that is kept in the current buffer; nil when none is.
---@param buf integer
---@return integer?
local function row_in(buf)
  if is_typing_in(buf) and (block == buf or is_completing()) then
    return vim.api.nvim_win_get_cursor(0)[1] - 1
  end
end

--- Whether a command waits in the buffer for a yes or no to what it changes there.
local function is_asking(buf)
  return vim.api.nvim_get_current_buf() == buf and vim.api.nvim_get_mode().mode == "r?"
end

--- Whether a text would move what is kept.
---@param buf integer
---@param row_of fun(): integer? the row (from 0) that the text is for
---@param text string
---@return boolean
function M.holds_text(buf, row_of, text)
  if is_asking(buf) then
    return true
  end
  local at = row_in(buf)
  local row = at and row_of()
  return row ~= nil and (row == at or row < at and text:find("\n", 1, true) ~= nil)
end

--- Whether one of these edits would.
---@param buf integer
---@param edits parley.Edit[]
---@return boolean
function M.holds_edits(buf, edits)
  local at = row_in(buf)
  return is_asking(buf)
    or at ~= nil
      and vim.iter(edits):any(function(edit)
        local is_beside = edit["end"] <= at and #edit.lines == edit["end"] - edit.start
        return edit.start <= at and not is_beside
      end)
end

--- Ends a completion, with the text as it is: its word was put elsewhere.
---@param buf integer
function M.finish_completion(buf)
  if is_typing_in(buf) and is_completing() then
    vim.fn.complete(vim.fn.col("."), {})
  end
end

return M
