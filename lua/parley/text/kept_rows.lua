--- Detects when a write must wait because Neovim remembers rows by number while the user types. During completion,
--- lines added or removed above the word make the next key in the menu delete text in between (since Neovim 0.11) or
--- insert the word elsewhere. During a blockwise insert, the text would reach only the first line.
local M = {}

--- The buffer with a blockwise insert; nil without one.
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
--- When a character was last typed, in milliseconds of vim.uv.hrtime(), and the text before the cursor when we closed a
--- menu after it. A menu that reappears at the same text was opened by a key.
local typed_ms, ended_behind = 0, nil
--- How long after typing an automatic menu is left open for the user to choose from.
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

--- Closes an unused automatic menu so that a waiting write can proceed. With 'autocomplete' (Neovim 0.12) a menu is
--- open most of the time; it reappears with the next character.
local function end_unused_menu()
  if not has_autocomplete or not vim.o.autocomplete then
    return
  end
  local menu = vim.fn.complete_info({ "mode", "pum_visible", "selected", "preinserted_text" })
  -- Completions started with <C-x> have other modes.
  local is_automatic = menu.mode == "keyword"
  local is_untouched = menu.selected == -1 and menu.preinserted_text == ""
  local has_time = menu.pum_visible == 1 and vim.uv.hrtime() / 1e6 - typed_ms < choosing_ms
  local before = vim.api.nvim_get_current_line():sub(1, vim.fn.col(".") - 1)
  if is_automatic and is_untouched and not has_time and before ~= ended_behind then
    ended_behind = before
    -- These keys close the menu without changing the text, and do nothing when it is closed already.
    vim.api.nvim_feedkeys(vim.keycode("<C-x><C-z>"), "ni", false)
  end
end

--- Returns the mode that the user is in, if they are in the buffer.
local function mode_in(buf)
  return vim.api.nvim_get_current_buf() == buf and vim.api.nvim_get_mode().mode or ""
end

local function is_typing(mode)
  return mode:find("^[iR]") ~= nil
end

--- Returns the first row (from 0) that Neovim remembers in the buffer; nil when there is none.
---@param buf integer
---@param mode string
---@return integer?
local function row_in(buf, mode)
  if is_typing(mode) and (block == buf or is_completing()) then
    return vim.api.nvim_win_get_cursor(0)[1] - 1
  end
end

--- The modes while a command such as `:s///c` waits for a confirmation, and while Neovim waits below a long message, as
--- with "wait" in 'messagesopt'. What the user was doing, such as typing, cannot be seen meanwhile.
local waiting = { ["r?"] = true, r = true }

--- Whether writing this text would move a remembered row.
---@param buf integer
---@param row_of fun(): integer? the row (from 0) that the text is for
---@param text string
---@return boolean
function M.holds_text(buf, row_of, text)
  local mode = mode_in(buf)
  if waiting[mode] then
    return true
  end
  local at = row_in(buf, mode)
  local row = at and row_of()
  local is_held = row ~= nil and (row == at or row < at and text:find("\n", 1, true) ~= nil)
  if is_held then
    end_unused_menu()
  end
  return is_held
end

--- Whether one of these edits would move a remembered row.
---@param buf integer
---@param edits parley.Edit[]
---@return boolean
function M.holds_edits(buf, edits)
  local mode = mode_in(buf)
  if waiting[mode] then
    return true
  end
  local at = row_in(buf, mode)
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

--- Ends a completion and keeps the text, after its word was moved.
---@param buf integer
function M.finish_completion(buf)
  if is_typing(mode_in(buf)) and is_completing() then
    vim.fn.complete(vim.fn.col("."), {})
  end
end

return M
