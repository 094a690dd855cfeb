--- The public module: what a configuration and other plugins may call.
local M = {}

--- Optional; every option has a default (:help parley-setup). A host that is already running applies it at once.
---@param options? parley.Options
function M.setup(options)
  require("parley.config").setup(options)
  if package.loaded["parley.chat"] then
    require("parley.chat").refresh()
  end
  require("parley.keys.maps").set_global()
  if package.loaded["parley.host"] then
    require("parley.host").configure()
  end
end

--- Opens a new chat, ready to type, and returns its buffer. Options can fill in the question, see |parley-api|.
---@param options? parley.NewChat
---@return integer
function M.new(options)
  return require("parley.api").new(options)
end

--- Opens a new chat with a question (`text`), sends it at once and returns the buffer.
---@param options parley.NewChat|{ on_done?: fun(data: parley.TurnEnd) }
---@return integer
function M.ask(options)
  return require("parley.api").ask(options)
end

--- Answers the exchange at the cursor of the current buffer.
---@param options? { buf?: integer, line?: integer, on_done?: fun(data: parley.TurnEnd) } instead of the cursor's
function M.respond(options)
  if options then
    require("parley.api").respond(options)
  else
    require("parley.actions").respond()
  end
end

--- Stops the stream, the tools and the turn of the current chat.
function M.stop()
  require("parley.actions").stop()
end

--- Requests the last step again and replaces it.
function M.retry()
  require("parley.actions").retry()
end

--- Lists all chats for another picker (:help parley-chats): `on_chats` gets rows, the most recently written first, each
--- with `path`, `topic`, `model`, `age` and `sign` (`❓2` when two calls wait).
---@param on_chats fun(rows: table[])
function M.chats(on_chats)
  require("parley.pickers.chats").list(on_chats)
end

--- Returns the calls of a chat that wait for a decision.
---@param buf? integer
---@return parley.OpenCall[]
function M.open_calls(buf)
  return require("parley.api").open_calls(buf)
end

--- Approves the call on this line, or all that wait, as the keys do.
---@param buf? integer
---@param line? integer counted from 1
---@param options? { always?: boolean }
function M.approve(buf, line, options)
  require("parley.api").approve(buf, line, options)
end

--- Declines the call on this line, or all that wait.
---@param buf? integer
---@param line? integer counted from 1
---@param reason? string for the model
function M.deny(buf, line, reason)
  require("parley.api").deny(buf, line, reason)
end

--- Returns what a chat is doing now, without asking the host.
---@param buf? integer
---@return parley.Status
function M.status(buf)
  return require("parley.api").status(buf)
end

--- Returns tokens and cost of the last answer and, as `chat`, of the chat since it was opened; nil before the first.
---@param buf? integer
---@return parley.Total?
function M.usage(buf)
  return require("parley.api").usage(buf)
end

--- Returns a component for a lualine section.
---@return table
function M.lualine()
  local function is_chat()
    return vim.b.parley_statusline ~= nil
  end
  return { M.statusline, cond = is_chat }
end

--- Returns model, state, waiting calls and usage of the current chat for a statusline; empty outside chats.
---@return string
function M.statusline()
  return vim.b.parley_statusline or ""
end

--- Counts the chats outside this tab page's windows that wait for a decision, were answered or failed, for a statusline
--- or winbar: `Parley: 1 waits, 2 answered`; empty when there are none.
---@return string
function M.news()
  local away = package.loaded["parley.messages.away"]
  return away and away.counts() or ""
end

--- Returns names for the prefixes of the chat keys, for `require("which-key").add(…)`.
---@return table[]
function M.which_key()
  return require("parley.config.hints").which_key()
end

--- The same for `clues` of `require("mini.clue").setup(…)`.
---@return table[]
function M.clues()
  return require("parley.config.hints").clues()
end

return M
