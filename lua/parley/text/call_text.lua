--- Recognizes the lines of calls, results and steps for the first screen, before the host runs.
local key_table = require("parley.config.key_table")
local markers = require("parley.text.markers")

local M = {}

local step_marker = "<!-- parley:step "

--- The records that decline a call.
local declining = {}
for _, row in ipairs(key_table.rows) do
  if row.decision and row.decision.answer == "no" then
    declining[row.decision.record] = true
  end
end

--- Whether a recorded decision, such as `yn`, declines the call.
---@param record string
---@return boolean
function M.is_no(record)
  return declining[record] == true
end

--- Whether the line is a call with a decision or its JSON.
---@param line string
---@return boolean
function M.is_call(line)
  local name, behind = markers.read(line)
  return name == "call" and line:find("^%s*[%[`]", behind) ~= nil
end

local function is_head(line)
  local name, behind = markers.read(line)
  return name == "result" and line:find("^%s*%[", behind) ~= nil
end

--- Returns the row after the result that begins at index `at`; nil when `lines` end before it does. `endless` collects
--- fences without a closing line, so that each is searched for only once.
local function end_of_result(lines, at, endless)
  local index = at + 1
  if lines[index] and lines[index]:find("^%s*$") then
    index = index + 1
  end
  -- A backtick after the run makes it a code span instead of a fence.
  local fence = lines[index] and lines[index]:match("^(```+)[^`]*$")
  if not fence then
    return lines[index] and index + 1 or nil
  end
  if endless[fence] then
    return nil
  end
  for row = index + 1, #lines do
    if lines[row]:match("^(```+)%s*$") == fence then
      return row + 1
    end
  end
  endless[fence] = true
  return nil
end

--- Whether the call in this line has a decision.
local function is_decided(line)
  local _, behind = markers.read(line)
  return line:find("^%s*%[%w+%]%s*`", behind) ~= nil
end

--- Returns the index of the result's first line right below the call at `at`; nil without one. Also returns whether the
--- lines end too early to tell.
local function result_of(lines, at)
  local index = at + 1
  while lines[index] and lines[index]:find("^%s*$") do
    index = index + 1
  end
  local line = lines[index]
  return line and is_head(line) and index or nil, line == nil
end

--- Returns the row after the call, its result and, when another call follows, the blank lines before that.
local function end_of_call(lines, after)
  local index = after
  while lines[index] and lines[index]:find("^%s*$") do
    index = index + 1
  end
  return lines[index] and M.is_call(lines[index]) and index or after
end

--- Whether a closed fold is left over from a call or a step whose first line was changed into something else, as by
--- `:s`, `gq` or a block insert. Such a fold has one line, begins with a call's mark alone, or reaches a call's result.
---@param lines string[] the first of them
---@param count integer
---@return boolean
function M.is_left(lines, count)
  local first = lines[1] or ""
  if M.is_call(first) or is_head(first) or vim.startswith(first, step_marker) then
    return false
  end
  return count == 1 or markers.read(first) == "call" or result_of(lines, 1) ~= nil
end

--- Returns the rows `{first, last}` (0-based) to fold among `lines`, which begin at row `start`: results longer than
--- `least_lines`, with `with_calls` also decided calls and their results, and step lines, which would wrap in a narrow
--- window. Also returns the row of the first call or result that does not end within the lines.
---@param lines string[]
---@param start integer
---@param least_lines integer|false
---@param with_calls boolean
---@return [integer, integer][] ranges
---@return integer? open
function M.foldable(lines, start, least_lines, with_calls)
  local found, open, endless = {}, nil, {}
  local at = 1
  while at <= #lines do
    local is_call = with_calls and M.is_call(lines[at])
    local head, is_cut
    if is_call then
      head, is_cut = result_of(lines, at)
    end
    if head then
      local after = end_of_result(lines, head, endless)
      if after then
        after = end_of_call(lines, after)
        found[#found + 1] = { start + at - 1, start + after - 2 }
      else
        open = open or (start + at - 1)
      end
      at = after or head + 1
    elseif is_head(lines[at]) then
      local after = end_of_result(lines, at, endless)
      if not after then
        open = open or (start + at - 1)
      elseif least_lines and after - at > least_lines then
        found[#found + 1] = { start + at - 1, start + after - 2 }
      end
      at = after or at + 1
    else
      -- A decided call may still wait for others and have no result. Undecided calls are folded when they are drawn.
      if is_call and is_decided(lines[at]) or vim.startswith(lines[at], step_marker) then
        found[#found + 1] = { start + at - 1, start + at - 1 }
      end
      open = open or (is_cut and start + at - 1 or nil)
      at = at + 1
    end
  end
  return found, open
end

return M
