--- The marker that a line of a chat begins with (doc/format.md, section 1), for what cannot wait for the host.
--- `test/docs.test.ts` holds the names to those of `src/transcript/markers.ts`.
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

--- The name of the marker and the byte behind its colon; nil for a line that begins with none.
---@param line string
---@return parley.Marker? name
---@return integer? behind
function M.read(line)
  -- One character, and U+FE0F or not.
  local emoji, behind = line:match("^([\226\240][\128-\191]+)\239?\184?\143?:()")
  local name = names[emoji]
  return name, name and behind
end

--- The byte behind the emoji of a marker, whatever follows it; nil for a line that begins with none.
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
