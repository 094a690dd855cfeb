--- Adds and removes the backslash that keeps a line of content from being read as structure (doc/format.md, section 2).
local markers = require("parley.text.markers")

local M = {}

--- Invisible characters (Unicode's Default_Ignorable_Code_Point), as ranges.
local unseen = {
  { 0xAD, 0xAD },
  { 0x34F, 0x34F },
  { 0x61C, 0x61C },
  { 0x115F, 0x1160 },
  { 0x17B4, 0x17B5 },
  { 0x180B, 0x180F },
  { 0x200B, 0x200F },
  { 0x202A, 0x202E },
  { 0x2060, 0x206F },
  { 0x3164, 0x3164 },
  { 0xFE00, 0xFE0F },
  { 0xFEFF, 0xFEFF },
  { 0xFFA0, 0xFFA0 },
  { 0xFFF0, 0xFFF8 },
  { 0x1BCA0, 0x1BCA3 },
  { 0x1D173, 0x1D17A },
  { 0xE0000, 0xE0FFF },
}

local function begins_unseen(text)
  -- A character has at most four bytes; a line may be very long.
  local code = vim.fn.char2nr(text:sub(1, 4):gsub("%z.*", ""), true)
  return vim.iter(unseen):any(function(range)
    return range[1] <= code and code <= range[2]
  end)
end

--- Whether the text only looks like a marker; the same rule as `isLookAlike` in `src/transcript/markers.ts`.
local function is_look_alike(text)
  if begins_unseen(text) then
    return true
  end
  local behind = markers.behind_emoji(text)
  return behind ~= nil and begins_unseen((text:sub(behind):gsub("^\239\184\143", "", 1)))
end

--- Whether the line would be structure, or look like it, without its leading backslashes.
local function reads_as_structure(line)
  local text = line:gsub("^\\+", "")
  return markers.read(text) ~= nil or vim.startswith(text, "<!-- parley:") or is_look_alike(text)
end

--- Escapes a line of content for a chat.
---@param line string
---@return string
function M.escaped(line)
  return reads_as_structure(line) and "\\" .. line or line
end

--- Returns the content of a chat line, without the escape.
---@param line string
---@return string
function M.plain(line)
  return vim.startswith(line, "\\") and reads_as_structure(line) and line:sub(2) or line
end

return M
