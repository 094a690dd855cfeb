--- Motions, text objects and lists of places in a chat, such as the outline.
local folds = require("parley.screen.folds")
local notify = require("parley.messages.notify")
local turns = require("parley.text.turns")

local M = {}

local function text()
  return vim.api.nvim_buf_get_lines(0, 0, -1, false)
end

local function warn(message)
  notify.beside(message, vim.log.levels.INFO)
end

--- Goes to a row (from 1) and sets the jump mark, so that `` goes back.
---@param row integer
function M.put_cursor(row)
  vim.cmd("silent! normal! m'")
  vim.api.nvim_win_set_cursor(0, { row, 0 })
  if vim.api.nvim_get_mode().mode == "n" then
    folds.reveal_line()
  end
end

--- Goes `v:count1` turns forward or back; stays when there are no more.
---@param step 1|-1
function M.go_to_turn(step)
  local row = turns.beside(text(), vim.fn.line("."), step, vim.v.count1)
  if row then
    M.put_cursor(row)
  end
end

--- Returns the rows (from 1) of the waiting calls, top to bottom.
---@param buf integer
---@return integer[]
function M.call_rows(buf)
  local rows = vim.tbl_map(function(call)
    return call.line + 1
  end, require("parley.screen.show").open_calls(buf))
  table.sort(rows)
  return rows
end

--- Goes to the next or previous waiting call of this chat, wrapping around.
---@param step 1|-1
function M.go_to_call(step)
  local at, count = vim.fn.line("."), vim.v.count1
  local rows = M.call_rows(vim.api.nvim_get_current_buf())
  if #rows == 0 then
    warn("No call waits in this chat.")
    return
  end
  local before = #vim.tbl_filter(function(row)
    return step > 0 and row <= at or row < at
  end, rows)
  local index = step > 0 and before + count or before + 1 - count
  M.put_cursor(rows[(index - 1) % #rows + 1])
end

--- Selects whole lines of a text object, in Operator-pending or Visual mode. A count selects that many.
---@param name "exchange"|"answer"|"code"
---@param is_around boolean
function M.select(name, is_around)
  local lines, count = text(), vim.v.count1
  local first, last = turns.range(lines, vim.fn.line("."), name, is_around)
  local _, reach = turns.range(lines, vim.fn.line("."), name, true)
  for _ = 2, first and count or 1 do
    local _, further = turns.range(lines, reach + 1, name, true)
    if not further or further <= reach then
      break
    end
    local _, inner_end = turns.range(lines, further, name, is_around)
    reach, last = further, inner_end or last
  end
  local mode = vim.api.nvim_get_mode().mode
  if not first then
    -- Cancels the pending operator, which has nothing to work on.
    if vim.startswith(mode, "no") then
      vim.api.nvim_feedkeys(vim.keycode("<Esc>"), "n", false)
    end
    local what = name == "code" and "code block" or name
    warn(("There is no %s with text at the cursor."):format(what))
    return
  end
  if mode:find("^[vV\22]") then
    vim.cmd.normal({ vim.keycode("<Esc>"), bang = true })
  end
  vim.cmd.normal({ ("%dGV%dG"):format(first, last), bang = true })
end

--- The 'quickfixtextfunc' of the outline, which leaves out the file name.
---@param info { id: integer, winid: integer, start_idx: integer, end_idx: integer }
---@return string[]
function M.rows(info)
  local items = vim.fn.getloclist(info.winid, { id = info.id, items = 1 }).items
  return vim.tbl_map(function(item)
    return item.text
  end, vim.list_slice(items, info.start_idx, info.end_idx))
end

--- Opens a list of places below the window; returns false, and tells the user, when there is no room for it.
local function opens(command, count)
  local list = { cmd = command, count = math.min(10, count) }
  if require("parley.screen.windows.open").try(list) then
    return true
  end
  local following = command == "lopen" and ":lnext" or ":cnext"
  notify.notify(
    ("There is no room for the list here; %s goes to the next place in it."):format(following),
    vim.log.levels.WARN
  )
  return false
end

--- Lists the questions of a chat in its window's location list, and selects the one at the cursor.
---@param buf integer
---@param rows parley.OutlineRow[]
function M.outline(buf, rows)
  local win = vim.api.nvim_get_current_win()
  if vim.api.nvim_win_get_buf(win) ~= buf then
    -- The user has gone elsewhere meanwhile.
    return
  end
  local at, index = vim.fn.line("."), 1
  local items = {}
  for number, row in ipairs(rows) do
    items[number] = { bufnr = buf, lnum = row.line + 1, text = row.text }
    index = row.line < at and number or index
  end
  vim.fn.setloclist(win, {}, " ", {
    title = "Questions",
    items = items,
    idx = index,
    quickfixtextfunc = "v:lua.require'parley.screen.places'.rows",
  })
  if not opens("lopen", #items) then
    return
  end
  -- Wrapped rows would push others out of such a small window.
  vim.wo[0][0].wrap = false
  vim.api.nvim_win_set_cursor(0, { index, 0 })
  -- Keeps the rows above it in view.
  vim.cmd("silent! normal! zb")
end

--- Puts the places that a turn changed into the quickfix list.
---@param places parley.ChangedPlace[]
function M.changes(places)
  local items = vim.tbl_map(function(place)
    return { filename = place.path, lnum = place.line + 1, text = place.text }
  end, places)
  vim.fn.setqflist({}, " ", { title = "Changes", items = items })
  opens("copen", #items)
end

return M
