--- Keeps the user's requests while the host is built or started, unless they are withdrawn.
local M = {}

local namespace = vim.api.nvim_create_namespace("parley.host.queue")
local limit = 200

--- The messages in order; those about a line have an extmark that follows it.
local queue = {}

--- Callbacks that show that a question is waiting.
local listeners = {}

--- The actions that ask a model. A chat has one at a time; a later one replaces an earlier one.
M.asks = { respond = true, retry = true }

local function remove(is_unwanted)
  local removed = false
  queue = vim.tbl_filter(function(entry)
    local unwanted = is_unwanted(entry.message)
    if unwanted and entry.mark then
      pcall(vim.api.nvim_buf_del_extmark, entry.message.buf, namespace, entry.mark)
    end
    removed = removed or unwanted
    return not unwanted
  end, queue)
  return removed
end

local function mark(message)
  if message.buf and message.line and vim.api.nvim_buf_is_loaded(message.buf) then
    -- A message from before a host's crash may refer to a text that was longer then.
    message.line = math.min(message.line, vim.api.nvim_buf_line_count(message.buf) - 1)
    return vim.api.nvim_buf_set_extmark(message.buf, namespace, message.line, 0, {})
  end
end

--- Keeps a message. Returns true when it asks a model, so that the wait can be shown.
---@param message parley.Message
---@return boolean
function M.add(message)
  local is_ask = M.asks[message.action] == true
  if is_ask then
    remove(function(other)
      return M.asks[other.action] and other.buf == message.buf
    end)
  end
  if #queue < limit then
    table.insert(queue, { message = message, mark = mark(message) })
  end
  return is_ask
end

--- Forgets the requests of a buffer. Returns true when there were any.
---@param buf integer
---@return boolean
function M.withdraw(buf)
  return remove(function(message)
    return message.buf == buf
  end)
end

--- Tells the listeners that a question on a line waits for the host, or (nil) that it no longer does.
local function show(buf, line)
  local built_since = require("parley.host.build").began()
  for _, listener in ipairs(listeners) do
    listener(buf, line, built_since)
  end
end

--- Calls `listener` with buffer and line whenever a question begins to wait for the host, and with the start time of
--- the build when one runs; with the buffer only when the question no longer waits.
---@param listener fun(buf: integer, line?: integer, built_since?: number)
function M.on_waiting(listener)
  table.insert(listeners, listener)
end

--- Keeps a request while there is no host, or withdraws an earlier one. Requests of a chat that is gone are dropped.
---@param message parley.Message
function M.keep(message)
  if message.buf and not vim.api.nvim_buf_is_loaded(message.buf) then
    M.withdraw(message.buf)
  elseif message.action == "stop" or message.action == "stop_call" then
    if M.withdraw(message.buf) then
      show(message.buf, nil)
      local words = "Stopped before anything was asked."
      require("parley.messages.notify").notify(words, vim.log.levels.INFO)
    end
  elseif M.add(message) then
    show(message.buf, message.line)
  end
end

--- Removes and returns all messages, with lines and ticks updated to the buffers' current text.
---@return parley.Message[]
function M.take()
  local messages = {}
  for _, entry in ipairs(queue) do
    local message = entry.message
    local is_there = not message.buf or vim.api.nvim_buf_is_loaded(message.buf)
    if is_there and entry.mark then
      local position = vim.api.nvim_buf_get_extmark_by_id(message.buf, namespace, entry.mark, {})
      message.line = position[1] or message.line
      pcall(vim.api.nvim_buf_del_extmark, message.buf, namespace, entry.mark)
    end
    if is_there and message.tick then
      message.tick = vim.api.nvim_buf_get_changedtick(message.buf)
    end
    if is_there then
      table.insert(messages, message)
    end
  end
  queue = {}
  for _, message in ipairs(messages) do
    if message.buf then
      show(message.buf, nil)
    end
  end
  return messages
end

return M
