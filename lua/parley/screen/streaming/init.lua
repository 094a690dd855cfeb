--- The tip of a streaming answer with its side effects on the screen: Neovim's tree-sitter highlighter is paused while
--- a tip is open, and Parley's colours follow a little later.
local colours = require("parley.colours")
local event_throttle = require("parley.screen.streaming.event_throttle")
local filling = require("parley.text.tip.filling")
local spinner = require("parley.screen.spinner")
local tip = require("parley.text.tip")
local treesitter = require("parley.screen.streaming.treesitter")

local M = {}

--- Like `tip.open`; see there for parameters and results.
---@param buf integer
---@param tick integer
---@param line integer
---@param answer_line integer
---@param group string
---@param edits? parley.Edit[]
---@return table answer
---@return parley.Change[]? changes
function M.open(buf, tick, line, answer_line, group, edits)
  local answer, changes = tip.open(buf, tick, line, answer_line, group, edits)
  if answer.status == "opened" then
    treesitter.pause(buf)
    filling.pause(buf)
    colours.stream(buf, tip.line(buf, answer.id))
  end
  return answer, changes
end

--- Like `tip.write`.
---@param buf integer
---@param id integer
---@param expected string
---@param text string
---@param group? string
---@return table answer
function M.write(buf, id, expected, text, group)
  local answer = tip.write(buf, id, expected, text, group)
  spinner.go_along(buf)
  event_throttle.write(buf)
  return answer
end

---@param buf integer
---@param id integer
function M.close(buf, id)
  tip.close(buf, id)
  if not tip.is_open(buf) then
    colours.stream(buf, nil)
    treesitter.resume(buf)
    filling.resume(buf)
    event_throttle.close(buf)
  end
end

--- Closes every tip of a buffer, or of all buffers, when the host that wrote there is gone.
---@param buf? integer
function M.close_all(buf)
  for _, each in ipairs(tip.list(buf)) do
    M.close(each.buf, each.id)
  end
end

return M
