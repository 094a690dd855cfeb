--- Whether a text is a chat: the rule of `src/app/chats/summary.ts`, for use before the host runs.
--- `test/lua/visit.test.ts` runs both on the same texts.
local markers = require("parley.text.markers")

local M = {}

local byte_order_mark = "^\239\187\191"

local function is_end(line)
  return line:find("^%-%-%-[ \t]*$") ~= nil
end

local function ends_older(line)
  local key = line:gsub("^[%-#][ \t]+", "")
  return line:find("%S") ~= nil and not key:find("^[%a_][%w_.%-]*%+?[ \t]*:")
end

--- Starts reading a header: the first line shows whether there is one, and in which of its two forms.
local function begun(line)
  local is_older = line:find("^#[ \t]+topic[ \t]*:") ~= nil
  return { is_open = is_older or is_end(line), is_older = is_older, has_topic = is_older }
end

--- Reads one more line of a header; returns true when it closes a header that has a topic.
local function closes_with_topic(header, line)
  if is_end(line) then
    header.is_open = false
    return header.has_topic
  end
  header.is_open = not (header.is_older and ends_older(line))
  header.has_topic = header.has_topic
    or line:find("^topic%+?[ \t]*:") ~= nil
    or (header.is_older and line:find("^[%-#][ \t]+topic") ~= nil)
  return false
end

--- Whether the text has a turn, or a topic in its header; `topic: …` in the text of a note does not count. Reads no
--- more than necessary.
---@param read fun(first: integer): string[] the next lines from line `first` (from 0); none behind the last
---@return boolean
function M.is_chat(read)
  local header, at = nil, 0
  local lines = read(at)
  while #lines > 0 do
    for _, line in ipairs(lines) do
      if not header then
        line = line:gsub(byte_order_mark, "")
      end
      if markers.begins_turn(line) then
        return true
      elseif not header then
        header = begun(line)
      elseif header.is_open and closes_with_topic(header, line) then
        return true
      end
    end
    at = at + #lines
    lines = read(at)
  end
  return false
end

return M
