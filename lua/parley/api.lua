--- The public API for other plugins and configurations (:help parley-api). Each function behaves like the matching key.
local chat = require("parley.chat")
local chats = require("parley.text.chats")
local decide = require("parley.keys.decide")
local escape = require("parley.text.escape")
local host = require("parley.host")
local markers = require("parley.text.markers")
local show = require("parley.screen.show")

local M = {}

---@class parley.NewChat
---@field text? string the question; without one the chat waits for it in Insert mode
---@field context? string|string[] references such as `@@./a.ts:10-40@@`, put above the question
---@field model? string `provider/id`, written into the header
---@field place? "here"|"split"|"vsplit"|"tab" where it opens; default "here"

---@class parley.Tokens
---@field input integer
---@field output integer
---@field cache_read? integer
---@field cache_write? integer
---@field reasoning? integer

---@class parley.TurnEnd
---@field buf integer
---@field reason string `done`, `await-approval`, `stopped`, `failed`, `refused`, `limit`, …
---@field message? string why it ended, in a sentence
---@field calls? integer calls that wait for a decision
---@field usage? parley.Tokens
---@field cost? number in US dollars, when prices are known

---@class parley.OpenCall
---@field line integer counted from 1
---@field id string
---@field name string of the tool
---@field arguments string JSON as the model wrote it

---@class parley.Status
---@field path string
---@field text string what the chat does, in a sentence; empty when it does nothing
---@field statusline string model, state and usage in one line
---@field usage string of the last answer
---@field waiting integer calls that wait for a decision
---@field context? { used: integer, window: integer } tokens of the last request with its answer, and of the window

---@class parley.Total
---@field usage? parley.Tokens of the last answer
---@field cost? number
---@field requests? integer
---@field chat { usage: parley.Tokens, cost?: number, requests: integer }

local function buffer_of(buf)
  buf = (buf == nil or buf == 0) and vim.api.nvim_get_current_buf() or buf
  if type(buf) ~= "number" then
    error(("buf is the number of a buffer, not %s."):format(vim.inspect(buf)), 0)
  elseif not chats.is_chat(buf) then
    error(("Buffer %s is not a chat; :Parley attach makes it one."):format(buf), 0)
  end
  return buf
end

local places = { here = "", split = "split", vsplit = "vsplit", tab = "tab split" }

local function is_list_of_strings(value)
  return vim.islist(value)
    and vim.iter(value):all(function(item)
      return type(item) == "string"
    end)
end

local function is_string(value)
  return type(value) == "string"
end

--- What the value of an option must be: in words, and as a function.
local kinds = {
  text = { "a string", is_string },
  context = {
    "a string or a list of strings",
    function(value)
      return is_string(value) or is_list_of_strings(value)
    end,
  },
  model = {
    "a provider/id in one line",
    function(value)
      return is_string(value) and value:find("^%S[^\n]*$") ~= nil
    end,
  },
  place = {
    "here, split, vsplit or tab",
    function(value)
      return places[value] ~= nil
    end,
  },
  on_done = { "a function", vim.is_callable },
  buf = {
    "the number of a buffer",
    function(value)
      return type(value) == "number"
    end,
  },
  line = {
    "a whole number from 1",
    function(value)
      return type(value) == "number" and value >= 1 and value % 1 == 0
    end,
  },
  always = {
    "true or false",
    function(value)
      return type(value) == "boolean"
    end,
  },
  reason = { "a string", is_string },
}

local function check(name, value)
  if value ~= nil and not kinds[name][2](value) then
    error(("%s is %s, not %s."):format(name, kinds[name][1], vim.inspect(value)), 0)
  end
end

--- Raises an error for an unknown option or a wrong value, so that nothing is ignored silently.
---@param options? table
---@param names string[] the options that there are
---@return table
local function checked(options, names)
  options = options or {}
  if type(options) ~= "table" then
    error(("The options are a table, not %s."):format(vim.inspect(options)), 0)
  end
  for name, value in pairs(options) do
    if not vim.list_contains(names, name) then
      local known = table.concat(names, ", ")
      error(("There is no option %s here, only: %s."):format(tostring(name), known), 0)
    end
    check(name, value)
  end
  return options
end

local of_new = { "text", "context", "model", "place" }
local of_ask = vim.list_extend({ "on_done" }, of_new)

--- The lines of a text, also of one with the line ends of Windows.
local function lines_of(text)
  return vim.split((text:gsub("\r\n", "\n")), "\n", { plain = true })
end

local function new(options)
  local place = places[options.place or "here"]
  if not require("parley.screen.windows.open").try(place) then
    vim.cmd(places.tab)
  end
  local buf, refusal = chat.new()
  if not buf then
    error(refusal, 0)
  end
  local context = type(options.context) == "table" and table.concat(options.context, "\n")
    or options.context
  context = context ~= "" and context or nil
  if options.model then
    vim.api.nvim_buf_set_lines(buf, 2, 2, false, { "model: " .. options.model })
  end
  if options.text or context then
    local text = table.concat({ context or options.text, context and options.text }, "\n")
    -- The text may come from a language server or a file: no line of it may become a turn or a decision.
    local lines = vim.tbl_map(escape.escaped, lines_of(text))
    lines[1] = markers.next_question .. escape.plain(lines[1])
    vim.api.nvim_buf_set_lines(buf, -2, -1, false, lines)
  end
  if options.text then
    vim.cmd.stopinsert()
  end
  local last = vim.api.nvim_buf_line_count(buf)
  vim.api.nvim_win_set_cursor(0, { last, #vim.fn.getline(last) })
  return buf
end

--- Opens a new chat and returns its buffer.
---@param options? parley.NewChat
---@return integer
function M.new(options)
  return new(checked(options, of_new))
end

--- Calls `on_done` once with the end of the next turn of this chat.
local function when_done(buf, on_done)
  vim.api.nvim_create_autocmd("User", {
    pattern = "ParleyEnd",
    callback = function(event)
      if event.data.buf ~= buf then
        return false
      end
      vim.schedule(function()
        on_done(event.data)
      end)
      return true
    end,
  })
end

--- Answers a chat's last question, or the one at `line`. A turn that waits for an approval counts as ended.
---@param options? { buf?: integer, line?: integer, on_done?: fun(data: parley.TurnEnd) } `line` counted from 1
function M.respond(options)
  options = checked(options, { "buf", "line", "on_done" })
  local buf = buffer_of(options.buf)
  local count = vim.api.nvim_buf_line_count(buf)
  if options.line and options.line > count then
    error(("There is no line %s; the chat has %d."):format(options.line, count), 0)
  end
  if options.on_done then
    when_done(buf, options.on_done)
  end
  require("parley.text.chats.chat_name").give(buf)
  local line = options.line or vim.api.nvim_buf_line_count(buf)
  local tick = vim.api.nvim_buf_get_changedtick(buf)
  host.send({ action = "respond", buf = buf, line = line - 1, tick = tick })
end

--- Opens a new chat, sends its question at once and returns its buffer.
---@param options parley.NewChat|{ on_done?: fun(data: parley.TurnEnd) } with `text`
---@return integer
function M.ask(options)
  options = checked(options, of_ask)
  if not (options.text or ""):find("%S") then
    error("ask needs text, the question.", 0)
  end
  local buf = new(options)
  M.respond({ buf = buf, on_done = options.on_done })
  return buf
end

--- Returns the calls that wait for a decision, in order.
---@param buf? integer
---@return parley.OpenCall[]
function M.open_calls(buf)
  return vim.tbl_map(function(call)
    local ok, value = pcall(vim.json.decode, call.text:match("^[^`]*`+%s?({.*})%s?`+") or "")
    local called = ok and value["function"] or {}
    return {
      line = call.line + 1,
      id = ok and value.id or "",
      name = called.name or "",
      arguments = called.arguments or "",
    }
  end, show.open_calls(buffer_of(buf)))
end

--- Collects the calls to decide about, in a window that shows the chat: only what is on the screen can be decided.
local function press(buf, line, record)
  buf = buffer_of(buf)
  check("line", line)
  local win = vim.fn.bufwinid(buf)
  if win < 0 then
    error(
      "The chat is in no window, so nothing was decided: you decide a call where you see it.",
      0
    )
  end
  local pressed = decide.collect(buf, record)
  local first = pressed.calls[1]
  -- A decision about all calls applies to the answer that contains the first of them.
  pressed.win, pressed.line = win, line and line - 1 or first and first.line or 0
  local is_open = line == nil and #pressed.calls > 0
    or vim.iter(pressed.calls):any(function(call)
      return call.line == pressed.line
    end)
  if not is_open then
    local place = line and "on line " .. line or "in this chat"
    error(("No call waits %s, so nothing was decided."):format(place), 0)
  end
  return pressed
end

--- Approves the call on this line (from 1), or all that wait, as the keys do: calls that do not fit on the screen are
--- listed first.
---@param buf? integer
---@param line? integer
---@param options? { always?: boolean } `always` remembers the tool
function M.approve(buf, line, options)
  local always = checked(options, { "always" }).always
  local record = line and (always and "yO" or "yo") or (always and "yA" or "ya")
  decide.decide(press(buf, line, record), false)
end

--- Declines the call on this line (from 1), or all that wait. The reason is sent to the model.
---@param buf? integer
---@param line? integer
---@param reason? string
function M.deny(buf, line, reason)
  check("reason", reason)
  decide.send(press(buf, line, line and "yn" or "yN"), reason)
end

--- Returns what a chat is doing now, without asking the host.
---@param buf? integer
---@return parley.Status
function M.status(buf)
  buf = buffer_of(buf)
  local own = vim.b[buf]
  return {
    path = vim.api.nvim_buf_get_name(buf),
    text = own.parley_status or "",
    statusline = own.parley_statusline or "",
    usage = own.parley_usage or "",
    waiting = #show.open_calls(buf),
    context = (own.parley or {}).context,
  }
end

--- Returns tokens and cost of the last answer and, as `chat`, of the chat since it was opened; nil before the first.
---@param buf? integer
---@return parley.Total?
function M.usage(buf)
  return vim.b[buffer_of(buf)].parley_total
end

return M
