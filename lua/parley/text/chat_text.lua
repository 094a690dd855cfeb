--- Whether a text is a chat: the rule of `src/conversation/is-chat.ts`, needed before there is a host to ask.
--- `test/lua/visit.test.ts` runs both on the same texts.
local M = {}

local byte_order_mark = "^\239\187\191"
local turns = { "💬:", "💬\239\184\143:", "🤖:", "🤖\239\184\143:" }

local function begins_turn(line)
  return vim.iter(turns):any(function(turn)
    return vim.startswith(line, turn)
  end)
end

local function is_end(line)
  return line:find("^%-%-%-[ \t]*$") ~= nil
end

--- The line of the `---` that closes the header, from 1; nil when the text begins with no header.
local function header_end(lines, is_older)
  for at = 2, #lines do
    local line = lines[at]
    if is_end(line) then
      return at
    end
    local key = line:gsub("^[%-#][ \t]+", "")
    local is_other = is_older and line:find("%S") and not key:find("^[%a_][%w_.%-]*%+?[ \t]*:")
    if begins_turn(line) or is_other then
      return nil
    end
  end
  return nil
end

--- A header with `topic` at column 0, in either form.
local function has_topic(lines)
  local is_older = lines[1]:find("^#[ \t]+topic[ \t]*:") ~= nil
  local last = (is_older or is_end(lines[1])) and header_end(lines, is_older)
  if not last then
    return false
  end
  for at = is_older and 1 or 2, last - 1 do
    if lines[at]:find("^topic%+?[ \t]*:") or (is_older and lines[at]:find("^[%-#][ \t]+topic")) then
      return true
    end
  end
  return false
end

--- A chat has a turn, or a topic in its header; a note with `topic: …` in its text is none.
---@param lines string[]
---@return boolean
function M.is_chat(lines)
  local first = (lines[1] or ""):gsub(byte_order_mark, "")
  lines = vim.list_extend({ first }, lines, 2)
  return vim.iter(lines):any(begins_turn) or has_topic(lines)
end

return M
