--- The public face: what a configuration and other plugins may call.
local M = {}

--- Optional; every option has a default (:help parley-setup). A host that runs already goes on with the
--- options it was started with until :Parley restart.
---@param options? parley.Options
function M.setup(options)
  require("parley.config").setup(options)
  if package.loaded["parley.chat"] then
    require("parley.chat").refresh()
  end
  require("parley.keys.maps").set_global()
end

--- Opens a new chat, ready to type, and gives back its buffer; with options a question is in it, see |parley-api|.
---@param options? parley.NewChat
---@return integer
function M.new(options)
  return require("parley.api").new(options)
end

--- A new chat with a question (`text`) that is sent at once; its buffer.
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

--- Asks for the last step again, in its place.
function M.retry()
  require("parley.actions").retry()
end

--- All chats for another picker (:help parley-chats): `on_chats` gets a list of rows, the last written first, each
--- with `path`, `topic`, `model`, `age` and `sign` (`❓2` when two calls wait).
---@param on_chats fun(rows: table[])
function M.chats(on_chats)
  require("parley.pickers.chats").list(on_chats)
end

--- The calls of a chat that wait for a decision.
---@param buf? integer
---@return parley.OpenCall[]
function M.open_calls(buf)
  return require("parley.api").open_calls(buf)
end

--- Says yes to the call on this line, or to all that wait, as the keys do.
---@param buf? integer
---@param line? integer counted from 1
---@param options? { always?: boolean }
function M.approve(buf, line, options)
  require("parley.api").approve(buf, line, options)
end

--- Says no to the call on this line, or to all that wait.
---@param buf? integer
---@param line? integer counted from 1
---@param reason? string for the model
function M.deny(buf, line, reason)
  require("parley.api").deny(buf, line, reason)
end

--- What a chat does now. Asks nobody.
---@param buf? integer
---@return parley.Status
function M.status(buf)
  return require("parley.api").status(buf)
end

--- Tokens and cost of the last answer and, as `chat`, of the chat since it was opened; nil before the first.
---@param buf? integer
---@return parley.Total?
function M.usage(buf)
  return require("parley.api").usage(buf)
end

--- A part for a section of lualine.
---@return table
function M.lualine()
  local function is_chat()
    return vim.b.parley_statusline ~= nil
  end
  return { M.statusline, cond = is_chat }
end

--- Model, state, waiting calls and usage of the current chat for a statusline; empty elsewhere. Asks nobody.
---@return string
function M.statusline()
  return vim.b.parley_statusline or ""
end

--- Chats in no window of this tab page that wait for a decision, were answered or failed, for a statusline or winbar:
--- `Parley: 1 waits, 2 answered`; empty when there are none. Asks nobody.
---@return string
function M.news()
  local away = package.loaded["parley.messages.away"]
  return away and away.counts() or ""
end

--- Names for what the keys of chats begin with, for `require("which-key").add(…)`.
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
