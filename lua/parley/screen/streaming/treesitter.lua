--- Pauses Neovim's own tree-sitter highlighter while an answer streams: with it, each write costs a redraw of several
--- milliseconds.
local config = require("parley.config")
local tree = require("parley.colours.tree")

local M = {}

local paused = {}

---@param buf integer
function M.pause(buf)
  if not paused[buf] and not config.get().stream_highlight then
    paused[buf] = tree.rest(buf)
  end
end

---@param buf integer
function M.resume(buf)
  local highlighter = paused[buf]
  paused[buf] = nil
  if highlighter then
    tree.go_on(buf, highlighter)
  end
end

return M
