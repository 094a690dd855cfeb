--- Neovim's questions (|vim.ui.select()|, |vim.ui.input()|), with all of what is asked on the screen.
local M = {}

--- Whether Neovim itself asks: it shows a prompt of several lines, which others make a title of.
---@param ui function
---@return boolean
function M.is_own(ui)
  return debug.getinfo(ui, "S").source:find("vim/ui%.lua$") ~= nil
end

--- With cmdheight=0 what scrolls up for a question covers its first row, so that row is an empty one.
local function below_covered_row(prompt)
  return vim.o.cmdheight == 0 and "\n" .. prompt or prompt
end

--- A prompt that is typed behind: with one row nothing scrolls.
---@param prompt string
---@return string
function M.typed(prompt)
  local is_long = prompt:find("\n", 1, true) or vim.api.nvim_strwidth(prompt) >= vim.o.columns
  return is_long and below_covered_row(prompt) or prompt
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
  vim.ui.select(items, vim.tbl_extend("force", options, { prompt = prompt }), choose)
end

---@param options { prompt: string, default?: string, completion?: string }
---@param take fun(text?: string)
function M.input(options, take)
  local prompt = options.prompt
  if M.is_own(vim.ui.input) then
    prompt = M.typed(prompt)
  end
  vim.ui.input(vim.tbl_extend("force", options, { prompt = prompt }), take)
end

return M
