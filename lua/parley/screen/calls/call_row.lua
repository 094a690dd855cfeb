--- Renders a decided call as one readable row: the decision, the tool, its arguments and the result. For 'foldtext'.
local call_text = require("parley.text.call_text")
local markers = require("parley.text.markers")
local text_lines = require("parley.text.lines")
local wrap = require("parley.screen.wrap")

local M = {}

--- A cache of rows by the lines they were made from (up to 64 KB each): at most `most_rows`, plus as many older ones.
local rows, older, count = {}, {}, 0
local most_rows = 100
--- The most columns of one argument, and of a result that is shown in full.
local longest_argument = 60
local longest_result = 40

local statuses =
  { error = "failed", declined = "declined", cancelled = "cancelled", timeout = "timed out" }

local function clipped(text, length)
  local first = text:match("^[^\n]*")
  -- Vim functions reject text with a NUL byte.
  local shown = vim.fn.strtrans((first:gsub("%z", "^@")))
  -- Shows the first of several lines; the ellipsis stands for the rest.
  return wrap.cut(shown .. (first == text and "" or "…"), length)
end

--- Returns the text inside a code span that takes the rest of the line.
local function span(text)
  local ticks = text:match("^`+")
  if not ticks then
    return nil
  end
  local last = text:match("^.*()`")
  local inner_end = last - #ticks
  if inner_end < #ticks or text:sub(inner_end + 1, last) ~= ticks then
    return nil
  end
  local inner = text:sub(#ticks + 1, inner_end)
  return inner:match("^ (`.*) $") or inner
end

local function decoded(text)
  local ok, value = pcall(vim.json.decode, text or "", { luanil = { object = true, array = true } })
  return ok and value or nil
end

--- Whether a value is a list of strings, which usually is a command.
local function is_list_of_texts(value)
  return #value > 0 and vim.iter(value):all(function(item)
    return type(item) == "string"
  end)
end

local function argument_text(value)
  if type(value) == "string" then
    local plain = value:find("^[%w_./~:@-]+$") and not tonumber(value)
    return plain and clipped(value, longest_argument)
      or '"' .. clipped(value, longest_argument) .. '"'
  end
  if type(value) == "table" then
    if vim.islist(value) and is_list_of_texts(value) then
      -- A row has no room for more words.
      local words = vim.tbl_map(argument_text, vim.list_slice(value, 1, longest_argument / 2 + 1))
      return clipped(table.concat(words, " "), longest_argument)
    end
    local items = vim.islist(value) and #value or vim.tbl_count(value)
    return vim.islist(value) and ("[%d]"):format(items) or ("{%d}"):format(items)
  end
  -- Sixteen digits: Lua's default shows fourteen, and with seventeen 0.1 would become 0.10000000000000001.
  return type(value) == "number" and ("%.16g"):format(value) or tostring(value)
end

local function lines_of(text)
  return text == "" and {} or vim.split((text:gsub("\n$", "")), "\n", { plain = true })
end

--- Returns how many lines are new and how many are gone, without those that models repeat around a change.
local function changed_lines(old_text, new_text)
  local old, new = lines_of(old_text), lines_of(new_text)
  local first, last = text_lines.in_common(old, new)
  return #new - first - last, #old - first - last
end

--- Returns the size of one or several edits, as far as their texts tell, instead of the texts: `+12 −3`.
local function change_text(values)
  local added, removed = 0, 0
  local edits = type(values.edits) == "table" and values.edits[1] and values.edits or { values }
  for _, edit in ipairs(edits) do
    local is_table = type(edit) == "table"
    local old, new = is_table and edit.old_text, is_table and edit.new_text
    if type(old) ~= "string" or type(new) ~= "string" then
      return nil
    end
    local more, less = changed_lines(old, new)
    added, removed = added + more, removed + less
  end
  return ("+%d −%d"):format(added, removed)
end

--- Returns where each name first occurs in the JSON; one pass over the text finds them all.
local function places_of(names, json)
  local wanted, place = {}, {}
  for _, name in ipairs(names) do
    wanted[vim.json.encode(name)] = name
  end
  local open = json:find('"', 1, true)
  while open do
    local close = json:find('["\\]', open + 1)
    while close and json:byte(close) == ("\\"):byte() do
      close = json:find('["\\]', close + 2)
    end
    local name = close and wanted[json:sub(open, close)]
    if name and not place[name] then
      place[name] = open
    end
    open = close and json:find('"', close + 1, true)
  end
  return place
end

--- Returns the size of the change that a result reports (`doneText` in src/app/builtin/edit-file.ts); nil without one.
local function done_size(body)
  local text = span(body[1] or "") or body[2] or ""
  return text:match("^.+ was %l+: (%+%d+ −%d+) lines%.$")
end

--- The arguments with the texts of a change. Only a result shows that a `text` is a new file's.
local texts_of_changes = { "old_text", "new_text", "edits", "text" }

--- Returns the arguments in the model's order, because the first ones usually say most. In place of its texts, a change
--- has its size, as the result reports it if there is one.
---@param json string
---@param size string?
---@return string
local function arguments_text(json, size)
  local values = decoded(json)
  if type(values) ~= "table" then
    return clipped(json or "", longest_argument)
  end
  local change = size or change_text(values)
  local names = vim.tbl_filter(function(name)
    local is_text = change and vim.list_contains(texts_of_changes, name)
    return not is_text or (name == "text" and not size)
  end, vim.tbl_keys(values))
  local place = places_of(names, json)
  table.sort(names, function(a, b)
    local first, second = place[a] or math.huge, place[b] or math.huge
    return first == second and a < b or first < second
  end)
  local texts = vim.tbl_map(function(name)
    return argument_text(values[name])
  end, names)
  texts[#texts + 1] = change
  return table.concat(texts, " ")
end

--- Returns the number of items in a result that is or contains a list: `3 results`.
local function counted(value)
  if type(value) ~= "table" then
    return nil
  end
  local list = vim.islist(value) and value or nil
  if not list then
    for _, item in pairs(value) do
      if type(item) == "table" and vim.islist(item) then
        if list then
          return nil
        end
        list = item
      end
    end
  end
  return list and ("%d result%s"):format(#list, #list == 1 and "" or "s")
end

--- Returns a summary of the result, from the lines below its head.
local function outcome(head, body)
  local status = statuses[head:match("%]%s*%((%a+)%)") or ""]
  if status then
    return status, "ParleyError"
  end
  local text = span(body[1] or "")
  if text then
    local value = counted(decoded(text))
    return value or clipped(text, longest_result), "ParleyStep"
  end
  if not (body[1] or ""):find("^```") then
    return "no result", "ParleyStep"
  end
  local lines = math.max(0, #body - 2)
  local value = counted(decoded(table.concat(body, "\n", 2, math.max(1, #body - 1))))
  return value or ("%d line%s"):format(lines, lines == 1 and "" or "s"), "ParleyStep"
end

--- The index of the chunk with the arguments.
local arguments_at = 4

local function chunks(lines)
  local _, behind = markers.read(lines[1])
  local said = vim.trim(lines[1]:sub(behind or 1))
  local decision, words = said:match("^(%b[])%s*(.*)$")
  local call = decoded(span(words or said))
  local made = call and call["function"]
  if type(made) ~= "table" then
    return { { clipped(lines[1], 200), "ParleyCall" } }
  end
  local is_no = decision ~= nil and call_text.is_no(decision:sub(2, -2))
  local head, body = "", {}
  for index = 2, #lines do
    if head == "" and markers.read(lines[index]) == "result" then
      head = lines[index]
    elseif head ~= "" and (#body > 0 or lines[index]:find("%S")) then
      body[#body + 1] = lines[index]
    end
  end
  while #body > 0 and not body[#body]:find("%S") do
    body[#body] = nil
  end
  local result, group = outcome(head, body)
  if head == "" then
    result, group = is_no and "declined" or decision and "approved" or "not decided", "ParleyStep"
  end
  local size = done_size(body)
  local called = arguments_text(tostring(made.arguments), size)
  return {
    { "❓", "ParleyCall" },
    { decision or "", is_no and "ParleyNo" or "ParleyYes" },
    { " " .. clipped(tostring(made.name), longest_argument), "ParleyCall" },
    { called == "" and "" or " " .. called, "ParleyRow" },
    { size and "" or " · " .. result, group },
  }
end

--- Cuts the arguments when a row is too long, so that the result stays visible.
local function fitted(made, width)
  local others = 0
  for index, chunk in ipairs(made) do
    others = others + (index == arguments_at and 0 or vim.api.nvim_strwidth(chunk[1]))
  end
  local arguments = made[arguments_at]
  local room = math.max(1, width - others)
  if not arguments or vim.api.nvim_strwidth(arguments[1]) <= room then
    return made
  end
  local copy = vim.list_slice(made)
  copy[arguments_at] = { wrap.cut(arguments[1], room), arguments[2] }
  return copy
end

--- Returns chunks of text and highlight for the lines of a call and its result, in `width` cells. Cached by the lines.
---@param lines string[]
---@param width integer
---@param running string? the progress of a running call
---@return { [1]: string, [2]: string|nil }[]
function M.chunks(lines, width, running)
  local key = table.concat(lines, "\n")
  local made = rows[key]
  if not made then
    made = older[key] or chunks(lines)
    if count >= most_rows then
      rows, older, count = {}, rows, 0
    end
    rows[key], count = made, count + 1
  end
  if running and #made > arguments_at then
    made = vim.list_slice(made)
    local name = vim.iter(made):take(arguments_at - 1):fold(0, function(sum, chunk)
      return sum + vim.api.nvim_strwidth(chunk[1])
    end)
    -- Leaves one cell for the arguments.
    made[#made] = { wrap.cut(" · " .. running, math.max(1, width - name - 1)), "ParleyProgress" }
  end
  return fitted(made, width)
end

return M
