--- The preview of a chat next to the list of chats.
local bounded = require("parley.colours.bounded")
local markers = require("parley.text.markers")
local scratch = require("parley.system.scratch")

local M = {}

--- How many lines of a chat are read.
local previewed = 2000

--- Returns the line of the last question with text, which the user is most likely to recognize.
local function last_question(lines)
  for number = #lines, 1, -1 do
    local name, behind = markers.read(lines[number])
    local has_words = lines[number]:find("%S", behind) or (lines[number + 1] or "") ~= ""
    if name == "question" and has_words then
      return number
    end
  end
  return 1
end

--- Returns the first line with this text, ignoring case, and the byte where the text begins.
---@param lines string[]
---@param words string
---@return integer?
---@return integer?
function M.line_with(lines, words)
  local wanted = vim.fn.tolower(words)
  for number, line in ipairs(words ~= "" and lines or {}) do
    local column = vim.fn.tolower(line):find(wanted, 1, true)
    if column then
      return number, column - 1
    end
  end
end

--- Shows the chat in the window, from the first line with this text, or from its last question.
---@param win integer
---@param path string
---@param words string
function M.show(win, path, words)
  local ok, lines = pcall(vim.fn.readfile, path, "", -previewed)
  lines = ok and lines or {}
  for index, line in ipairs(lines) do
    -- readfile() returns a NUL byte as a line feed.
    lines[index] = line:gsub("\n", "␀")
  end
  local buf = vim.api.nvim_win_get_buf(win)
  scratch.set_lines(buf, lines)
  bounded.colour(buf, lines)
  local at = M.line_with(lines, words) or last_question(lines)
  vim.api.nvim_win_call(win, function()
    vim.fn.winrestview({ lnum = at, col = 0, topline = at })
  end)
end

return M
