--- Compares lists of lines.
local M = {}

--- Returns how many lines two lists share at the beginning, and how many of the others at the end.
---@param one string[]
---@param other string[]
---@return integer first
---@return integer last
function M.in_common(one, other)
  local most = math.min(#one, #other)
  local first, last = 0, 0
  while first < most and one[first + 1] == other[first + 1] do
    first = first + 1
  end
  while last < most - first and one[#one - last] == other[#other - last] do
    last = last + 1
  end
  return first, last
end

return M
