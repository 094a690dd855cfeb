--- Keeps cached data about rows valid over a change: rows `first` to `last - 1` became rows up to `new_last - 1`.
local marks = require("parley.colours.marks")

local M = {}

--- Moves the data of rows below a change; the changed rows are drawn anyway. The row of a streaming answer keeps its
--- colours until new ones are found a moment later.
---@param frame parley.Frame
---@param first integer
---@param last integer
---@param new_last integer
---@param is_tip boolean
function M.frame(frame, first, last, new_last, is_tip)
  local delta = new_last - last
  if is_tip then
    first = first + 1
  end
  if delta == 0 then
    for row = math.max(first, frame.first), math.min(last - 1, frame.last) do
      frame.rows[row] = nil
    end
    return
  end
  local rows = {}
  for row, each in pairs(frame.rows) do
    if row < first then
      rows[row] = each
    elseif row >= last then
      rows[row + delta] = each
    end
  end
  for row = first, is_tip and new_last - 1 or first - 1 do
    rows[row] = marks.none
  end
  frame.rows = rows
end

--- Moves the first rows of long pieces that wait to be parsed; changed pieces are dropped and found again.
---@param late integer[]
---@param first integer
---@param last integer
---@param new_last integer
function M.late(late, first, last, new_last)
  for index = #late, 1, -1 do
    if last <= late[index] then
      late[index] = late[index] + new_last - last
    elseif first <= late[index] then
      table.remove(late, index)
    end
  end
end

--- Whether the streaming answer made this change; tracks its row by its last change.
---@param state parley.Colours
---@param first integer
---@param last integer
---@param new_last integer
---@return boolean
function M.tip(state, first, last, new_last)
  if state.tip == nil then
    return false
  elseif first == state.tip and last == first + 1 then
    state.tip = math.max(first, new_last - 1)
    return true
  elseif last <= state.tip then
    state.tip = state.tip + new_last - last
  end
  return false
end

return M
