--- Recognizes the marker at the start of a chat line (doc/format.md, section 1), for code that cannot wait for the
--- host. `test/docs.test.ts` keeps the names equal to those in `src/transcript/markers.ts`.
local M = {}

---@alias parley.Marker
---| "question"|"answer"|"thought"|"summary"|"call"|"result"|"legacy-call"|"legacy-result"|"branch"|"private"

---@type table<string, parley.Marker>
local names = {
  ["💬"] = "question",
  ["🤖"] = "answer",
  ["🧠"] = "thought",
  ["📝"] = "summary",
  ["❓"] = "call",
  ["🛠"] = "result",
  ["🔧"] = "legacy-call",
  ["📎"] = "legacy-result",
  ["🌿"] = "branch",
  ["🔒"] = "private",
}

--- Returns the marker's name and the byte after its colon; nil for a line without a marker.
---@param line string
---@return parley.Marker? name
---@return integer? behind
function M.read(line)
  -- One character, optionally followed by U+FE0F.
  local emoji, behind = line:match("^([\226\240][\128-\191]+)\239?\184?\143?:()")
  local name = names[emoji]
  return name, name and behind
end

--- How the next question begins.
M.next_question = "💬: "

--- Returns the column (from 0, in bytes) at which the text of a question begins in its first line; nil for other lines.
---@param line string
---@return integer?
function M.question_column(line)
  local name, behind = M.read(line)
  if not behind or name ~= "question" then
    return nil
  end
  return line:sub(behind, behind) == " " and behind or behind - 1
end

--- Returns the byte after a marker's emoji, whatever follows it; nil for a line without one.
---@param line string
---@return integer?
function M.behind_emoji(line)
  local emoji, behind = line:match("^([\226\240][\128-\191]+)()")
  return names[emoji] and behind
end

--- Whether the line begins a question or an answer.
---@param line string
---@return boolean
function M.begins_turn(line)
  local name = M.read(line)
  return name == "question" or name == "answer"
end

return M
