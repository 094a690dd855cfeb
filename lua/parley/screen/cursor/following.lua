--- The windows that follow their chats: where each was left, and whether the user has moved it since.
local buffer = require("parley.text.buffer")
local tip = require("parley.text.tip")

local M = {}

local namespace = vim.api.nvim_create_namespace("parley.cursor")
local group = vim.api.nvim_create_augroup("parley.cursor", {})

--- A window that follows its chat.
---@class parley.Following
---@field buf integer
---@field mark integer an extmark: where the cursor was left
---@field is_behind boolean whether that is the end of the answer, so that what is typed there is not part of it
---@field above integer how far above the cursor the window began
---@field width integer of the window
---@field height integer of the window
---@field from? integer the window's first row before our last scroll
---@field is_at_end? boolean the cursor was on the last line
---@field is_scrolled? boolean a plugin is animating our last scroll
---@field is_late? boolean the user types where the answer has ended

---@type table<integer, parley.Following> by window
local following = {}
--- What is called when the user types or puts text in a chat, and when a window is split off.
local typed, split_off = nil, nil
--- Whether a key was pressed since we put the cursor somewhere, and when the last one was (vim.uv.hrtime()).
local is_keyed, keyed_ms = false, 0
--- How long a key may keep moving the cursor: plugins for smooth scrolling move it with timers.
local smooth_ms = 1000
--- Buffers in which we watch for the user to start typing.
local watched = {}

--- Watches no keys any more once no window follows, and no typing where no answer streams either.
function M.rest()
  if next(following) ~= nil then
    return
  end
  vim.on_key(nil, namespace)
  vim.api.nvim_clear_autocmds({ group = group, event = { "WinNew", "ModeChanged" } })
  for buf in pairs(watched) do
    if not tip.is_open(buf) then
      watched[buf] = nil
      if vim.api.nvim_buf_is_valid(buf) then
        vim.api.nvim_clear_autocmds({ group = group, buffer = buf })
      end
    end
  end
end

--- Lets the window follow no more.
---@param win integer
function M.drop(win)
  local state = following[win]
  following[win] = nil
  if state and vim.api.nvim_buf_is_loaded(state.buf) then
    vim.api.nvim_buf_del_extmark(state.buf, namespace, state.mark)
  end
  M.rest()
end

--- Returns where the cursor was left.
---@param state parley.Following
---@return integer? row
---@return integer? column
function M.place_of(state)
  local at = vim.api.nvim_buf_get_extmark_by_id(state.buf, namespace, state.mark, {})
  return at[1], at[2]
end

--- Whether the cursor is on the character before this place of its row.
local function is_on_last_before(buf, cursor, row, column)
  if not row or row ~= cursor[1] - 1 or cursor[2] >= column then
    return false
  end
  local rest = vim.api.nvim_buf_get_text(buf, row, cursor[2], row, column, {})[1]
  return vim.fn.strcharlen(rest) == 1
end

--- Leaving Insert mode moves the cursor back by one character, which is not the user's move.
local function leave_insert_mode()
  local win = vim.api.nvim_get_current_win()
  local state = following[win]
  if not state or state.buf ~= vim.api.nvim_win_get_buf(win) then
    return
  end
  local row, column = M.place_of(state)
  local cursor = vim.api.nvim_win_get_cursor(win)
  if is_on_last_before(state.buf, cursor, row, column) then
    M.move(state, row, cursor[2])
  end
end

--- Watches keys, which is how scrolling without cursor movement is noticed: virtual lines move the window too, so its
--- top line alone says nothing. A window that is split off from a following one follows too, and so does one in which
--- Insert mode is left.
local function watch()
  if next(following) ~= nil then
    return
  end
  vim.on_key(function(key, as_typed)
    if (as_typed or key) ~= "" then
      is_keyed, keyed_ms = true, vim.uv.hrtime() / 1e6
    end
  end, namespace)
  vim.api.nvim_create_autocmd("WinNew", {
    group = group,
    callback = function()
      split_off(vim.api.nvim_get_current_win())
    end,
  })
  -- Unlike InsertLeave, it also comes after <C-c>.
  vim.api.nvim_create_autocmd("ModeChanged", {
    group = group,
    pattern = { "i*:n*", "R*:n*" },
    callback = leave_insert_mode,
  })
end

--- Returns the first line of the window as it will be drawn.
---@param win integer
---@return integer
function M.top_of(win)
  return vim.fn.line("w0", win)
end

--- Watches for the user to start typing in the chat.
---@param buf integer
function M.watch_typing(buf)
  if watched[buf] then
    return
  end
  watched[buf] = true
  vim.api.nvim_create_autocmd({
    "TextChangedI",
    "TextChangedP",
    "InsertEnter",
    "InsertLeavePre",
    "CursorMovedI",
    "TextChanged",
  }, {
    group = group,
    buffer = buf,
    callback = function(event)
      typed(buf, event.event)
    end,
  })
end

local function is_at(cursor, row, column)
  return cursor[1] - 1 == row and cursor[2] == column
end

--- Whether the window's cursor is after the last character of the answer, whose end is at `row` and `column`, or, as in
--- Normal mode, on it. Once the answer is over (nil), whether it has been there since.
local function is_behind(win, buf, cursor, row, column)
  if not row then
    local state = following[win]
    return state ~= nil
      and state.buf == buf
      and state.is_behind
      and is_at(cursor, M.place_of(state))
  end
  return is_at(cursor, row, column) or is_on_last_before(buf, cursor, row, column)
end

--- Lets the window follow from where it is now, while the end of the answer is at `row` and `column`; nil once it is
--- over.
---@param win integer
---@param buf integer
---@param row? integer
---@param column? integer
function M.note_beside(win, buf, row, column)
  watch()
  M.watch_typing(buf)
  local cursor = vim.api.nvim_win_get_cursor(win)
  local is_at_end = is_behind(win, buf, cursor, row, column)
  local mark = vim.api.nvim_buf_set_extmark(buf, namespace, cursor[1] - 1, cursor[2], {
    id = following[win] and following[win].mark,
    right_gravity = false,
  })
  following[win] = {
    buf = buf,
    mark = mark,
    is_behind = is_at_end,
    above = cursor[1] - M.top_of(win),
    width = vim.api.nvim_win_get_width(win),
    height = vim.api.nvim_win_get_height(win),
  }
end

--- Lets the window follow from where it is now.
---@param win integer
---@param buf integer
function M.note(win, buf)
  local row, column = tip.place(buf)
  M.note_beside(win, buf, row, column)
end

--- Whether a plugin is animating our last scroll, line by line with the cursor moving along: no key was pressed, and
--- the window is on its way from the previous view. It may start and end a few lines off.
local function is_being_scrolled(win, state, row)
  local top, is_keyed_lately = M.top_of(win), vim.uv.hrtime() / 1e6 - keyed_ms < smooth_ms
  local is_elsewhere = state.from ~= nil and top >= state.from - 3 and top ~= row + 1 - state.above
  return is_elsewhere and not is_keyed_lately
end

--- Whether the window still shows the chat that it follows.
---@param win integer
---@param state parley.Following
---@return boolean
function M.is_shown(win, state)
  return vim.api.nvim_buf_is_loaded(state.buf)
    and vim.api.nvim_win_is_valid(win)
    and vim.api.nvim_win_get_buf(win) == state.buf
end

--- A window that was resized shows other lines without having been scrolled.
local function is_resized(win, state)
  return vim.api.nvim_win_get_width(win) ~= state.width
    or vim.api.nvim_win_get_height(win) ~= state.height
end

--- Whether the user left cursor and window as they were, for a window that is still shown. In Insert mode a paste may
--- move the cursor. Also returns whether the cursor is where it was left; it is not while a plugin scrolls.
---@param win integer
---@param state parley.Following
---@return boolean is_unmoved
---@return boolean is_in_place
function M.is_unmoved(win, state)
  local row, column = M.place_of(state)
  local cursor = vim.api.nvim_win_get_cursor(win)
  -- While Neovim waits below a message in Insert mode, nvim_win_call() takes the cursor back by a character.
  local is_taken_back = not is_keyed and is_on_last_before(state.buf, cursor, row, column)
  if not is_at(cursor, row, column) and not is_taken_back then
    local is_scrolled = row ~= nil and is_being_scrolled(win, state, row)
    return is_scrolled and not buffer.is_typing_in(win), false
  end
  local is_kept = not is_keyed or is_resized(win, state) or row + 1 - M.top_of(win) == state.above
  return is_kept, true
end

--- Puts the place where the cursor was left somewhere else.
---@param state parley.Following
---@param row integer
---@param column integer
function M.move(state, row, column)
  local options = { id = state.mark, right_gravity = false }
  vim.api.nvim_buf_set_extmark(state.buf, namespace, row, column, options)
end

--- Lets a window follow if the user is about to type at the end of the answer, or in a line opened below it.
---@param win integer
---@param buf integer
function M.begin_typing(win, buf)
  local state = following[win]
  if state and state.buf == buf and state.is_behind then
    return
  end
  local row, column, below = tip.place(buf)
  if not row or not column then
    return
  end
  local cursor = vim.api.nvim_win_get_cursor(win)
  local is_below = cursor[1] - 1 == row + 1 and below == row + 2
  if not is_below and not is_behind(win, buf, cursor, row, column) then
    return
  end
  if state and state.buf ~= buf then
    M.drop(win)
  end
  M.note_beside(win, buf, row, column)
  if is_below then
    M.move(following[win], row, column)
    following[win].is_behind = true
  end
end

--- Whether a key was pressed since we put the cursor somewhere.
---@return boolean
function M.is_keyed()
  return is_keyed
end

--- Keys pressed so far move nothing any more. With `is_own` not even smoothly: the last one asked for something.
---@param is_own? boolean
function M.forget_keys(is_own)
  is_keyed = false
  keyed_ms = is_own and 0 or keyed_ms
end

--- Returns the windows that follow, to iterate over; they may be dropped meanwhile.
---@return table<integer, parley.Following>
function M.windows()
  return following
end

---@param on_typed fun(buf: integer, event: string)
---@param on_split fun(win: integer)
function M.listen(on_typed, on_split)
  typed, split_off = on_typed, on_split
end

return M
