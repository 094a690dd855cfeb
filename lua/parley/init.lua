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

--- Opens a new chat, ready to type.
function M.new()
  require("parley.actions").new()
end

--- Answers the exchange at the cursor of the current buffer.
function M.respond()
  require("parley.actions").respond()
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

--- Model, state, waiting calls and usage of the current chat for a statusline; empty elsewhere. Asks nobody.
function M.statusline()
  return vim.b.parley_statusline or ""
end

--- Names for what the keys of chats begin with, for `require("which-key").add(…)`.
function M.which_key()
  return require("parley.config.hints").which_key()
end

--- The same for `clues` of `require("mini.clue").setup(…)`.
function M.clues()
  return require("parley.config.hints").clues()
end

return M
