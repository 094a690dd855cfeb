--- Keeps writes away from rows that Neovim remembers by number while the user is in the middle of something. During
--- completion, lines added or removed above the word make the next key in the menu delete text in between (since Neovim
--- 0.11) or insert the word elsewhere. During a blockwise insert, the text would reach only the first line. An operator
--- that waits for its motion begins in the row with the number that it had: `dd` would delete the lines that came above
--- the cursor between its two keys. A search that is left goes back to such a row. All of these writes wait. Selections
--- begin in such a row, too, but that can be put right afterwards.
local M = {}

--- The buffer with a blockwise insert; nil without one.
local block = nil

local namespace = vim.api.nvim_create_namespace("parley.kept_rows")
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

--- Where the search began whose pattern the user types; nil without one. The cursor is on what it finds meanwhile.
---@type { buf: integer, row: integer }?
local search = nil
local search_commands = { "/", "\\?" }
vim.api.nvim_create_autocmd("CmdlineEnter", {
  group = group,
  pattern = search_commands,
  callback = function(event)
    -- It may be a search for the end of a selection.
    search = { buf = event.buf, row = math.max(vim.fn.line("v"), vim.fn.line(".")) - 1 }
  end,
})
vim.api.nvim_create_autocmd("CmdlineLeave", {
  group = group,
  pattern = search_commands,
  callback = function()
    search = nil
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

local function is_searching(buf)
  return search ~= nil and search.buf == buf and vim.fn.getcmdtype():find("[/?]") ~= nil
end

--- Returns the last row (from 0) that Neovim remembers in the buffer; nil when there is none. Also returns whether its
--- text must stay, too.
---@param buf integer
---@param mode string
---@return integer? row
---@return boolean? is_whole
local function row_in(buf, mode)
  if search and is_searching(buf) then
    return search.row, false
  elseif is_typing(mode) then
    local is_kept = block == buf or is_completing()
    return is_kept and vim.fn.line(".") - 1 or nil, true
  elseif mode:find("^no") then
    return vim.fn.line(".") - 1, false
  elseif mode:find("^[sS\19]") then
    return vim.fn.line("v") - 1, false
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
  local at, is_whole = row_in(buf, mode)
  local row = at and row_of()
  local is_changed = is_whole and row == at
  local is_moved = row ~= nil and row < at and text:find("\n", 1, true) ~= nil
  local is_held = row ~= nil and (is_moved or is_changed == true)
  if is_held then
    end_unused_menu()
  end
  return is_held
end

--- Whether the edit moves the row, or replaces it when that must stay as it is.
local function moves(edit, row, is_whole)
  local is_as_long = #edit.lines == edit["end"] - edit.start
  local is_beside = is_as_long and (edit["end"] <= row or not is_whole)
  return edit.start <= row and not is_beside
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
  local at, is_whole = row_in(buf, mode)
  local is_held = at ~= nil
    and vim.iter(edits):any(function(edit)
      return moves(edit, at, is_whole)
    end)
  if is_held then
    end_unused_menu()
  end
  return is_held
end

--- Moves the beginning of the current selection. Lua can only move its other end, where the cursor is.
local function begin_selection_at(row, column)
  local view = vim.fn.winsaveview()
  vim.cmd("normal! o")
  vim.api.nvim_win_set_cursor(0, { row + 1, column })
  vim.cmd("normal! o")
  vim.fn.winrestview(view)
end

local function is_selecting(buf)
  return mode_in(buf):find("^[vV\22]") ~= nil and not is_searching(buf)
end

--- Runs a write to the buffer and keeps the beginning of the user's selection where it was in the text. Neovim moves it
--- along since 0.12, but not always that of a block.
---@param buf integer
---@param write fun()
function M.around(buf, write)
  if not is_selecting(buf) then
    write()
    return
  end
  local at = vim.fn.getpos("v")
  vim.api.nvim_buf_set_extmark(buf, namespace, at[2] - 1, at[3] - 1, { id = 1, strict = false })
  write()
  local now = vim.api.nvim_buf_get_extmark_by_id(buf, namespace, 1, {})
  vim.api.nvim_buf_del_extmark(buf, namespace, 1)
  -- The mark is below the last line when the lines were removed at the end.
  local row = math.min(now[1], vim.api.nvim_buf_line_count(buf) - 1)
  if row ~= vim.fn.line("v") - 1 and is_selecting(buf) then
    begin_selection_at(row, now[2])
  end
end

--- Ends a completion and keeps the text, after its word was moved.
---@param buf integer
function M.finish_completion(buf)
  if is_typing(mode_in(buf)) and is_completing() then
    vim.fn.complete(vim.fn.col("."), {})
  end
end

return M
