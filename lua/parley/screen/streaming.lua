--- The tip of a streaming answer as it is seen: tree-sitter rests in its buffer for as long as one is open.
local tip = require("parley.text.tip")
local treesitter = require("parley.screen.treesitter")

local M = {}

function M.open(...)
  local answer, changes = tip.open(...)
  if answer.status == "opened" then
    treesitter.pause((...))
  end
  return answer, changes
end

function M.close(buf, id)
  tip.close(buf, id)
  if not tip.is_open(buf) then
    treesitter.resume(buf)
  end
end

--- Closes every tip of a buffer, or of all: the host that wrote there is gone.
function M.close_all(buf)
  for _, each in ipairs(tip.list(buf)) do
    M.close(each.buf, each.id)
  end
end

return M
