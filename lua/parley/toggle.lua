--- Toggles the last visited chat from anywhere with one key.
local chats = require("parley.text.chats")
local notify = require("parley.messages.notify")
local open = require("parley.screen.windows.open")
local system = require("parley.system")
local undisturbed = require("parley.system.undisturbed")

local M = {}

---@class parley.HiddenChat
---@field buf integer
---@field view table
---@field tick integer
---@field is_at_end boolean the window followed the answer, or its cursor was at the end
---@field is_typing boolean
---@field mods table the modifiers of the command that hid it
---@field win? integer the window that returned to its earlier buffer
---@field place? table configuration of the closed window, for nvim_open_win()

---@type parley.HiddenChat?
local hidden = nil

local function windows()
  return vim.api.nvim_tabpage_list_wins(0)
end

local function is_floating(win)
  return vim.api.nvim_win_get_config(win).relative ~= ""
end

local function has_mode(letter)
  return vim.startswith(vim.api.nvim_get_mode().mode, letter)
end

--- Ends Insert mode without moving the cursor: Neovim would move it back by one character.
local function end_insert()
  if has_mode("i") then
    local at, line = vim.api.nvim_win_get_cursor(0), vim.api.nvim_get_current_line()
    -- Vim functions reject text with a NUL byte.
    local under = vim.fn.matchstr((line:sub(at[2] + 1):gsub("%z", " ")), "^.")
    vim.api.nvim_win_set_cursor(0, { at[1], at[2] + #under })
    vim.cmd.stopinsert()
  end
end

--- Returns the window next to this one in the layout, and on which side this one is; with several, the screen's edge.
local function beside(layout, win)
  for index, each in ipairs(layout[2]) do
    if each[1] ~= "leaf" then
      local found = beside(each, win)
      if found then
        return found
      end
    elseif each[2] == win then
      local other = layout[2][index - 1] or layout[2][index + 1]
      local sides = layout[1] == "row" and { "left", "right" } or { "above", "below" }
      return { win = other[1] == "leaf" and other[2] or -1, split = sides[index > 1 and 2 or 1] }
    end
  end
end

local function place_of(win)
  local config = vim.api.nvim_win_get_config(win)
  if config.relative ~= "" then
    return config
  end
  local place = beside(vim.fn.winlayout(), win)
  return vim.tbl_extend("error", place, { width = config.width, height = config.height })
end

--- Returns the buffer that the window showed before a chat. The alternate file does not tell: a split changes it.
local function before(win)
  local jumps = vim.fn.getjumplist(win)[1]
  for index = #jumps, 1, -1 do
    local buf = jumps[index].bufnr
    if vim.api.nvim_buf_is_loaded(buf) and not chats.is_chat(buf) then
      return buf
    end
  end
end

--- Returns the buffer to show instead of the chat when the tab page has no other text.
local function latest_text()
  local buffers = vim.fn.getbufinfo({ buflisted = 1, bufloaded = 1 })
  table.sort(buffers, function(a, b)
    return a.lastused > b.lastused
  end)
  local latest = vim.iter(buffers):find(function(each)
    return not chats.is_chat(each.bufnr) and chats.can_be(each.bufnr)
  end)
  return latest and latest.bufnr
end

--- Closes the window, and also the tab page when it was opened for the chat.
local function close(win)
  local last = vim.api.nvim_list_tabpages()[vim.fn.tabpagenr("#")]
  local here = vim.api.nvim_get_current_tabpage()
  undisturbed.run(vim.api.nvim_win_hide, win)
  if last and not vim.api.nvim_tabpage_is_valid(here) then
    vim.api.nvim_set_current_tabpage(last)
  end
end

--- Closes the window when it was opened for a chat, or when its earlier buffer is on the screen already; otherwise
--- shows that buffer in it. Returns where the chat was.
local function leave(win)
  local others = vim.tbl_filter(function(each)
    return each ~= win and not is_floating(each)
  end, windows())
  local buffers = vim.tbl_map(vim.api.nvim_win_get_buf, others)
  local text = before(win)
  local is_made = vim.w[win].parley_split == (text or 0)
  text = text and chats.can_be(text) and text or nil
  local can_close = #others > 0 or (is_made and #vim.api.nvim_list_tabpages() > 1)
  local is_spare = not text and vim.iter(buffers):any(chats.can_be)
    or vim.list_contains(buffers, text)
  if is_floating(win) or (can_close and (is_made or is_spare)) then
    local place = #others > 0 and place_of(win) or nil
    close(win)
    return { place = place }
  end
  text = text or latest_text()
  vim.api.nvim_win_call(win, function()
    undisturbed.run(vim.cmd, text and ("silent hide buffer %d"):format(text) or "hide enew")
  end)
  return { win = win }
end

local function hide(buf, mods)
  local current = vim.api.nvim_get_current_win()
  local first = vim.api.nvim_win_get_buf(current) == buf and current or vim.fn.bufwinid(buf)
  local view = vim.api.nvim_win_call(first, function()
    -- The toggle key itself opened the fold of a waiting call.
    if require("parley.screen.calls.open_rows").at(buf, vim.fn.line(".") - 1) then
      vim.cmd("silent! foldclose")
    end
    return vim.fn.winsaveview()
  end)
  local tip = require("parley.text.tip").place(buf)
  hidden = {
    buf = buf,
    view = view,
    tick = vim.b[buf].changedtick,
    is_at_end = view.lnum == vim.api.nvim_buf_line_count(buf) or view.lnum - 1 == tip,
    is_typing = first == current and has_mode("i"),
    mods = mods,
  }
  for _, win in ipairs(windows()) do
    if win ~= first and vim.api.nvim_win_get_buf(win) == buf then
      leave(win)
    end
  end
  hidden = vim.tbl_extend("error", hidden, leave(first))
  if hidden.is_typing then
    end_insert()
  end
end

--- Moves the cursor to where work continues: the first waiting call, the streaming answer, or the next question.
--- Returns whether that is a call.
local function go_to_end(buf)
  local rows = require("parley.screen.places").call_rows(buf)
  local row, column = require("parley.text.tip").place(buf)
  local last = vim.api.nvim_buf_line_count(buf)
  if rows[1] then
    vim.api.nvim_win_set_cursor(0, { rows[1], 0 })
  elseif row then
    vim.api.nvim_win_set_cursor(0, { row + 1, column })
  else
    vim.api.nvim_win_set_cursor(0, { last, #vim.fn.getline(last) })
  end
  return rows[1] ~= nil
end

--- Returns the place to open now. When its neighbour window is gone, that is the screen's edge; a float relative to
--- such a window has no place.
local function place_now(place)
  local is_gone = place
    and place.win
    and place.win > 0
    and not vim.list_contains(windows(), place.win)
  if is_gone and place.relative then
    return nil
  end
  return is_gone and vim.tbl_extend("force", place, { win = -1 }) or place
end

--- Makes the chat's window current, in the place where the same command hid it.
local function show_buffer(buf, was)
  local win, place = was and was.win, place_now(was and was.place)
  if win and vim.list_contains(windows(), win) then
    undisturbed.run(vim.api.nvim_set_current_win, win)
  elseif place then
    undisturbed.run(vim.api.nvim_open_win, buf, true, place)
    vim.w.parley_split = before(0) or 0
    return
  else
    open.split()
  end
  undisturbed.run(vim.cmd, ("hide buffer %d"):format(buf))
end

--- Restores cursor and mode. A cursor that was at the end goes after the text written meanwhile. Returns whether the
--- mode is Insert mode; never at a waiting call, where keys decide.
local function restore(buf, was)
  vim.fn.winrestview(was.view)
  local has_grown = was.is_at_end and vim.b[buf].changedtick ~= was.tick
  local is_typing = not (has_grown and go_to_end(buf)) and was.is_typing
  if was.is_at_end then
    require("parley.screen.cursor").start(vim.api.nvim_get_current_win(), buf)
  end
  if is_typing then
    local is_behind = has_grown or was.view.col >= #vim.api.nvim_get_current_line()
    vim.cmd.startinsert({ bang = is_behind })
  end
  return is_typing
end

local function show(buf, mods)
  local was = hidden and hidden.buf == buf and hidden or nil
  -- When another tab page shows the chat, it gets the same view here.
  local other = not was and chats.windows(buf)[1]
  local view = other and vim.api.nvim_win_call(other, vim.fn.winsaveview)
  show_buffer(buf, was and vim.deep_equal(was.mods, mods) and was or nil)
  if view then
    vim.fn.winrestview(view)
    require("parley.screen.cursor").split_off(vim.api.nvim_get_current_win())
  end
  if not (was and restore(buf, was)) then
    end_insert()
  end
end

local function show_file(path)
  open.split()
  if not open.go(path) then
    undisturbed.run(vim.api.nvim_win_hide, 0)
    return
  end
  local buf = vim.api.nvim_get_current_buf()
  if not chats.is_chat(buf) then
    require("parley.chat").attach_by_hand(buf)
  end
  end_insert()
end

local function show_new()
  open.split()
  local buf, refusal = require("parley.chat").new()
  if not buf then
    undisturbed.run(vim.api.nvim_win_hide, 0)
    notify.notify(refusal, vim.log.levels.ERROR)
  end
end

--- Opens a chat that is not loaded: the one visited or asked last, else the newest, else a new one.
local function show_latest(visited)
  local path = visited and vim.uv.fs_stat(visited) and visited
    or require("parley.text.chats.project_chat").last()
  if path then
    show_file(path)
    return
  end
  require("parley.pickers.chats").list(function(rows)
    if rows[1] then
      show_file(rows[1].path)
    else
      show_new()
    end
  end)
end

local function toggle(mods)
  local here = vim.api.nvim_get_current_buf()
  local buf, path = chats.visited()
  buf = chats.is_chat(here) and here or buf
  if buf and vim.iter(windows()):map(vim.api.nvim_win_get_buf):find(buf) then
    hide(buf, mods)
  elseif buf then
    show(buf, mods)
  else
    show_latest(path)
    return
  end
  -- The next window that is opened gets its own place.
  open.place()
end

--- Hides the current chat, or the last one when this tab page shows it; otherwise shows the last one.
---@param mods? { vertical?: boolean, split?: string, tab?: integer } of the command
function M.toggle(mods)
  mods = mods or {}
  local is_done, message = pcall(system.interruptible, toggle, {
    vertical = mods.vertical or false,
    split = mods.split or "",
    is_tab = (mods.tab or -1) >= 0,
  })
  if not is_done then
    notify.notify(notify.reason(message), vim.log.levels.ERROR)
  end
end

return M
