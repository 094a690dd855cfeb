--- Finds questions, answers and code blocks in the lines of a chat, for motions and text objects, which cannot wait for
--- the host. Rows are counted from 1.
local code_block = require("parley.text.code_block")
local markers = require("parley.text.markers")

local M = {}

---@alias parley.Turn "question"|"answer"

--- Returns the first row from `row` on, in steps of `step`, that begins a turn; with `wanted`, a turn of that kind.
---@param lines string[]
---@param row integer
---@param step 1|-1
---@param wanted parley.Turn?
---@return integer?
---@return parley.Turn?
local function find(lines, row, step, wanted)
  for index = row, step > 0 and #lines or 1, step do
    local line = lines[index] or ""
    local turn = markers.begins_turn(line) and markers.read(line)
    if turn and (not wanted or wanted == turn) then
      return index, turn
    end
  end
end

--- Returns the row of the `count`-th turn after or before `row`, or of the last one if there are fewer.
---@param lines string[]
---@param row integer
---@param step 1|-1
---@param count integer
---@return integer?
function M.beside(lines, row, step, count)
  local found
  for _ = 1, count do
    local index = find(lines, (found or row) + step, step)
    if not index then
      break
    end
    found = index
  end
  return found
end

--- Returns the last row from `first` to `last` that is not blank.
local function written(lines, first, last)
  while last > first and not lines[last]:find("%S") do
    last = last - 1
  end
  return last
end

--- Returns the exchange around `row`: a question with everything after it, or an answer without a question.
local function exchange(lines, row)
  local first, turn = find(lines, row, -1)
  if not first then
    return nil
  end
  if turn == "answer" then
    local before, kind = find(lines, first - 1, -1)
    first = kind == "question" and before or first
  end
  local answer = find(lines, first, 1, "answer")
  local next_question = find(lines, first + 1, 1, "question")
  local last = (next_question or #lines + 1) - 1
  if answer and answer > last then
    answer = nil
  end
  return first, last, answer
end

local ranges = {}

function ranges.exchange(lines, row, is_around)
  local first, last = exchange(lines, row)
  if first then
    return first, is_around and last or written(lines, first, last)
  end
end

function ranges.answer(lines, row, is_around)
  local _, last, answer = exchange(lines, row)
  if not answer then
    return nil
  end
  if is_around then
    return answer, last
  end
  local first = answer + 1
  while first < last and not lines[first]:find("%S") do
    first = first + 1
  end
  if first <= last and lines[first]:find("%S") then
    return first, written(lines, first, last)
  end
end

function ranges.code(lines, row, is_around)
  local first, last = code_block.fences(lines, row)
  if not first or is_around then
    return first, last
  end
  if last - first > 1 then
    return first + 1, last - 1
  end
end

--- Returns the first and the last row of the named text object around `row`; nil without one, or when it is empty.
---@param lines string[]
---@param row integer
---@param name "exchange"|"answer"|"code"
---@param is_around boolean
---@return integer?
---@return integer?
function M.range(lines, row, name, is_around)
  return ranges[name](lines, row, is_around)
end

return M
