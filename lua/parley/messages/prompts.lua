--- Wraps |vim.ui.select()| and |vim.ui.input()| so that the whole question is on the screen.
local M = {}

--- Whether this is Neovim's own function. It shows a prompt of several lines; plugins turn the prompt into a title.
---@param ui function
---@return boolean
function M.is_own(ui)
  return debug.getinfo(ui, "S").source:find("vim/ui%.lua$") ~= nil
end

--- With cmdheight=0 the first row of a scrolled prompt is covered, so an empty row is put before it.
local function below_covered_row(prompt)
  return vim.o.cmdheight == 0 and "\n" .. prompt or prompt
end

--- Returns a prompt with text input after it. A prompt of one row does not scroll.
---@param prompt string
---@return string
function M.typed(prompt)
  local is_long = prompt:find("\n", 1, true) or vim.api.nvim_strwidth(prompt) >= vim.o.columns
  return is_long and below_covered_row(prompt) or prompt
end

--- Returns the function that takes an answer. A plugin's window may give one while the command-line window is open,
--- where Neovim opens and reads no file: it is taken when that window is closed.
local function outside_command_window(take)
  return function(...)
    if vim.fn.getcmdwintype() == "" then
      return take(...)
    end
    local answer = vim.F.pack_len(...)
    vim.api.nvim_create_autocmd("CmdwinLeave", {
      once = true,
      callback = vim.schedule_wrap(function()
        outside_command_window(take)(vim.F.unpack_len(answer))
      end),
    })
  end
end

--- Tells the user that a question could not be asked.
---@param prompt string
---@param message any the error
function M.tell_failure(prompt, message)
  local notify = require("parley.messages.notify")
  local question = vim.trim(prompt:gsub("%s+", " "))
  local words = 'The question "%s" could not be asked: %s'
  notify.notify(words:format(question, notify.reason(message)), vim.log.levels.ERROR)
end

--- Asks by `ui`, which a plugin may have replaced. Where that fails before it has an answer, the user is told, and the
--- question counts as cancelled.
---@param ui function
---@param prompt string
---@param take fun(...)
---@param ... any what comes before `take`
local function ask(ui, prompt, take, ...)
  local is_taken = false
  local parameters = { ... }
  parameters[#parameters + 1] = outside_command_window(function(...)
    is_taken = true
    return take(...)
  end)
  local ok, message = pcall(ui, unpack(parameters))
  if ok then
    return
  elseif is_taken or tostring(message):find("Keyboard interrupt", 1, true) then
    error(message, 0)
  end
  M.tell_failure(prompt, message)
  take(nil)
end

---@generic T
---@param items T[]
---@param options { prompt: string, format_item?: fun(item: T): string }
---@param choose fun(item?: T, index?: integer)
function M.select(items, options, choose)
  local prompt = options.prompt
  if M.is_own(vim.ui.select) then
    prompt = below_covered_row(prompt)
  end
  local shown = vim.tbl_extend("force", options, { prompt = prompt })
  ask(vim.ui.select, options.prompt, choose, items, shown)
end

---@param options { prompt: string, default?: string, completion?: string }
---@param take fun(text?: string)
function M.input(options, take)
  local prompt = options.prompt
  if M.is_own(vim.ui.input) then
    prompt = M.typed(prompt)
  end
  ask(vim.ui.input, options.prompt, take, vim.tbl_extend("force", options, { prompt = prompt }))
end

return M
