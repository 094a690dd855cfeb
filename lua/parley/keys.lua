--- Decisions about open calls: what a key sends to the host, and what a person sees before that.
local M = {}

local bulk = { ya = true, yA = true, yN = true }
local asks_reason = { yn = true, yN = true }

--- The open call that the cursor is on; nil when it is on none.
function M.call_at_cursor(buf)
  local row = vim.fn.line(".") - 1
  if not vim.startswith(vim.fn.getline("."), "❓") then
    return nil
  end
  return vim.iter(require("parley.show").open_calls(buf)):find(function(call)
    return call.line == row
  end)
end

--- Asks for everything that is known of the call at the cursor.
function M.details()
  local buf = require("parley.chat").current()
  local call = buf and M.call_at_cursor(buf)
  if call then
    local message = { action = "details", buf = buf, line = call.line, text = call.text }
    require("parley.host").send(message)
  elseif buf then
    require("parley.notify").notify("The cursor is not on an open ❓: line.", vim.log.levels.WARN)
  end
end

--- A decision together with everything that is on screen at this moment.
function M.collect(buf, decision)
  return {
    decision = decision,
    buf = buf,
    win = vim.api.nvim_get_current_win(),
    line = vim.fn.line(".") - 1,
    tick = vim.api.nvim_buf_get_changedtick(buf),
    calls = require("parley.show").open_calls(buf),
  }
end

local function concerned(press)
  if bulk[press.decision] then
    return press.calls
  end
  return vim.tbl_filter(function(call)
    return call.line == press.line
  end, press.calls)
end

--- Where the cursor was when a decision was sent last: whoever stays there waits for what comes next.
local decided = nil

--- Whether the cursor has not been moved since a decision was sent from here.
function M.stands_where_decided(win, buf)
  return decided ~= nil
    and decided.win == win
    and decided.buf == buf
    and vim.deep_equal(decided.cursor, vim.api.nvim_win_get_cursor(win))
end

local function send(press, listed, reason)
  if vim.api.nvim_win_is_valid(press.win) then
    local cursor = vim.api.nvim_win_get_cursor(press.win)
    decided = { win = press.win, buf = press.buf, cursor = cursor }
  end
  require("parley.host").send({
    action = "key",
    buf = press.buf,
    key = press.decision,
    line = press.line,
    tick = press.tick,
    shown = vim.tbl_map(function(call)
      return { line = call.line, text = call.text, tool = call.tool }
    end, press.calls),
    reason = reason,
    listed = listed,
  })
end

local function must_list(press)
  return vim.iter(concerned(press)):any(function(call)
    return call.cut or not require("parley.reveal").is_visible(press.win, call)
  end)
end

local function list(press)
  local keys = require("parley.maps").approval_keys()
  require("parley.float").calls(concerned(press), press.decision, keys, function(decision, is_same)
    M.decide(vim.tbl_extend("force", press, { decision = decision }), is_same)
  end)
end

--- Sends the decision, after the full list when something of it is not on screen, and after the reason for a no.
function M.decide(press, listed)
  if not listed and must_list(press) then
    list(press)
    return
  end
  if not asks_reason[press.decision] then
    send(press, listed, nil)
    return
  end
  vim.ui.input(
    { prompt = "Reason for the no (Enter for none, Esc takes it back): " },
    function(reason)
      require("parley.notify").clear()
      if reason ~= nil then
        send(press, listed, vim.trim(reason) ~= "" and reason or nil)
      end
    end
  )
end

--- A decision by command or `<Plug>`: no text object can follow.
function M.act(decision)
  local buf = require("parley.chat").current()
  if not buf then
    return
  end
  local press = M.collect(buf, decision)
  if #concerned(press) > 0 then
    M.decide(press, false)
    return
  end
  local message = #press.calls == 0 and "No call waits for a decision in this chat."
    or "The cursor is not on an open ❓: line; nothing was decided. Move to one and try again."
  require("parley.notify").notify(message, vim.log.levels.WARN)
end

return M
