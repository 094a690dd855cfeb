--- Shows the host's questions to the user, through vim.ui.
local float = require("parley.screen.windows.float")
local host = require("parley.host")
local notify = require("parley.messages.notify")
local prompts = require("parley.messages.prompts")
local system = require("parley.system")
local undisturbed = require("parley.system.undisturbed")

local M = {}

--- The open questions by id: `{ details = window, is_own = true while Neovim's own prompt is open, is_announced }`.
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
    undisturbed.run(vim.api.nvim_win_close, entry.details, true)
  end
  entry.details = nil
end

--- Removes and returns an open question; nil when it was answered or withdrawn before.
local function taken(id)
  local entry = open[id]
  open[id] = nil
  if entry then
    close_details(entry)
  end
  return entry
end

--- Sends the answer, unless the question was withdrawn meanwhile.
local function answer(id, value)
  if taken(id) then
    host.send_if_running({ action = "answer", id = id, value = value })
  end
end

--- Runs one of Neovim's own prompts, which return only once they are answered.
local function ask_own(id, run)
  open[id].is_own = true
  run()
  notify.clear()
  if open[id] then
    open[id].is_own = nil
  end
end

--- Columns that pickers of plugins usually have for a title.
local title_columns = 50

--- Lines to show above such a picker: the details, preceded by the question when it is too long for the title.
local function above_picker(question)
  local is_short = vim.api.nvim_strwidth(question.prompt) <= title_columns
  return vim.list_extend(is_short and {} or { question.prompt }, question.details or {})
end

--- The most rows that details above a question may take.
local function most_details()
  return math.floor(vim.o.lines / 2)
end

--- Shows details in a window above the question until the question is answered; returns false when there is no room.
local function show_details(id, lines)
  local buf = require("parley.system.scratch").buffer()
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
  local place = { split = "above", win = -1, height = 1, style = "minimal" }
  local win
  local is_open = require("parley.screen.windows.open").try(function()
    win = undisturbed.run(vim.api.nvim_open_win, buf, false, place) or vim.fn.bufwinid(buf)
  end)
  if not is_open then
    vim.api.nvim_buf_delete(buf, { force = true })
    return false
  end
  -- Breaks each line at the edge, so that it takes no more rows than `float.rows_of` counted.
  local option = vim.wo[win]
  option.wrap, option.linebreak, option.breakindent, option.showbreak = true, false, false, "NONE"
  local rows = vim.api.nvim_win_text_height(win, {}).all
  vim.api.nvim_win_set_height(win, math.max(1, math.min(rows, most_details())))
  open[id].details = win
  return true
end

--- Asks, with the details above the question. Returns false, and asks nothing, when they have no room there and the
--- user has not read them yet.
local function select_below(id, question, items, choose, is_read)
  local prompt = question.prompt
  local own = prompts.is_own(vim.ui.select)
  if own then
    local lines = vim.list_extend(vim.deepcopy(question.details or {}), { prompt })
    prompt = table.concat(lines, "\n")
  else
    local lines = above_picker(question)
    if #lines > 0 and not show_details(id, lines) and not is_read then
      return false
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
  return true
end

--- Whether the whole question fits on the screen while it is asked.
local function has_room(question, items)
  if prompts.is_own(vim.ui.select) then
    local rows = float.rows_of(question.details or {}) + float.rows_of({ question.prompt })
    return rows + #items < vim.o.lines - 2
  end
  return float.rows_of(above_picker(question)) <= most_details()
end

--- Details may have been made long on purpose, so those that do not fit must be read to the end first.
local function select(id, question, items, choose)
  if has_room(question, items) and select_below(id, question, items, choose) then
    return
  end
  local lines = vim.list_extend({ question.prompt, "" }, question.details or {})
  open[id].details = float.read(lines, "Read this first", function(is_read)
    if open[id] and is_read then
      select_below(id, { prompt = question.prompt }, items, choose, true)
    elseif open[id] then
      choose(nil)
    end
  end)
end

local kinds = {
  --- Answers with the chosen item (with `value` of `{label, value}` items), or nil when it was cancelled.
  select = function(id, question)
    select(id, question, question.items, function(item)
      answer(id, value_of(item))
    end)
  end,
  --- Answers with the text, or nil when it was cancelled.
  input = function(id, question)
    if question.secret then
      -- Raises an error when it is interrupted.
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
  --- Answers each time the form is written, and with nil when it is closed. It stays open until it is withdrawn.
  form = function(id, question)
    open[id].is_form = true
    require("parley.asking.form").open(id, question.page, function(written)
      if written then
        host.send_if_running({ action = "answer", id = id, value = written })
      else
        answer(id, nil)
      end
    end)
  end,
  --- Answers with true or false; cancelling means false.
  confirm = function(id, question)
    select(id, question, { "No", "Yes" }, function(item)
      answer(id, item == "Yes")
    end)
  end,
}

--- Whether Neovim waits for a command. A prompt that opens while the user types would take their keys.
local function is_free()
  local mode = vim.api.nvim_get_mode().mode
  return vim.startswith(mode, "n") and not vim.startswith(mode, "no")
end

local function ask_when_free(id, question)
  if not open[id] then
    return
  end
  if not question.patient or is_free() then
    -- An interrupt cancels the prompt. Any other error is reported; either way the host gets an answer.
    local ok, result = pcall(system.interruptible, kinds[question.kind], id, question)
    if (ok and result) or not open[id] then
      return
    end
    if not ok then
      prompts.tell_failure(question.prompt, result)
    end
    answer(id, nil)
    return
  end
  -- A passing mode, such as CTRL-O in Insert mode, is no reason to say it again.
  if not open[id].is_announced then
    open[id].is_announced = true
    local words = "A question waits until you are in Normal mode: %s"
    notify.notify(words:format(question.prompt), vim.log.levels.INFO)
  end
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

--- Returns at once, so that the host's request does not wait for the user.
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

--- Withdraws a question. Neovim's own prompt is closed; another plugin's stays until the user closes it, and its answer
--- is not sent.
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

-- The host that waited for the answers is gone, but text typed into a form is kept.
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
