local M = {}

--- Optional; every option has a default (:help parley-setup). A host that runs already goes on with the
--- options it was started with until :Parley restart.
function M.setup(options)
  require("parley.config").setup(options)
  if package.loaded["parley.chat"] then
    require("parley.chat").refresh()
  end
  require("parley.maps").set_global()
end

--- Opens a new chat, ready to type.
function M.new()
  require("parley.chat").new()
end

--- Answers the exchange at the cursor of the current buffer.
function M.respond()
  local chat = require("parley.chat")
  local buf = chat.current()
  if buf then
    require("parley.host").send({
      action = "respond",
      buf = buf,
      line = vim.fn.line(".") - 1,
      tick = vim.b[buf].changedtick,
    })
  end
end

--- Stops the stream, the tools and the turn of the current chat.
function M.stop()
  local buf = require("parley.chat").current()
  if buf then
    require("parley.host").send({ action = "stop", buf = buf })
  end
end

--- Asks for the last step again, in its place.
function M.retry()
  local buf = require("parley.chat").current()
  if buf then
    require("parley.host").send({ action = "retry", buf = buf, line = vim.fn.line(".") - 1 })
  end
end

--- Model, state, waiting calls and usage of the current chat for a statusline; empty elsewhere. Asks nobody.
function M.statusline()
  return vim.b.parley_statusline or ""
end

return M
