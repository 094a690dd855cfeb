--- The code block around a line: what stands between two fences.
local M = {}

--- The run of backticks or tildes that opens a fence on this line; nil when none does.
local function opening(line)
  local run, info = line:match("^ ? ? ?(```+)(.*)$")
  if run and not info:find("`", 1, true) then
    return run
  end
  return line:match("^ ? ? ?(~~~+)")
end

local function closes(line, run)
  local closing = line:match("^ ? ? ?(" .. run:sub(1, 1) .. "+)%s*$")
  return closing ~= nil and #closing >= #run
end

--- The lines of the block that `row` (from 1) is in, its fences included in the looking and not in the text; nil
--- outside of all blocks. A marker of a turn ends a fence that was left open.
---@param lines string[]
---@param row integer
---@return string[]?
function M.around(lines, row)
  local run, first
  for index, line in ipairs(lines) do
    if run == nil then
      run, first = opening(line), index
    elseif closes(line, run) then
      if row >= first and row <= index then
        return vim.list_slice(lines, first + 1, index - 1)
      end
      run = nil
    elseif line:find("^💬") or line:find("^🤖") then
      run = nil
    end
  end
  return nil
end

return M
