--- Questions of the host to the person, by vim.ui.
local M = {}

local function label(item)
  return type(item) == "table" and item.label or item
end

local function value_of(item)
  if type(item) == "table" then
    return item.value
  end
  return item
end

local function answer(id, value)
  require("parley.host").tell_running({ action = "answer", id = id, value = value })
end

local kinds = {
  --- Answers with the chosen item (of `{label, value}` items: the value), nothing when it was left.
  select = function(id, question)
    vim.ui.select(question.items, { prompt = question.prompt, format_item = label }, function(item)
      answer(id, value_of(item))
    end)
  end,
  --- Answers with the text, nothing when it was left.
  input = function(id, question)
    if question.secret then
      -- Ends with an error when it is interrupted.
      local ok, text = pcall(vim.fn.inputsecret, question.prompt)
      answer(id, ok and text ~= "" and text or nil)
      return
    end
    vim.ui.input({ prompt = question.prompt, default = question.default }, function(text)
      answer(id, text)
    end)
  end,
  --- Answers with true or false; leaving it is false.
  confirm = function(id, question)
    vim.ui.select({ "Yes", "No" }, { prompt = question.prompt }, function(item)
      answer(id, item == "Yes")
    end)
  end,
}

--- Returns at once: the host's call must not wait for a person.
function M.ask(id, question)
  local kind = kinds[question.kind]
  if not kind then
    error(("There is no question of the kind %q."):format(tostring(question.kind)), 0)
  end
  vim.schedule(function()
    kind(id, question)
  end)
end

return M
