--- Publishes running turns as Neovim 0.12 progress messages, for the terminal's progress bar, the statusline and
--- `Progress` autocommands. They are kept off the command line, because the chat itself shows them.
local away = require("parley.messages.away")

local M = {}

local source = "parley"
local is_there = vim.fn.has("nvim-0.12") == 1 and vim.fn.exists("&messagesopt") == 1

--- By buffer: the progress message of its turn, `{ id, text, title }`.
local running = {}

--- Sends a message with `progress` removed from 'messagesopt', so that only the events are triggered.
local function report(text, options)
  local before = vim.o.messagesopt
  local quiet = before:gsub(",progress:[^,]*", ""):gsub("^progress:[^,]*,", "")
  vim.cmd(("noautocmd let &messagesopt = %s"):format(vim.fn.string(quiet)))
  local ok, id = pcall(vim.api.nvim_echo, { { text } }, false, options)
  vim.cmd(("noautocmd let &messagesopt = %s"):format(vim.fn.string(before)))
  return ok and id or nil
end

--- Neovim's default statusline counts running progress messages but is not redrawn for these.
local function show_count()
  vim.cmd.redrawstatus({ bang = true })
end

--- Reports that a turn runs, or what it does now.
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
  running[buf] = { id = report(text, options), text = text, title = title }
  if not known.id then
    show_count()
  end
end

--- Reports that the chat's turn has ended.
---@param buf integer
---@param status "success"|"failed"
function M.stop(buf, status)
  local known = running[buf]
  running[buf] = nil
  if known and known.id then
    report(status == "success" and "done" or "failed", {
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

--- Calls `stop` when something else cancels a turn: a message with its `id` and the status `cancel`.
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
