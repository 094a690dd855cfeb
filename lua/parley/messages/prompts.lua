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

---@generic T
---@param items T[]
---@param options { prompt: string, format_item?: fun(item: T): string }
---@param choose fun(item?: T, index?: integer)
function M.select(items, options, choose)
  local prompt = options.prompt
  if M.is_own(vim.ui.select) then
    prompt = below_covered_row(prompt)
  end
  vim.ui.select(
    items,
    vim.tbl_extend("force", options, { prompt = prompt }),
    outside_command_window(choose)
  )
end

---@param options { prompt: string, default?: string, completion?: string }
---@param take fun(text?: string)
function M.input(options, take)
  local prompt = options.prompt
  if M.is_own(vim.ui.input) then
    prompt = M.typed(prompt)
  end
  vim.ui.input(vim.tbl_extend("force", options, { prompt = prompt }), outside_command_window(take))
end

return M
