--- Messages to the person, without ever making them press ENTER.
local beside = require("parley.messages.beside")
local toast = require("parley.messages.toast")

local M = {}

local highlights = {
  [vim.log.levels.ERROR] = "ErrorMsg",
  [vim.log.levels.WARN] = "WarningMsg",
}

--- Plugins that show messages in their own way replace `vim.notify`; they get the whole text. Neovim's own comes
--- from a file of its runtime, or from bytecode that names none.
local function is_replaced()
  local source = debug.getinfo(vim.notify, "S").source
  return not (source:find("vim/_", 1, true) or source:find("^=?%?$"))
end

--- As much of the text as fits on the command line.
local function shortened(text)
  local room = math.max(20, vim.v.echospace)
  local line = text:gsub("%s*\n%s*", " ")
  if vim.api.nvim_strwidth(line) <= room then
    return line
  end
  local marker = " … (:messages)"
  return vim.fn.strcharpart(line, 0, room - vim.api.nvim_strwidth(marker)) .. marker
end

--- Sets an option for one call, without telling anybody.
local function with_option(name, value, run)
  local before = vim.o[name]
  vim.cmd(("noautocmd let &%s = %s"):format(name, vim.fn.string(value)))
  run()
  vim.cmd(("noautocmd let &%s = %s"):format(name, vim.fn.string(before)))
end

--- Puts a text of several lines into `:messages` so that Neovim has nothing to wait for.
local function echo_in_full(text, highlight)
  local function echo()
    vim.api.nvim_echo({ { text, highlight } }, true, {})
  end
  if vim.fn.exists("&messagesopt") == 1 then
    with_option("messagesopt", (vim.o.messagesopt:gsub("hit%-enter", "wait:0")), echo)
    return
  end
  -- Before 0.11 the only way is a command line that is high enough.
  local lines = 1
  for _, line in ipairs(vim.split(text, "\n", { plain = true })) do
    lines = lines + math.floor(vim.api.nvim_strwidth(line) / vim.o.columns) + 1
  end
  local height = math.max(vim.o.cmdheight, math.min(lines, vim.o.lines - 3))
  with_option("cmdheight", height, echo)
end

--- The whole text goes into `:messages`; what does not fit on one line is shown in a window of its own for a
--- while, and shortened where there can be none.
---@param text string
---@param level? integer of vim.log.levels
function M.notify(text, level)
  if is_replaced() then
    vim.notify(text, level, { title = "Parley" })
    return
  end
  local highlight = highlights[level] or "Normal"
  local short = shortened(text)
  if short == text and vim.o.cmdheight > 0 and not toast.is_open() then
    vim.api.nvim_echo({ { text, highlight } }, true, {})
    return
  end
  echo_in_full(text, highlight)
  local is_shown = toast.show(text, highlight)
  -- What stands in that window need not stand below it, too.
  M.clear()
  if not is_shown then
    vim.api.nvim_echo({ { short, highlight } }, false, {})
  end
end

--- The text at the cursor, where a key was just pressed, until the next one; `:messages` has it too.
---@param text string
---@param level? integer of vim.log.levels
function M.beside(text, level)
  if is_replaced() then
    vim.notify(text, level, { title = "Parley" })
    return
  end
  echo_in_full(text, highlights[level] or "Normal")
  local is_shown = beside.show(text, highlights[level] or "NormalFloat")
  M.clear()
  if not is_shown then
    vim.api.nvim_echo({ { shortened(text), highlights[level] or "Normal" } }, false, {})
  end
end

--- For `:messages` alone: the text stands on the screen already. A plugin that shows messages keeps its own list of
--- them, and what it was not given is nowhere once the screen changes.
---@param text string
---@param level integer
function M.note(text, level)
  if is_replaced() then
    vim.notify(text, level, { title = "Parley" })
    return
  end
  echo_in_full(text, highlights[level] or "Normal")
  M.clear()
end

--- Takes away what a prompt of Neovim's own left on the command line, with nothing to press ENTER for.
function M.clear()
  vim.cmd.redraw()
  -- Without a command line an echo waits for ENTER, even of nothing.
  if vim.o.cmdheight > 0 then
    vim.api.nvim_echo({ { "" } }, false, {})
  end
end

return M
