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

local has_autocomplete = vim.fn.exists("+autocomplete") == 1
--- When a character was typed last, in milliseconds of vim.uv.hrtime(), and what stood before the cursor when a menu
--- was ended after it: one that is there again was asked for by a key.
local typed_ms, ended_behind = 0, nil
--- How long after it a menu that came by itself is there for somebody who may choose from it.
local choosing_ms = 1000
if has_autocomplete then
  vim.api.nvim_create_autocmd("InsertCharPre", {
    group = group,
    callback = function()
      typed_ms, ended_behind = vim.uv.hrtime() / 1e6, nil
    end,
  })
end

local function is_completing()
  return vim.fn.complete_info({ "mode" }).mode ~= ""
end

--- Something waits for the end of a completion. With 'autocomplete' (Neovim 0.12) most words are in one, and who reads
--- on chooses nothing: that menu goes, and comes again with the next character.
local function end_unused_menu()
  if not has_autocomplete or not vim.o.autocomplete then
    return
  end
  local menu = vim.fn.complete_info({ "mode", "pum_visible", "selected", "preinserted_text" })
  -- Those of <C-x> have other names.
  local is_automatic = menu.mode == "keyword"
  local is_untouched = menu.selected == -1 and menu.preinserted_text == ""
  local has_time = menu.pum_visible == 1 and vim.uv.hrtime() / 1e6 - typed_ms < choosing_ms
  local before = vim.api.nvim_get_current_line():sub(1, vim.fn.col(".") - 1)
  if is_automatic and is_untouched and not has_time and before ~= ended_behind then
    ended_behind = before
    -- These end it without changing the text, and do nothing where it has ended.
    vim.api.nvim_feedkeys(vim.keycode("<C-x><C-z>"), "ni", false)
  end
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
  local is_held = row ~= nil and (row == at or row < at and text:find("\n", 1, true) ~= nil)
  if is_held then
    end_unused_menu()
  end
  return is_held
end

--- Whether one of these edits would.
---@param buf integer
---@param edits parley.Edit[]
---@return boolean
function M.holds_edits(buf, edits)
  if is_asking(buf) then
    return true
  end
  local at = row_in(buf)
  local is_held = at ~= nil
    and vim.iter(edits):any(function(edit)
      local is_beside = edit["end"] <= at and #edit.lines == edit["end"] - edit.start
      return edit.start <= at and not is_beside
    end)
  if is_held then
    end_unused_menu()
  end
  return is_held
end

--- Ends a completion, with the text as it is: its word was put elsewhere.
---@param buf integer
function M.finish_completion(buf)
  if is_typing_in(buf) and is_completing() then
    vim.fn.complete(vim.fn.col("."), {})
  end
end

return M
