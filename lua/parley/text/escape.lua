--- The backslash that keeps a line of content from being read as structure (doc/format.md, section 2).
local markers = require("parley.text.markers")

local M = {}

--- Whether the line would be structure without the backslashes that it begins with.
local function reads_as_structure(line)
  local text = line:gsub("^\\+", "")
  return markers.read(text) ~= nil or vim.startswith(text, "<!-- parley:")
end

--- A line of content as a line of a chat.
---@param line string
---@return string
function M.escaped(line)
  return reads_as_structure(line) and "\\" .. line or line
end

--- A line of a chat as a line of content.
---@param line string
---@return string
function M.plain(line)
  return vim.startswith(line, "\\") and reads_as_structure(line) and line:sub(2) or line
end

return M
