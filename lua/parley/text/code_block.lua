--- Finds the fenced code block around a line.
local escape = require("parley.text.escape")
local markers = require("parley.text.markers")

local M = {}

--- Returns the indentation and the run of backticks or tildes that opens a fence on this line; nil without one. In a
--- list a fence is indented like its item, or on the item's first line.
---@return string? indent
---@return string? run
local function opening(line)
  local at = 1
  repeat
    local _, last = line:find("^[ \t]*[-*+][ \t]+", at)
    if not last then
      _, last = line:find("^[ \t]*%d+[.)][ \t]+", at)
    end
    at = last and last + 1 or at
  until not last
  local item = line:sub(1, at - 1):gsub("%S", " ")
  local indent, run, info = line:match("^([ \t]*)(```+)(.*)$", at)
  if not run or info:find("`", 1, true) then
    indent, run = line:match("^([ \t]*)(~~~+)", at)
  end
  if run then
    return item .. indent, run
  end
end

--- Whether the line closes the block. A fence that is indented much deeper than the opening one does not.
local function closes(line, indent, run)
  local own, closing = line:match("^([ \t]*)(" .. run:sub(1, 1) .. "+)%s*$")
  return closing ~= nil and #closing >= #run and #own <= #indent + 3
end

--- Returns the rows (from 1) of the fences around `row`, which may be one of them, and the first one's indentation; nil
--- outside code blocks. A marker of a turn ends an unclosed block.
---@param lines string[]
---@param row integer
---@return integer? first
---@return integer? last
---@return string? indent
function M.fences(lines, row)
  local indent, run, first
  for index, line in ipairs(lines) do
    if run == nil then
      indent, run = opening(line)
      first = index
    elseif closes(line, indent, run) then
      if row >= first and row <= index then
        return first, index, indent
      end
      run = nil
    elseif markers.begins_turn(line) then
      run = nil
    end
  end
  return nil
end

--- Returns a line as the model wrote it, without the fence's indentation.
local function plain(line, indent)
  line = escape.plain(line)
  return vim.startswith(line, indent) and line:sub(#indent + 1) or (line:gsub("^[ \t]+", ""))
end

--- Returns the lines of the block around `row`, without fences, indentation and escapes; nil outside code blocks.
---@param lines string[]
---@param row integer
---@return string[]?
function M.around(lines, row)
  local first, last, indent = M.fences(lines, row)
  return first
    and vim.tbl_map(function(line)
      return plain(line, indent)
    end, vim.list_slice(lines, first + 1, last - 1))
end

return M
