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

--- The rows (from 1) of the fences around `row`, which may be one of them; nil outside of all blocks. A marker of a
--- turn ends a fence that was left open.
---@param lines string[]
---@param row integer
---@return integer? first
---@return integer? last
function M.fences(lines, row)
  local run, first
  for index, line in ipairs(lines) do
    if run == nil then
      run, first = opening(line), index
    elseif closes(line, run) then
      if row >= first and row <= index then
        return first, index
      end
      run = nil
    elseif line:find("^💬") or line:find("^🤖") then
      run = nil
    end
  end
  return nil
end

--- The lines of the block that `row` is in, without its fences; nil outside of all blocks.
---@param lines string[]
---@param row integer
---@return string[]?
function M.around(lines, row)
  local first, last = M.fences(lines, row)
  return first and vim.list_slice(lines, first + 1, last - 1)
end

return M
