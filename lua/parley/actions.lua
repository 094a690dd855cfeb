--- The actions behind the keys of a chat, named like their options and `<Plug>` maps.
local chats = require("parley.text.chats")
local cursor = require("parley.screen.cursor")
local host = require("parley.host")
local markers = require("parley.text.markers")

local M = {}

--- Opens a new chat, ready to type.
function M.new()
  if require("parley.screen.windows.open").is_refused() then
    return
  end
  local buf, refusal = require("parley.chat").new()
  if not buf then
    require("parley.messages.notify").notify(refusal, vim.log.levels.ERROR)
  end
end

--- Answers the exchange at the cursor of the current buffer.
function M.respond()
  local buf = chats.current()
  if buf then
    require("parley.text.chats.chat_name").give(buf)
    cursor.start(vim.api.nvim_get_current_win(), buf)
    host.send({
      action = "respond",
      buf = buf,
      line = vim.fn.line(".") - 1,
      tick = vim.b[buf].changedtick,
    })
    -- The file is saved while the host prepares the request. A turn that is already running, here or in another
    -- Neovim, saves on its own.
    if vim.b[buf].parley_status == "" then
      require("parley.text.file.save").ahead(buf)
    end
    require("parley.text.chats.project_chat").remember(buf)
  end
end

--- Stops the stream, the tools and the turn of the current chat, or of the last visited one outside of chats.
function M.stop()
  local here = vim.api.nvim_get_current_buf()
  local buf = chats.is_chat(here) and here or (chats.visited()) or chats.current()
  if buf then
    host.send({ action = "stop", buf = buf })
    host.expect_word()
  end
end

--- Stops the call at the cursor.
function M.stop_call()
  local buf = chats.current()
  if buf then
    host.send({ action = "stop_call", buf = buf, line = vim.fn.line(".") - 1 })
  end
end

--- Requests the last step again and replaces it.
function M.retry()
  local buf = chats.current()
  if buf then
    cursor.start(vim.api.nvim_get_current_win(), buf)
    host.send({ action = "retry", buf = buf, line = vim.fn.line(".") - 1 })
  end
end

--- Returns the target of the first link `[🌿: …](….md)` in the line; the link's text ends at the first `]`.
local function linked(line)
  local from, close = 1, line:find("]", 1, true)
  while close do
    local target = line:match("^%(([^()]+%.md)%)", close + 1)
    if target and line:sub(from, close):find("[🌿:", 1, true) then
      return target
    end
    from, close = close + 1, line:find("]", close + 1, true)
  end
  return nil
end

--- Opens the chat that a `🌿:` line or link names; on any other line it is Neovim's own `gf`.
function M.follow_link()
  local line = vim.api.nvim_get_current_line()
  local name, behind = markers.read(line)
  local target = name == "branch" and line:match("^%s*(%S.-%.md)", behind) or linked(line)
  if not target then
    -- Fed as if typed, so that Neovim itself reports a file that it cannot find.
    local count = vim.v.count > 0 and tostring(vim.v.count) or ""
    vim.api.nvim_feedkeys(count .. "gf", "ni", false)
    return
  end
  local system, notify = require("parley.system"), require("parley.messages.notify").notify
  local folder = vim.fs.dirname(vim.api.nvim_buf_get_name(0))
  -- A `$NAME` in a chat's text must not be expanded from our environment.
  local as_written = { expand_env = false }
  local path = vim.fs.normalize(target, as_written)
  if not system.is_absolute(path) then
    path = vim.fs.normalize(vim.fs.joinpath(folder, path), as_written)
  end
  if system.is_network(path) and not system.is_below(system.plain(folder), path) then
    notify(("%s is on another machine; :edit opens it."):format(path), vim.log.levels.WARN)
    return
  end
  if not vim.uv.fs_stat(path) then
    notify(("%s does not exist."):format(path), vim.log.levels.WARN)
    return
  end
  require("parley.screen.windows.open").go(path)
end

--- Copies the code block at the cursor into the given register, or else the unnamed one.
function M.copy()
  local lines = vim.api.nvim_buf_get_lines(0, 0, -1, false)
  local block = require("parley.text.code_block").around(lines, vim.fn.line("."))
  local notify = require("parley.messages.notify").notify
  if not block then
    notify("The cursor is not in a code block, so nothing was copied.", vim.log.levels.WARN)
    return
  end
  vim.fn.setreg(vim.v.register, block, "l")
  local count = #block == 1 and "1 line" or ("%d lines"):format(#block)
  notify(("Copied %s of code; p pastes them."):format(count), vim.log.levels.INFO)
end

--- Toggles the option `follow` (whether windows scroll along with answers) until Neovim exits.
function M.follow()
  local options = require("parley.config").get()
  options.follow = not options.follow
  require("parley.messages.notify").notify(
    options.follow and "Windows follow answers now." or "Windows stay where they are now.",
    vim.log.levels.INFO
  )
end

function M.next_turn()
  require("parley.screen.places").go_to_turn(1)
end

function M.previous_turn()
  require("parley.screen.places").go_to_turn(-1)
end

function M.next_call()
  require("parley.screen.places").go_to_call(1)
end

function M.previous_call()
  require("parley.screen.places").go_to_call(-1)
end

for _, name in ipairs({ "exchange", "answer", "code" }) do
  for _, reach in ipairs({ "around", "inner" }) do
    M[reach .. "_" .. name] = function()
      require("parley.screen.places").select(name, reach == "around")
    end
  end
end

function M.help()
  require("parley.screen.windows.float").help(require("parley.keys.maps").list())
end

function M.details()
  require("parley.keys.decide").details()
end

--- Decides about calls as the approval key with this record (`ya`, `yA`, …) does.
---@param record string
function M.decide(record)
  require("parley.keys.decide").act(record)
end

return M
