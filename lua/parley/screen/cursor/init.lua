--- Decides where the cursor moves automatically, and when it stays (doc/cursor.md): a window follows its chat until the
--- user moves, scrolls or types there.
local buffer = require("parley.text.buffer")
local config = require("parley.config")
local ended = require("parley.screen.cursor.ended")
local following = require("parley.screen.cursor.following")
local kept_rows = require("parley.text.kept_rows")
local markers = require("parley.text.markers")
local reveal = require("parley.screen.calls.reveal")
local tip = require("parley.text.tip")
local words = require("parley.text.tip.words")

local M = {}

local windows = following.windows()

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

--- Lets Insert mode, which has not begun yet, begin in this column: until then the cursor cannot be after the last
--- character.
local function begin_at(win, column)
  if vim.api.nvim_win_get_cursor(win)[2] < column then
    vim.api.nvim_feedkeys(vim.keycode("<Right>"), "in", false)
  end
end

--- Moves text that was typed at the tip below the answer, where it begins the next question. Returns whether there was
--- any.
local function give_words(win, state)
  if not state.is_behind then
    return false
  end
  local row, column = following.place_of(state)
  local cursor = vim.api.nvim_win_get_cursor(win)
  local to = row and words.take(state.buf, row, column, cursor)
  if to then
    put(win, to[1], to[2])
    kept_rows.finish_completion(state.buf)
  end
  return to ~= nil
end

--- A window that the user moved follows no more, unless they type where the answer has ended: then cursor and text will
--- move to the next question in a moment.
local function look_at_moved(win, state)
  local is_typing = buffer.is_typing_in(win)
  local is_given = is_typing and give_words(win, state)
  state.is_late = is_typing
    and not is_given
    and ended.is_typed_behind(win, state.buf, (following.place_of(state)))
  if not state.is_late then
    following.drop(win)
  end
end

--- Moves text that was put or pasted at the tip in Normal mode below the answer, as if it had been typed there. Returns
--- whether there was any. Insert mode that is being entered goes on in it.
local function give_put_text(buf, is_entering)
  local row, column = tip.changed_since(buf)
  if not row or not column then
    return false
  end
  local win = vim.api.nvim_get_current_win()
  local is_here = vim.api.nvim_win_get_buf(win) == buf and (is_entering or not buffer.is_typing())
  if not is_here or not words.is_put_behind(buf, row, column) then
    return false
  end
  local to = words.take(buf, row, column, vim.api.nvim_win_get_cursor(win))
  if to then
    put(win, to[1], to[2])
    following.drop(win)
  end
  if to and is_entering then
    -- Otherwise Neovim restores the cursor.
    vim.v.char = "."
    begin_at(win, to[2])
  end
  return to ~= nil
end

--- Checks what the user did since the last write: windows that they moved stop following, and text typed or put at the
--- tip is moved to the next question.
local function look(buf)
  give_put_text(buf, false)
  for win, state in pairs(windows) do
    if not following.is_shown(win, state) then
      following.drop(win)
    elseif state.buf == buf then
      local is_unmoved, is_in_place = following.is_unmoved(win, state)
      if is_unmoved then
        state.is_scrolled = not is_in_place
      else
        look_at_moved(win, state)
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
  for other, state in pairs(windows) do
    if
      state.buf == buf
      and following.is_shown(other, state)
      and following.is_unmoved(other, state)
      and vim.deep_equal(vim.api.nvim_win_get_cursor(other), cursor)
    then
      following.note(win, buf)
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
  -- Neovim may not have reported yet what was typed just before the key.
  look(buf)
  -- A request that comes while an answer is being written is refused, and the window stays where it is.
  if not tip.is_open(buf) and not (windows[win] and windows[win].is_late) then
    following.note(win, buf)
  end
  following.forget_keys(true)
end

--- Whether Insert mode begins where we put the cursor, or in a line opened below it, and not where the user moved it.
--- Also returns whether it is the line below.
local function is_entered_in_place(win, state)
  local row, column = following.place_of(state)
  local cursor = vim.api.nvim_win_get_cursor(win)
  local is_below = row ~= nil and cursor[1] - 1 == row + 1
  return is_below or (cursor[1] - 1 == row and cursor[2] >= column), is_below
end

--- Whether Insert mode begins like that where an answer has ended.
local function is_entered_behind(win, state)
  return is_entered_in_place(win, state) and ended.is_over(state.buf, (following.place_of(state)))
end

--- What is typed now is also meant for the next question, to which the cursor moves in a moment. In a line opened below
--- the answer it counts from the answer's last character.
local function wait_for_question(win, state)
  local _, is_below = is_entered_in_place(win, state)
  if not is_below then
    following.note(win, state.buf)
    return
  end
  local row = following.place_of(state)
  following.move(state, row, #vim.api.nvim_buf_get_lines(state.buf, row, row + 1, true)[1])
end

--- Starts Insert mode after the last character, since in Normal mode the cursor is on it. A line opened below the
--- answer also counts as typing after the answer.
local function enter(win, state, row, column)
  local is_there, is_below = is_entered_in_place(win, state)
  if not is_there or not state.is_behind or following.place_of(state) ~= row then
    return
  end
  following.move(state, row, column)
  if is_below then
    give_words(win, state)
    -- Otherwise Neovim restores the cursor.
    vim.v.char = "."
    following.drop(win)
  else
    begin_at(win, column)
  end
end

--- Whether the user moved the cursor, or typed in its place. Text also changes without a key, as by a save.
local function is_left(win, state, event)
  local has_typed = event ~= "InsertLeavePre" and following.is_keyed()
  return has_typed or not following.is_unmoved(win, state)
end

--- Handles typing: a user who types or puts text at the end of the answer means the next question.
---@param buf integer
---@param event "InsertEnter"|"TextChangedI"|"TextChangedP"|"InsertLeavePre"|"CursorMovedI"|"TextChanged"
function M.typed(buf, event)
  if event == "TextChanged" then
    give_put_text(buf, false)
    return
  end
  local win, is_entering = vim.api.nvim_get_current_win(), event == "InsertEnter"
  local is_moving = event == "CursorMovedI"
  if is_entering and give_put_text(buf, true) then
    return
  end
  if is_entering or is_moving then
    following.begin_typing(win, buf)
  end
  local state = windows[win]
  if is_moving or not state or state.buf ~= buf then
    return
  end
  local row, column = tip.place(buf)
  if row and is_entering then
    enter(win, state, row, column)
  elseif row then
    look(buf)
  elseif tip.is_open(buf) then
    return
  elseif is_entering and is_entered_behind(win, state) then
    wait_for_question(win, state)
  elseif not (is_entering or state.is_behind) then
    if is_left(win, state, event) then
      look_at_moved(win, state)
    end
  elseif ended.typed(win, buf, is_entering, following.place_of(state)) then
    following.drop(win)
  end
end

--- Runs before the host writes into the buffer.
local function before(buf)
  look(buf)
  local is_wanted = config.get().follow
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    if is_wanted and vim.api.nvim_win_get_buf(win) == buf and is_at_end(win, buf) then
      following.note(win, buf)
      windows[win].is_at_end = true
    end
  end
end

--- Whether a line below this row has text. It is looked for from the last row upwards, where it mostly is.
local function is_typed_below(buf, row, last)
  for each = last, row + 1, -1 do
    if vim.api.nvim_buf_get_lines(buf, each, each + 1, true)[1]:find("%S") then
      return true
    end
  end
  return false
end

--- Returns the place for following windows: the end of the answer, as `tip.place` has it, and the row of the mark below
--- it that shows the progress. Lines below that mark are the user's: text for the next question, or later exchanges.
local function target(win, state, row, column, below)
  local buf = state.buf
  local at = vim.api.nvim_win_get_cursor(win)[1] - 1
  if not state.is_at_end then
    return row, column, below
  end
  local last = vim.api.nvim_buf_line_count(buf) - 1
  if row and not (below and at == last and is_typed_below(buf, below, last)) then
    return row, column, below
  elseif at ~= last then
    return last, #vim.api.nvim_buf_get_lines(buf, last, last + 1, true)[1]
  end
end

--- Runs after the host wrote into the buffer.
local function after(buf)
  local is_wanted = config.get().follow
  local tip_row, tip_column, tip_below = tip.place(buf)
  for win, state in pairs(windows) do
    local row, column, below
    local is_here = state.buf == buf and not state.is_late
    if is_here and is_wanted and M.may_move(win) then
      row, column, below = target(win, state, tip_row, tip_column, tip_below)
    end
    -- A window that was still being animated may be set back to where that began.
    local from = math.min(following.top_of(win), state.is_scrolled and state.from or math.huge)
    if row then
      put(win, row, column)
      if below and vim.fn.line("w$", win) <= below then
        -- Makes the progress line visible, then puts the cursor at the end of the text.
        put(win, below, 0)
        following.top_of(win)
        put(win, row, column)
      end
      if below then
        reveal.above_message(win, below + 1, row + 1)
      end
    end
    if is_here then
      following.note_beside(win, buf, tip_row, tip_column)
      windows[win].from = from
    end
  end
  following.forget_keys()
end

--- Runs a write to the buffer and moves the following windows along.
---@param buf integer
---@param write fun(): any, parley.Change[]?
---@return any
---@return parley.Change[]?
function M.around(buf, write)
  if not vim.api.nvim_buf_is_loaded(buf) then
    return write()
  end
  local is_waiting = ended.is_on_blank(buf)
  before(buf)
  local answer, changes = write()
  if vim.api.nvim_buf_is_loaded(buf) then
    after(buf)
  end
  if tip.is_open(buf) then
    following.watch_typing(buf)
  else
    following.rest()
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
  if not vim.api.nvim_buf_is_loaded(buf) then
    return false
  end
  before(buf)
  local text = vim.api.nvim_buf_get_lines(buf, line, line + 1, false)[1]
  local has_moved, is_call = false, text ~= nil and markers.read(text) == "call"
  for win, state in pairs(windows) do
    if text and state.buf == buf and M.may_move(win) and (is_call or config.get().follow) then
      if is_call and buffer.is_typing_in(win) then
        -- Keys there decide; in Insert mode they would be typed into the call.
        vim.cmd.stopinsert()
      end
      local row, column = following.place_of(state)
      local behind = state.is_late and row and ended.take_words(win, buf, row, column, line)
      if behind or not state.is_late or is_call then
        local to = behind and behind[1] or line
        put(win, to, behind and behind[2] or is_call and 0 or #text)
        reveal.above_message(win, to + 1, to + 1)
        following.note(win, buf)
        has_moved = true
      else
        following.drop(win)
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

following.listen(M.typed, M.split_off)

return M
