--- Decisions about open calls: what a key sends to the host, and what the user sees before that.
local call_text = require("parley.text.call_text")
local chats = require("parley.text.chats")
local cursor = require("parley.screen.cursor")
local float = require("parley.screen.windows.float")
local host = require("parley.host")
local maps = require("parley.keys.maps")
local markers = require("parley.text.markers")
local notify = require("parley.messages.notify")
local reveal = require("parley.screen.calls.reveal")
local show = require("parley.screen.show")

local M = {}

--- A pressed key, with what was on the screen at that moment.
---@class parley.Press
---@field decision string the record of the key
---@field buf integer
---@field win integer
---@field line integer counted from 0
---@field tick integer
---@field calls parley.DrawnCall[] in their order
---@field is_gone? boolean the call in that line is not there any more

--- Returns the open call at the cursor; nil when there is none.
---@param buf integer
---@return parley.DrawnCall?
function M.call_at_cursor(buf)
  local row = vim.fn.line(".") - 1
  if markers.read(vim.fn.getline(".")) ~= "call" then
    return nil
  end
  return vim.iter(show.open_calls(buf)):find(function(call)
    return call.line == row
  end)
end

--- Returns the row (from 1) of the call at the cursor, open or decided, also from inside its closed fold; nil
--- elsewhere.
---@return integer?
function M.call_row()
  local closed = vim.fn.foldclosed(".")
  local row = closed > 0 and closed or vim.fn.line(".")
  return call_text.is_call(vim.fn.getline(row)) and row or nil
end

--- Shows the details of the call at the cursor.
function M.details()
  local buf = chats.current()
  local call = buf and M.call_at_cursor(buf)
  local row = buf and M.call_row()
  if call then
    local message = { action = "details", buf = buf, line = call.line, text = call.text }
    host.send(message)
  elseif row then
    host.send({ action = "details", buf = buf, line = row - 1, text = vim.fn.getline(row) })
  elseif buf then
    notify.notify("The cursor is not on a ❓: line.", vim.log.levels.WARN)
  end
end

--- Captures a decision together with everything that is on the screen at this moment.
---@param buf integer
---@param decision string
---@return parley.Press
function M.collect(buf, decision)
  return {
    decision = decision,
    buf = buf,
    win = vim.api.nvim_get_current_win(),
    line = vim.fn.line(".") - 1,
    tick = vim.api.nvim_buf_get_changedtick(buf),
    calls = show.open_calls(buf),
  }
end

local function concerned(press)
  if maps.row_of(press.decision).decision.scope == "all" then
    return press.calls
  end
  return vim.tbl_filter(function(call)
    return call.line == press.line and not press.is_gone
  end, press.calls)
end

--- Returns the rows of the calls that stay open.
local function open_rows(press)
  local rows = {}
  for _, call in ipairs(show.open_calls(press.buf)) do
    if call.line ~= press.line and not call.decided then
      rows[#rows + 1] = call.line
    end
  end
  return rows
end

--- Whether the chat of the press was closed meanwhile; if so, says that nothing was decided.
local function is_closed(press)
  local is_open = vim.api.nvim_buf_is_loaded(press.buf)
  if not is_open then
    notify.notify("The chat was closed meanwhile, so nothing was decided.", vim.log.levels.WARN)
  end
  return not is_open
end

--- Sends the decision with what was on the screen.
---@param press parley.Press
---@param reason? string
function M.send(press, reason)
  if is_closed(press) then
    return
  end
  local is_all = maps.row_of(press.decision).decision.scope == "all"
  local left = is_all and {} or open_rows(press)
  show.set_decided(press.buf, press.line)
  host.send({
    action = "key",
    buf = press.buf,
    key = press.decision,
    line = press.line,
    tick = press.tick,
    shown = vim.tbl_map(function(call)
      return { line = call.line, text = call.text, tool = call.tool, effect = call.effect }
    end, press.calls),
    reason = reason,
  })
  -- The cursor moves now, since the next key may come before the host's answer.
  cursor.decided(press.win, press.buf, press.line, left)
end

local function must_list(press)
  local is_yes = maps.row_of(press.decision).decision.answer == "yes"
  return vim.iter(concerned(press)):any(function(call)
    -- A call whose details are not known yet is approved in the list, which shows them when they come. Declining needs
    -- no details.
    local is_unknown = is_yes and (call.pending or call.is_fresh)
    return is_unknown or call.cut or not reveal.is_visible(press.win, call)
  end)
end

local function with_text(calls, text)
  return vim.tbl_filter(function(call)
    return call.text == text
  end, calls)
end

--- Applies a press to the calls as they are drawn now. Calls are matched by text and, among equal texts, by position.
--- If one of several equal calls is gone, it is unknown which, so the press applies to none of them.
local function renewed(press)
  local calls = show.open_calls(press.buf)
  local line, is_gone = press.line, press.is_gone
  for _, was in ipairs(press.calls) do
    if was.line == press.line then
      local before, now = with_text(press.calls, was.text), with_text(calls, was.text)
      local index = vim.iter(ipairs(before)):find(function(_, call)
        return call.line == was.line
      end)
      is_gone = is_gone or #now ~= #before
      line = now[index] and now[index].line or line
    end
  end
  local tick = vim.api.nvim_buf_get_changedtick(press.buf)
  local now = { calls = calls, line = line, tick = tick, is_gone = is_gone }
  return vim.tbl_extend("force", press, now)
end

--- Tells the user that the press did not apply to any waiting call.
local function say_nothing_waits(calls)
  local message = #calls == 0 and "No call waits for a decision in this chat."
    or "The cursor is not on an open ❓: line, so nothing was decided. Move to one and try again."
  notify.beside(message, vim.log.levels.WARN)
end

local function is_pending(call)
  return call.pending
end

local function list(press)
  local now = press
  local update = float.calls(
    concerned(press),
    press.decision,
    maps.approval_keys(),
    function(decision, is_same, close)
      local chosen = vim.tbl_extend("force", now, { decision = decision })
      local is_unknown = vim.iter(concerned(chosen)):any(is_pending)
      if is_unknown and maps.row_of(decision).decision.answer == "yes" then
        notify.notify("Parley shows this call as soon as its server is ready; decide it then.")
        return
      end
      close()
      M.decide(chosen, is_same)
    end
  )
  show.watch(press.buf, function()
    -- The list of a chat that is closed closes too.
    now = vim.api.nvim_buf_is_loaded(press.buf) and renewed(now)
      or vim.tbl_extend("force", now, { calls = {} })
    return update(concerned(now))
  end)
  if vim.iter(concerned(press)):any(is_pending) then
    host.send({ action = "list_tools", buf = press.buf })
  end
end

--- Returns the decision recorded in the cursor's line; nil without one.
local function decision_at_cursor()
  local line = vim.fn.getline(".")
  local _, behind = markers.read(line)
  return line:match("^%s*%[(%w+)%]", behind)
end

--- Sends the decision. Shows the full list first when a call is not entirely on the screen, and asks for a reason when
--- the key does.
---@param press parley.Press
---@param listed boolean
function M.decide(press, listed)
  if is_closed(press) then
    return
  end
  local now = renewed(press)
  -- If a call was changed meanwhile, the host reports it.
  if #concerned(now) == 0 and (#now.calls == 0 or decision_at_cursor()) then
    -- An earlier key already decided these calls.
    if M.is_on_decided_call() then
      M.say_decided()
    else
      say_nothing_waits(now.calls)
    end
    return
  end
  if not listed and must_list(press) then
    list(press)
    return
  end
  if not maps.row_of(press.decision).decision.asks_reason then
    M.send(press)
    return
  end
  require("parley.messages.prompts").input(
    { prompt = "Reason for declining (Enter for none, Esc cancels): " },
    function(reason)
      notify.clear()
      if reason ~= nil then
        M.send(press, vim.trim(reason) ~= "" and reason or nil)
      end
    end
  )
end

--- Decides by command or `<Plug>` map, where no text object can follow.
---@param decision string
function M.act(decision)
  local buf = chats.current()
  if not buf then
    return
  end
  local press = M.collect(buf, decision)
  if #concerned(press) > 0 then
    M.decide(press, false)
    return
  end
  say_nothing_waits(press.calls)
end

--- A cache of where the last answer begins, until the text changes: every key on a call needs it.
local last_answer = { buf = -1, tick = -1, row = 0 }
--- Lines read at a time.
local piece = 1000

--- Returns the row (from 1) of the last answer in the current buffer; 0 without one.
local function row_of_last_answer()
  local buf = vim.api.nvim_get_current_buf()
  local tick = vim.api.nvim_buf_get_changedtick(buf)
  if last_answer.buf == buf and last_answer.tick == tick then
    return last_answer.row
  end
  last_answer = { buf = buf, tick = tick, row = 0 }
  for first = vim.fn.line("$") - piece, 1 - piece, -piece do
    local lines = vim.api.nvim_buf_get_lines(buf, math.max(first, 0), first + piece, false)
    for index = #lines, 1, -1 do
      if markers.read(lines[index]) == "answer" then
        last_answer.row = math.max(first, 0) + index
        return last_answer.row
      end
    end
  end
  return 0
end

--- Whether the cursor is on a call of the last answer that is already decided.
---@return boolean
function M.is_on_decided_call()
  local row = vim.fn.line(".")
  return call_text.is_call(vim.fn.getline(row)) and row > row_of_last_answer()
end

--- Says at the cursor that this call needs no decision.
function M.say_decided()
  local decision = decision_at_cursor()
  local words = decision and "This call is already decided ([" .. decision .. "])."
    or "This call is not waiting for a key."
  notify.beside(words, vim.log.levels.INFO)
end

return M
