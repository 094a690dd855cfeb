--- Decides where the cursor moves automatically, and when it stays (doc/cursor.md): a window follows its chat until the
--- user moves, scrolls or types there.
local buffer = require("parley.text.buffer")
local config = require("parley.config")
local ended = require("parley.screen.cursor.ended")
local kept_rows = require("parley.text.kept_rows")
local markers = require("parley.text.markers")
local reveal = require("parley.screen.calls.reveal")
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
---@field size string of the window

---@type table<integer, parley.Following> by window
local following = {}
--- Whether a key was pressed since we put the cursor somewhere, and when the last one was (vim.uv.hrtime()).
local is_keyed, keyed_ms = false, 0
--- How long a key may keep moving the cursor: plugins for smooth scrolling move it with timers.
local smooth_ms = 1000
--- Buffers in which we watch for the user to start typing.
local watched = {}

local function drop(win)
  local state = following[win]
  following[win] = nil
  if state and buffer.is_loaded(state.buf) then
    vim.api.nvim_buf_del_extmark(state.buf, namespace, state.mark)
  end
  if next(following) == nil then
    vim.on_key(nil, namespace)
    vim.api.nvim_clear_autocmds({ group = group })
    watched = {}
  end
end

--- Watches keys, which is how scrolling without cursor movement is noticed: virtual lines move the window too, so its
--- top line alone says nothing. A window that is split off from a following one follows too.
local function watch_keys()
  if next(following) ~= nil then
    return
  end
  vim.on_key(function(key, typed)
    if (typed or key) ~= "" then
      is_keyed, keyed_ms = true, vim.uv.hrtime() / 1e6
    end
  end, namespace)
  vim.api.nvim_create_autocmd("WinNew", {
    group = group,
    callback = function()
      M.split_off(vim.api.nvim_get_current_win())
    end,
  })
end

--- Returns the first row of the window as it will be drawn.
local function top_of(win)
  return vim.fn.line("w0", win)
end

local function watch_typing(buf)
  if watched[buf] then
    return
  end
  watched[buf] = true
  vim.api.nvim_create_autocmd({ "TextChangedI", "TextChangedP", "InsertEnter", "InsertLeavePre" }, {
    group = group,
    buffer = buf,
    callback = function(event)
      M.typed(buf, event.event == "InsertEnter")
    end,
  })
end

--- Returns the window's size. A window that was resized shows other lines without having been scrolled.
local function size_of(win)
  return ("%dx%d"):format(vim.api.nvim_win_get_width(win), vim.api.nvim_win_get_height(win))
end

local function place_of(state)
  return unpack(vim.api.nvim_buf_get_extmark_by_id(state.buf, namespace, state.mark, {}))
end

local function is_in_place(win, state)
  local row, column = place_of(state)
  local cursor = vim.api.nvim_win_get_cursor(win)
  return cursor[1] - 1 == row and cursor[2] == column
end

--- Whether the window's cursor is after the last character of the answer or, as in Normal mode, on it. Once the answer
--- is over, whether it has been there since.
local function is_behind(win, buf)
  local state, row, column = following[win], tip.place(buf)
  if not row then
    return state ~= nil and state.buf == buf and state.is_behind and is_in_place(win, state)
  end
  local cursor = vim.api.nvim_win_get_cursor(win)
  if row ~= cursor[1] - 1 or cursor[2] > column then
    return false
  end
  local rest = vim.api.nvim_buf_get_text(buf, row, cursor[2], row, column, {})[1]
  return vim.fn.strcharlen(rest) <= 1
end

--- Lets the window follow from where it is now.
local function note(win, buf)
  watch_keys()
  watch_typing(buf)
  local is_at_end = is_behind(win, buf)
  local cursor = vim.api.nvim_win_get_cursor(win)
  local mark = vim.api.nvim_buf_set_extmark(buf, namespace, cursor[1] - 1, cursor[2], {
    id = following[win] and following[win].mark,
    right_gravity = false,
  })
  following[win] = {
    buf = buf,
    mark = mark,
    is_behind = is_at_end,
    above = cursor[1] - top_of(win),
    size = size_of(win),
  }
end

--- Whether a plugin is animating our last scroll, line by line with the cursor moving along: no key was pressed, and
--- the window is on its way from the previous view. It may start and end a few lines off.
local function is_being_scrolled(win, state, row)
  local top, is_keyed_lately = top_of(win), vim.uv.hrtime() / 1e6 - keyed_ms < smooth_ms
  local is_elsewhere = state.from ~= nil and top >= state.from - 3 and top ~= row + 1 - state.above
  return is_elsewhere and not is_keyed_lately
end

--- Whether the window still shows the chat that it follows.
local function is_shown(win, state)
  return buffer.is_loaded(state.buf)
    and vim.api.nvim_win_is_valid(win)
    and vim.api.nvim_win_get_buf(win) == state.buf
end

--- Whether the user left cursor and window as they were. In Insert mode a paste may move the cursor.
local function is_unmoved(win, state)
  if not is_shown(win, state) then
    return false
  end
  local row = place_of(state)
  if not is_in_place(win, state) then
    return row ~= nil and is_being_scrolled(win, state, row) and not buffer.is_typing_in(win)
  end
  return not is_keyed or size_of(win) ~= state.size or row + 1 - top_of(win) == state.above
end

--- Whether the cursor may be moved: not in the middle of a command or a selection.
---@param win integer
---@return boolean
function M.may_move(win)
  local mode = vim.api.nvim_get_mode().mode
  return win ~= vim.api.nvim_get_current_win()
    or (mode:find("^[niRc]") ~= nil and mode:sub(1, 2) ~= "no")
end

local function put(win, row, column)
  vim.api.nvim_win_set_cursor(win, { row + 1, column })
end

--- Moves text that was typed at the tip below the answer, where it begins the next question. Returns whether there was
--- any.
local function give_words(win, state)
  if not state.is_behind then
    return false
  end
  local row, column = place_of(state)
  local cursor = vim.api.nvim_win_get_cursor(win)
  local to = row and tip.take_words(state.buf, row, column, cursor)
  if to then
    put(win, to[1], to[2])
    kept_rows.finish_completion(state.buf)
  end
  return to ~= nil
end

--- Checks what the user did since the last write: windows that they moved stop following, and text typed at the tip is
--- moved to the next question.
local function look(buf)
  for win, state in pairs(following) do
    if not is_shown(win, state) then
      drop(win)
    elseif state.buf == buf and is_unmoved(win, state) then
      state.is_scrolled = not is_in_place(win, state)
    elseif state.buf == buf then
      local is_typing = buffer.is_typing_in(win)
      local is_given = is_typing and give_words(win, state)
      -- The answer ended while they typed: cursor and text will move to the next question in a moment.
      state.is_late = is_typing and not is_given and ended.is_over(buf, (place_of(state)))
      if not state.is_late then
        drop(win)
      end
    end
  end
end

--- Whether the window's cursor is on the last line and no one is typing there.
local function is_at_end(win, buf)
  local row = vim.api.nvim_win_get_cursor(win)[1]
  return row == vim.api.nvim_buf_line_count(buf) and not buffer.is_typing_in(win)
end

--- Lets a new window follow when it shows the same buffer as a following one, with the cursor in the same place.
---@param win integer
function M.split_off(win)
  local buf, cursor = vim.api.nvim_win_get_buf(win), vim.api.nvim_win_get_cursor(win)
  for other, state in pairs(following) do
    if
      state.buf == buf
      and is_unmoved(other, state)
      and vim.deep_equal(vim.api.nvim_win_get_cursor(other), cursor)
    then
      note(win, buf)
      return
    end
  end
end

--- Lets a window follow, because the user sent a request from it.
---@param win integer
---@param buf integer
function M.start(win, buf)
  if not vim.api.nvim_win_is_valid(win) or vim.api.nvim_win_get_buf(win) ~= buf then
    return
  end
  note(win, buf)
  keyed_ms = 0 -- The key that asked for it moves nothing.
end

--- Whether Insert mode begins where we put the cursor, or in a line opened below it, and not where the user moved it.
--- Also returns whether it is the line below.
local function is_entered_in_place(win, state)
  local row, column = place_of(state)
  local cursor = vim.api.nvim_win_get_cursor(win)
  local is_below = row ~= nil and cursor[1] - 1 == row + 1
  return is_below or (cursor[1] - 1 == row and cursor[2] >= column), is_below
end

--- Starts Insert mode after the last character, since in Normal mode the cursor is on it. A line opened below the
--- answer also counts as typing after the answer.
local function enter(win, state, row, column)
  local is_there, is_below = is_entered_in_place(win, state)
  if not is_there or not state.is_behind or place_of(state) ~= row then
    return
  end
  local options = { id = state.mark, right_gravity = false }
  vim.api.nvim_buf_set_extmark(state.buf, namespace, row, column, options)
  if is_below then
    give_words(win, state)
    -- Otherwise Neovim restores the cursor.
    vim.v.char = "."
    drop(win)
  elseif vim.api.nvim_win_get_cursor(win)[2] < column then
    -- Insert mode has not begun, so the cursor cannot be after the last character yet.
    vim.api.nvim_feedkeys(vim.keycode("<Right>"), "in", false)
  end
end

--- Handles typing: a user who types at the end of the answer means the next question.
---@param buf integer
---@param is_entering boolean
function M.typed(buf, is_entering)
  local win = vim.api.nvim_get_current_win()
  local state = following[win]
  if not state or state.buf ~= buf then
    return
  end
  local row, column = tip.place(buf)
  if row and is_entering then
    enter(win, state, row, column)
  elseif row then
    look(buf)
  elseif tip.is_open(buf) then
    return
  elseif
    is_entering
    and is_entered_in_place(win, state)
    and ended.is_over(buf, (place_of(state)))
  then
    -- Also meant for the next question, where the cursor will move in a moment.
    note(win, buf)
  elseif not (is_entering or state.is_behind) then
    drop(win)
  elseif ended.typed(win, buf, is_entering, place_of(state)) then
    drop(win)
  end
end

--- Runs before the host writes into the buffer.
local function before(buf)
  look(buf)
  local is_wanted = config.get().follow
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    if is_wanted and vim.api.nvim_win_get_buf(win) == buf and is_at_end(win, buf) then
      note(win, buf)
      following[win].is_at_end = true
    end
  end
end

--- Returns the place for following windows, and the row of the mark below it that shows the progress. Lines below that
--- mark belong to the user: text for the next question, or later exchanges.
local function target(win, buf, state)
  local row, column, below = tip.place(buf)
  local last = vim.api.nvim_buf_line_count(buf) - 1
  local is_last = vim.api.nvim_win_get_cursor(win)[1] - 1 == last
  local text = vim.api.nvim_buf_get_lines(buf, last, last + 1, true)[1]
  local is_theirs = below and last > below and state.is_at_end and is_last and text:find("%S")
  if row and not is_theirs then
    return row, column, below
  elseif state.is_at_end and not is_last then
    return last, #text
  end
end

--- Runs after the host wrote into the buffer.
local function after(buf)
  local is_wanted = config.get().follow
  for win, state in pairs(following) do
    local row, column, below
    local is_here = state.buf == buf and not state.is_late
    if is_here and is_wanted and M.may_move(win) then
      row, column, below = target(win, buf, state)
    end
    -- A window that was still being animated may be set back to where that began.
    local from = math.min(top_of(win), state.is_scrolled and state.from or math.huge)
    if row then
      put(win, row, column)
      if below and vim.fn.line("w$", win) <= below then
        -- Makes the progress line visible, then puts the cursor at the end of the text.
        put(win, below, 0)
        top_of(win)
        put(win, row, column)
      end
      if below then
        reveal.above_message(win, below + 1, row + 1)
      end
    end
    if is_here then
      note(win, buf)
      following[win].from = from
    end
  end
  is_keyed = false
end

--- Runs a write to the buffer and moves the following windows along.
---@param buf integer
---@param write fun(): any, parley.Change[]?
---@return any
---@return parley.Change[]?
function M.around(buf, write)
  if not buffer.is_loaded(buf) then
    return write()
  end
  local is_waiting = ended.is_on_blank(buf)
  before(buf)
  local answer, changes = write()
  if buffer.is_loaded(buf) then
    after(buf)
  end
  if is_waiting then
    ended.put_behind_marker()
  end
  return answer, changes
end

--- Puts the cursor of following windows on `line`: on the sign of a call, else after the text.
---@param buf integer
---@param line integer
---@return boolean has_moved
function M.follow(buf, line)
  if not buffer.is_loaded(buf) then
    return false
  end
  before(buf)
  local text = vim.api.nvim_buf_get_lines(buf, line, line + 1, false)[1]
  local has_moved, is_call = false, text ~= nil and markers.read(text) == "call"
  for win, state in pairs(following) do
    if text and state.buf == buf and M.may_move(win) and (is_call or config.get().follow) then
      if is_call and buffer.is_typing_in(win) then
        -- Keys there decide; in Insert mode they would be typed into the call.
        vim.cmd.stopinsert()
      end
      local row, column = place_of(state)
      local behind = state.is_late and row and ended.take_words(win, buf, row, column, line)
      if behind or not state.is_late or is_call then
        local to = behind and behind[1] or line
        put(win, to, behind and behind[2] or is_call and 0 or #text)
        reveal.above_message(win, to + 1, to + 1)
        note(win, buf)
        has_moved = true
      else
        drop(win)
      end
    end
  end
  return has_moved
end

--- Moves the cursor to the next open call after a decision; without one, the window follows the answer.
---@param win integer
---@param buf integer
---@param line integer
---@param rows integer[]
function M.decided(win, buf, line, rows)
  if not vim.api.nvim_win_is_valid(win) or vim.api.nvim_win_get_buf(win) ~= buf then
    return
  end
  local next_row = vim.iter(rows):find(function(row)
    return row > line
  end) or rows[1]
  if next_row and vim.api.nvim_win_get_cursor(win)[1] - 1 == line then
    put(win, next_row, 0)
  end
  M.start(win, buf)
end

return M
