--- Shows messages without ever causing a hit-enter prompt.
local beside = require("parley.messages.beside")
local toast = require("parley.messages.toast")
local undisturbed = require("parley.system.undisturbed")

local M = {}

local highlights = {
  [vim.log.levels.ERROR] = "ErrorMsg",
  [vim.log.levels.WARN] = "WarningMsg",
}

--- Whether a plugin replaced `vim.notify`; it then gets the whole text. Neovim's own comes from a runtime file, or from
--- bytecode without a file name. Neovim 0.12's new message UI (`ui2`) never waits for a key, so it counts as replaced.
local function is_replaced()
  local ui2 = package.loaded["vim._core.ui2"]
  if ui2 and ui2.cfg.enable then
    return true
  end
  local source = debug.getinfo(vim.notify, "S").source
  return not (source:find("vim/_", 1, true) or source:find("^=?%?$"))
end

--- Whether the user was told that the replaced `vim.notify` fails.
local has_told_failure = false

local function tell_failure(message)
  if has_told_failure then
    return
  end
  has_told_failure = true
  vim.schedule(function()
    local words = "The plugin that replaced vim.notify failed, so Parley shows its messages: %s"
    M.notify(words:format(M.reason(message)), vim.log.levels.WARN)
  end)
end

--- Gives the text to a plugin that replaced `vim.notify`; returns whether there is one that takes it.
local function is_given(text, level)
  if not is_replaced() then
    return false
  end
  local ok, message = pcall(vim.notify, text, level, { title = "Parley" })
  if not ok then
    tell_failure(message)
  end
  return ok
end

--- Joins the lines, without blanks at their ends.
local function one_line(text)
  local words = {}
  for index, line in ipairs(vim.split(text, "\n", { plain = true })) do
    local first = line:find("%S")
    if first then
      words[#words + 1] = (index == 1 and line or line:sub(first)):match("^.*%S")
    end
  end
  return table.concat(words, " ")
end

--- Returns as much of the text as fits on the command line.
local function shortened(text)
  local room = math.max(20, vim.v.echospace)
  local line = one_line(text)
  if vim.api.nvim_strwidth(line) <= room then
    return line
  end
  local marker = " … (:messages)"
  return vim.fn.strcharpart(line, 0, room - vim.api.nvim_strwidth(marker)) .. marker
end

--- Sets an option for one call, which may fail or be interrupted, without triggering OptionSet.
local function with_option(name, value, run)
  local before = vim.o[name]
  vim.cmd(("noautocmd let &%s = %s"):format(name, vim.fn.string(value)))
  local ok, message = pcall(run)
  vim.cmd(("noautocmd let &%s = %s"):format(name, vim.fn.string(before)))
  if not ok then
    error(message, 0)
  end
end

--- Runs with a command line of one row where there is none, and leaves sizes and views of the windows as they were.
local function with_command_line(run)
  if vim.o.cmdheight > 0 then
    run()
    return
  end
  local sizes, views = vim.fn.winrestcmd(), {}
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    views[win] = vim.api.nvim_win_call(win, vim.fn.winsaveview)
  end
  with_option("cmdheight", 1, run)
  if vim.fn.winrestcmd() ~= sizes then
    vim.cmd("noautocmd " .. sizes)
  end
  for win, view in pairs(views) do
    vim.api.nvim_win_call(win, function()
      if not vim.deep_equal(vim.fn.winsaveview(), view) then
        vim.fn.winrestview(view)
      end
    end)
  end
end

--- Shows a line on the command line, shortened where it is too long, and adds all of it to `:messages`.
local function echo_line(line, highlight)
  vim.cmd.echohl(highlight)
  vim.api.nvim_cmd({ cmd = "echomsg", args = { vim.fn.string(line) } }, {})
  vim.cmd.echohl("None")
  vim.cmd.redraw()
end

--- Adds a text to `:messages`, each of its lines as a message, without a hit-enter prompt. Neovim's other ways do more:
--- a higher command line scrolls windows, and without "hit-enter" in 'messagesopt' other code, such as the host's, runs
--- in the middle of this.
local function echo_in_full(text, highlight)
  with_command_line(function()
    vim.cmd.redraw()
    with_option("more", false, function()
      with_option("shortmess", vim.o.shortmess .. "T", function()
        for _, line in ipairs(vim.split(text, "\n", { plain = true })) do
          echo_line(line, highlight)
        end
      end)
    end)
  end)
end

--- How long a message waits until it looks again whether an autocommand still runs.
local later_ms = 20

--- Leaves a long message to a moment when no autocommand runs; returns whether it did. While a file is read, Neovim
--- shows one message below the other, and a long one would need a key. By a timer and not by `vim.schedule`: the
--- autocommand may be waiting itself, in a `vim.wait` that goes on until nothing is scheduled any longer.
local function has_deferred(show, text, level)
  local is_later = vim.fn.state("x") ~= "" and vim.v.exiting == vim.NIL
  if is_later then
    vim.defer_fn(function()
      show(text, level)
    end, later_ms)
  end
  return is_later
end

--- Returns Neovim's error message without the Lua position in front of it and the calls below it.
---@param message any
---@return string
function M.reason(message)
  message = tostring(message):gsub("%s*\nstack traceback:.*", "")
  return message:match("(E%d+: .*)") or (message:gsub("^.-%.lua:%d+: ", ""))
end

--- Whether Neovim writes over a message on the command line at once: the mode, as in Insert and Visual mode, or the
--- command or answer that the user types there.
local function is_overwritten()
  local mode = vim.api.nvim_get_mode().mode
  local is_mode_shown = vim.o.showmode and (mode:find("^[^n]") or vim.startswith(mode, "ni"))
  return is_mode_shown or mode:find("^[cr]") ~= nil
end

--- Shows a message and adds its whole text to `:messages`. Text that would not stay on the command line, or does not
--- fit there, appears in a window for a while, or shortened when no window can be opened.
---@param text string
---@param level? integer of vim.log.levels
function M.notify(text, level)
  if is_given(text, level) then
    return
  end
  local highlight = highlights[level] or "Normal"
  local short = shortened(text)
  local is_in_line = short == text and vim.o.cmdheight > 0 and not is_overwritten()
  if is_in_line and not toast.is_open() then
    vim.api.nvim_echo({ { text, highlight } }, true, {})
    return
  end
  if has_deferred(M.notify, text, level) then
    return
  end
  echo_in_full(text, highlight)
  local is_shown = toast.show(text, highlight)
  -- The text is in that window, so the command line below it is cleared.
  M.clear()
  if not is_shown then
    vim.api.nvim_echo({ { short, highlight } }, false, {})
  end
end

--- Shows the text at the cursor until the next key, and adds it to `:messages`.
---@param text string
---@param level? integer of vim.log.levels
function M.beside(text, level)
  if is_given(text, level) or has_deferred(M.beside, text, level) then
    return
  end
  echo_in_full(text, highlights[level] or "Normal")
  local is_shown = beside.show(text, highlights[level] or "NormalFloat")
  M.clear()
  if not is_shown then
    vim.api.nvim_echo({ { shortened(text), highlights[level] or "Normal" } }, false, {})
  end
end

--- Adds a text to `:messages` only, because it is on the screen already. A plugin that replaces `vim.notify` gets it
--- too, since its own history would otherwise lack it.
---@param text string
---@param level integer
function M.note(text, level)
  if is_given(text, level) or has_deferred(M.note, text, level) then
    return
  end
  echo_in_full(text, highlights[level] or "Normal")
  M.clear()
end

--- Clears what Neovim's own prompt left on the command line, without a hit-enter prompt.
function M.clear()
  vim.cmd.redraw()
  -- With cmdheight=0 even an empty echo causes a hit-enter prompt.
  if vim.o.cmdheight > 0 then
    vim.api.nvim_echo({ { "" } }, false, {})
  end
end

undisturbed.listen(function(text)
  M.notify(text, vim.log.levels.WARN)
end)

return M
