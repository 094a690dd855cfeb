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
