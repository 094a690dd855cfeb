--- Questions of the host to the person, by vim.ui.
local float = require("parley.screen.windows.float")
local host = require("parley.host")
local notify = require("parley.messages.notify")
local prompts = require("parley.messages.prompts")

local M = {}

--- By id, the questions that were not answered yet: `{ details = window, is_own = true while Neovim itself asks }`.
local open = {}
local group = vim.api.nvim_create_augroup("parley.ask", {})

local function label(item)
  return type(item) == "table" and item.label or item
end

local function value_of(item)
  if type(item) == "table" then
    return item.value
  end
  return item
end

local function close_details(entry)
  if entry.details and vim.api.nvim_win_is_valid(entry.details) then
    vim.api.nvim_win_close(entry.details, true)
  end
  entry.details = nil
end

--- What was asked, which is no open question any more; nil when it was none already.
local function taken(id)
  local entry = open[id]
  open[id] = nil
  if entry then
    close_details(entry)
  end
  return entry
end

--- The answer to a question that was withdrawn is nobody's any more.
local function answer(id, value)
  if taken(id) then
    host.tell_running({ action = "answer", id = id, value = value })
  end
end

--- Runs a question of Neovim's own, which returns once it is answered.
local function ask_own(id, run)
  open[id].is_own = true
  run()
  notify.clear()
  if open[id] then
    open[id].is_own = nil
  end
end

--- Columns of a title that pickers of plugins have room for, as a rule.
local title_columns = 50

--- What stands above such a picker: the details, and before them a question that would be cut as its title.
local function above_picker(question)
  local is_short = vim.api.nvim_strwidth(question.prompt) <= title_columns
  return vim.list_extend(is_short and {} or { question.prompt }, question.details or {})
end

--- Rows of the screen for details above a question.
local function most_details()
  return math.floor(vim.o.lines / 2)
end

--- What is to be read first, in a window above that stays until the question is answered.
local function show_details(id, lines)
  local buf = require("parley.system.scratch").buffer()
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
  local height = math.max(1, math.min(float.rows_of(lines), most_details()))
  local place = { split = "above", win = -1, height = height, style = "minimal" }
  local win = vim.api.nvim_open_win(buf, false, place)
  -- As many rows as were counted.
  local option = vim.wo[win]
  option.wrap, option.linebreak, option.breakindent, option.showbreak = true, false, false, "NONE"
  open[id].details = win
end

--- Asks, with the details above the question.
local function select_below(id, question, items, choose)
  local prompt = question.prompt
  local own = prompts.is_own(vim.ui.select)
  if own then
    local lines = vim.list_extend(vim.deepcopy(question.details or {}), { prompt })
    prompt = table.concat(lines, "\n")
  else
    local lines = above_picker(question)
    if #lines > 0 then
      show_details(id, lines)
    end
  end
  local function run()
    prompts.select(items, { prompt = prompt, format_item = label }, choose)
  end
  if own then
    ask_own(id, run)
  else
    run()
  end
end

--- Whether all of the question can be seen while it is asked.
local function has_room(question, items)
  if prompts.is_own(vim.ui.select) then
    local rows = float.rows_of(question.details or {}) + float.rows_of({ question.prompt })
    return rows + #items < vim.o.lines - 2
  end
  return float.rows_of(above_picker(question)) <= most_details()
end

--- Whoever wrote the details may have made them long: what does not fit is read to its end first.
local function select(id, question, items, choose)
  if has_room(question, items) then
    select_below(id, question, items, choose)
    return
  end
  local lines = vim.list_extend({ question.prompt, "" }, question.details or {})
  open[id].details = float.read(lines, "Read this first", function(is_read)
    if open[id] and is_read then
      select_below(id, { prompt = question.prompt }, items, choose)
    elseif open[id] then
      choose(nil)
    end
  end)
end

local kinds = {
  --- Answers with the chosen item (of `{label, value}` items: the value), nothing when it was left.
  select = function(id, question)
    select(id, question, question.items, function(item)
      answer(id, value_of(item))
    end)
  end,
  --- Answers with the text, nothing when it was left.
  input = function(id, question)
    if question.secret then
      -- Ends with an error when it is interrupted.
      local ok, text = pcall(vim.fn.inputsecret, prompts.typed(question.prompt))
      answer(id, ok and text ~= "" and text or nil)
      return
    end
    local function run()
      prompts.input({ prompt = question.prompt, default = question.default }, function(text)
        answer(id, text)
      end)
    end
    if prompts.is_own(vim.ui.input) then
      ask_own(id, run)
    else
      run()
    end
  end,
  --- Answers with what was written, each time; with nothing when it was left. It stays until it is withdrawn.
  form = function(id, question)
    open[id].is_form = true
    require("parley.asking.form").open(id, question.page, function(written)
      if written then
        host.tell_running({ action = "answer", id = id, value = written })
      else
        answer(id, nil)
      end
    end)
  end,
  --- Answers with true or false; leaving it is false.
  confirm = function(id, question)
    select(id, question, { "No", "Yes" }, function(item)
      answer(id, item == "Yes")
    end)
  end,
}

--- Whether Neovim waits for a command: a question that comes while a person types would take their keys.
local function is_free()
  local mode = vim.api.nvim_get_mode().mode
  return vim.startswith(mode, "n") and not vim.startswith(mode, "no")
end

local function ask_when_free(id, question)
  if not open[id] then
    return
  end
  if not question.patient or is_free() then
    local ok, message = pcall(kinds[question.kind], id, question)
    if ok or not open[id] then
      return
    end
    -- Whoever interrupts a prompt leaves it; what else goes wrong is said, and nobody waits for ever.
    if not tostring(message):find("Keyboard interrupt", 1, true) then
      local words = "The question %q could not be asked: %s"
      notify.notify(words:format(question.prompt, tostring(message)), vim.log.levels.ERROR)
    end
    answer(id, nil)
    return
  end
  notify.notify(("%s: leave this mode to be asked."):format(question.prompt), vim.log.levels.INFO)
  vim.api.nvim_create_autocmd({ "ModeChanged", "SafeState" }, {
    group = group,
    callback = function()
      if open[id] and not is_free() then
        return
      end
      vim.schedule(function()
        ask_when_free(id, question)
      end)
      return true
    end,
  })
end

--- Returns at once: the host's call must not wait for a person.
---@param id integer
---@param question parley.Question
function M.ask(id, question)
  if not kinds[question.kind] then
    error(("There is no question of the kind %q."):format(tostring(question.kind)), 0)
  end
  open[id] = {}
  vim.schedule(function()
    ask_when_free(id, question)
  end)
end

--- Nobody waits for the answer any more. A prompt of Neovim's own ends; that of another plugin stays until the
--- person leaves it, and what they say then is not sent.
---@param id integer
function M.withdraw(id)
  local entry = taken(id)
  if not entry then
    return
  end
  if entry.is_form then
    require("parley.asking.form").close(id)
  end
  if entry.is_own and vim.fn.getcmdtype():find("[@-]") then
    vim.api.nvim_feedkeys(vim.keycode("<Esc>"), "nt", false)
  end
end

-- Whoever waited for the answers is gone; what was typed into a form is not.
host.on_gone(function()
  for id, entry in pairs(open) do
    if entry.is_form then
      require("parley.asking.form").abandon(id)
      taken(id)
    else
      M.withdraw(id)
    end
  end
end)

return M
