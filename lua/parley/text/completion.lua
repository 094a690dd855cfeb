--- Neovim's completion in Insert mode keeps the place of its word: when lines come or go above it, the next key of its
--- menu takes away what stands between (since Neovim 0.11), or puts the word elsewhere. So such writes wait.
local M = {}

--- The row (from 0) of a completion that is under way in the current buffer; nil when there is none.
---@param buf integer
---@return integer?
local function row_in(buf)
  local is_typing = vim.api.nvim_get_current_buf() == buf
    and vim.api.nvim_get_mode().mode:find("^[iR]") ~= nil
  if is_typing and vim.fn.complete_info({ "mode" }).mode ~= "" then
    return vim.api.nvim_win_get_cursor(0)[1] - 1
  end
end

--- Whether a text would move the word that is completed.
---@param buf integer
---@param row_of fun(): integer? the row (from 0) that the text is for
---@param text string
---@return boolean
function M.holds_text(buf, row_of, text)
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
  return at ~= nil
    and vim.iter(edits):any(function(edit)
      local is_beside = edit["end"] <= at and #edit.lines == edit["end"] - edit.start
      return edit.start <= at and not is_beside
    end)
end

--- Ends a completion, with the text as it is: its word was put elsewhere.
---@param buf integer
function M.finish(buf)
  if row_in(buf) then
    vim.fn.complete(vim.fn.col("."), {})
  end
end

return M
