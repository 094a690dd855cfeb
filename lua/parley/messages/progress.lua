--- Turns under way as progress messages of Neovim 0.12: for its terminal bar, its statusline, and whoever listens to
--- `Progress`. The command line shows none of them: the chat does.
local away = require("parley.messages.away")

local M = {}

local source = "parley"
local is_there = vim.fn.has("nvim-0.12") == 1 and vim.fn.exists("&messagesopt") == 1

--- By buffer: the message of its turn, `{ id, text, title }`.
local running = {}

--- Without a place in 'messagesopt' they are events alone.
local function tell(text, options)
  local before = vim.o.messagesopt
  local quiet = before:gsub(",progress:[^,]*", ""):gsub("^progress:[^,]*,", "")
  vim.cmd(("noautocmd let &messagesopt = %s"):format(vim.fn.string(quiet)))
  local ok, id = pcall(vim.api.nvim_echo, { { text } }, false, options)
  vim.cmd(("noautocmd let &messagesopt = %s"):format(vim.fn.string(before)))
  return ok and id or nil
end

--- Neovim's own statusline counts turns under way, and is drawn for none of these messages.
local function show_count()
  vim.cmd.redrawstatus({ bang = true })
end

--- A turn of the chat goes on, or does something else now.
---@param buf integer
---@param text string
function M.run(buf, text)
  local known = running[buf] or {}
  if not is_there or known.text == text then
    return
  end
  local title = known.title or away.name_of(buf)
  local options = { kind = "progress", source = source, status = "running", id = known.id }
  options.title, options.data = title, { buf = buf }
  running[buf] = { id = tell(text, options), text = text, title = title }
  if not known.id then
    show_count()
  end
end

--- Nothing is under way in the chat.
---@param buf integer
---@param status "success"|"failed"
function M.stop(buf, status)
  local known = running[buf]
  running[buf] = nil
  if known and known.id then
    tell(status == "success" and "done" or "failed", {
      kind = "progress",
      source = source,
      status = status,
      percent = 100,
      id = known.id,
      title = known.title,
      data = { buf = buf },
    })
    show_count()
  end
end

--- Somebody else asks for the end of a turn: a message of its `id` with the status `cancel`.
---@param stop fun(buf: integer)
function M.on_cancel(stop)
  if not is_there then
    return
  end
  vim.api.nvim_create_autocmd("Progress", {
    group = vim.api.nvim_create_augroup("parley.progress", {}),
    pattern = source,
    callback = function(event)
      for buf, known in pairs(event.data.status == "cancel" and running or {}) do
        if known.id == event.data.id then
          stop(buf)
        end
      end
    end,
  })
end

return M
