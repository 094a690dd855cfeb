--- Where the cursor goes by itself, and when it stays (doc/cursor.md): a window follows its chat until the person
--- moves, scrolls or types there.
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

--- By window: the buffer, the mark of the place where the cursor was put, how far above it the window began, and how
--- large it was.
local following = {}
--- Whether a key was pressed since the cursor was put somewhere, and when the last one was, as vim.uv.hrtime() has it.
local is_keyed, keyed_ms = false, 0
--- How long a key may go on moving the cursor: plugins scroll smoothly, and move it by timers then.
local smooth_ms = 1000
--- Buffers in which it is noticed when somebody begins to type.
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

--- Scrolling without the cursor is seen by the keys: what is drawn below lines moves the window too. A window that is
--- split off from one that follows shows the same, and does so too.
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

--- The first row of the window as it will be drawn.
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

--- One that became smaller or larger, since others came or went, shows other lines without having been scrolled.
local function size_of(win)
  return ("%dx%d"):format(vim.api.nvim_win_get_width(win), vim.api.nvim_win_get_height(win))
end

--- The window follows from where it is now.
local function note(win, buf)
  watch_keys()
  watch_typing(buf)
  local cursor = vim.api.nvim_win_get_cursor(win)
  local mark = vim.api.nvim_buf_set_extmark(buf, namespace, cursor[1] - 1, cursor[2], {
    id = following[win] and following[win].mark,
    right_gravity = false,
  })
  following[win] = { buf = buf, mark = mark, above = cursor[1] - top_of(win), size = size_of(win) }
end

local function place_of(state)
  return unpack(vim.api.nvim_buf_get_extmark_by_id(state.buf, namespace, state.mark, {}))
end

--- A plugin draws the last scroll line by line, with the cursor in what is seen meanwhile: no key was pressed, and the
--- window is on its way from the view before; it may begin and end a few lines beside what was asked for.
local function is_being_scrolled(win, state, row)
  local top, is_keyed_lately = top_of(win), vim.uv.hrtime() / 1e6 - keyed_ms < smooth_ms
  local is_elsewhere = state.from ~= nil and top >= state.from - 3 and top ~= row + 1 - state.above
  return is_elsewhere and not is_keyed_lately
end

local function is_in_place(win, state)
  local row, column = place_of(state)
  return row ~= nil and vim.deep_equal(vim.api.nvim_win_get_cursor(win), { row + 1, column })
end

--- Whether the person left the cursor and the window as they were. What moves it in Insert mode may be a paste.
local function is_unmoved(win, state)
  if not vim.api.nvim_win_is_valid(win) or vim.api.nvim_win_get_buf(win) ~= state.buf then
    return false
  end
  local row = place_of(state)
  if not is_in_place(win, state) then
    return row ~= nil and is_being_scrolled(win, state, row) and not buffer.is_typing_in(win)
  end
  return not is_keyed or size_of(win) ~= state.size or row + 1 - top_of(win) == state.above
end

--- In the middle of a command or a selection the cursor is the person's.
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

--- Puts the words that were typed at the tip below the answer, where they begin the next question.
local function give_words(win, state)
  local row, column = place_of(state)
  local cursor = vim.api.nvim_win_get_cursor(win)
  local to = row and tip.take_words(state.buf, row, column, cursor)
  if to then
    put(win, to[1], to[2])
    kept_rows.finish_completion(state.buf)
  end
  return to ~= nil
end

--- What the person did since the cursor was put there: windows that they moved follow no longer, and words that
--- they typed at the tip are theirs.
local function look(buf)
  for win, state in pairs(following) do
    if not buffer.is_loaded(state.buf) then
      drop(win)
    elseif state.buf == buf and is_unmoved(win, state) then
      state.is_scrolled = not is_in_place(win, state)
    elseif state.buf == buf then
      local is_typing = vim.api.nvim_win_is_valid(win) and buffer.is_typing_in(win)
      local is_given = is_typing and give_words(win, state)
      -- The answer ended as they typed: the cursor is on its way to the next question, and these words with it.
      state.is_late = is_typing and not is_given and ended.is_over(buf, (place_of(state)))
      if not state.is_late then
        drop(win)
      end
    end
  end
end

--- The window's cursor is at the last line of the text, where it goes on standing.
local function is_at_end(win, buf)
  local row = vim.api.nvim_win_get_cursor(win)[1]
  return row == vim.api.nvim_buf_line_count(buf) and not buffer.is_typing_in(win)
end

--- A new window follows when it shows what one that follows shows, with the cursor in the same place.
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

--- The person went on from this window: it follows what comes.
---@param win integer
---@param buf integer
function M.start(win, buf)
  if not vim.api.nvim_win_is_valid(win) or vim.api.nvim_win_get_buf(win) ~= buf then
    return
  end
  note(win, buf)
  keyed_ms = 0 -- The key that asked for it moves nothing.
end

--- Whether Insert mode begins where the cursor was put, or in a line that was opened below it, and not where the person
--- moved it to. Also whether it is in the line below.
local function is_entered_in_place(win, state)
  local row, column = place_of(state)
  local cursor = vim.api.nvim_win_get_cursor(win)
  local is_below = row ~= nil and cursor[1] - 1 == row + 1
  return is_below or (cursor[1] - 1 == row and cursor[2] >= column), is_below
end

--- Insert mode begins where the text ends: in Normal mode the cursor stands on the last character and not behind it.
--- A line that was opened below has its place behind the answer, too.
local function enter(win, state, row, column)
  local is_there, is_below = is_entered_in_place(win, state)
  if not is_there or place_of(state) ~= row then
    return
  end
  local options = { id = state.mark, right_gravity = false }
  vim.api.nvim_buf_set_extmark(state.buf, namespace, row, column, options)
  if is_below then
    give_words(win, state)
    -- Or Neovim puts the cursor back.
    vim.v.char = "."
    drop(win)
  elseif vim.api.nvim_win_get_cursor(win)[2] < column then
    -- Insert mode has not begun yet, so the cursor cannot stand there yet.
    vim.api.nvim_feedkeys(vim.keycode("<Right>"), "in", false)
  end
end

--- Whoever begins to type at the end of what is written means the next question.
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
    -- Meant for the next question, too, to which the cursor is on its way.
    note(win, buf)
  elseif ended.typed(win, buf, is_entering, place_of(state)) then
    drop(win)
  end
end

--- Before the host writes into the buffer.
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

--- The place that following windows have, with the row of the mark below it that shows the progress. Below that mark
--- the last line is the person's: words for the next question, or what follows a question that is answered again.
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

--- After the host wrote into the buffer.
local function after(buf)
  local is_wanted = config.get().follow
  for win, state in pairs(following) do
    local row, column, below
    local is_here = state.buf == buf and not state.is_late
    if is_here and is_wanted and M.may_move(win) then
      row, column, below = target(win, buf, state)
    end
    -- One that was still on its way may be put back to where that began.
    local from = math.min(top_of(win), state.is_scrolled and state.from or math.huge)
    if row then
      put(win, row, column)
      if below and vim.fn.line("w$", win) <= below then
        -- The line that shows the progress is to be seen, and the cursor stands where the text ends.
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

--- Runs what writes into the buffer, with the windows that follow it.
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

--- Puts the cursor on `line` in the windows that follow: on the sign of a call, else behind the text.
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
        -- A key there decides, and in Insert mode it would be typed into the call.
        vim.cmd.stopinsert()
      end
      local row, column = place_of(state)
      local behind = state.is_late and row and ended.take_words(win, buf, row, column, line)
      if behind or not state.is_late or is_call then
        put(win, behind and behind[1] or line, behind and behind[2] or is_call and 0 or #text)
        note(win, buf)
        has_moved = true
      else
        drop(win)
      end
    end
  end
  return has_moved
end

--- What was decided here is decided: the cursor goes to the next of the calls that are still open, and follows
--- where none is.
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
