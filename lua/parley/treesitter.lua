--- Tree-sitter highlighting rests while an answer streams: with it, each write costs a redraw of several
--- milliseconds. The highlighter is set aside as it is: one that is stopped leaves its callbacks with the parser,
--- and with them all of its trees, so that each answer of a long chat would cost tens of megabytes.
local M = {}

local paused = {}

function M.pause(buf)
  if paused[buf] or require("parley.config").get().stream_highlight then
    return
  end
  local active = vim.treesitter.highlighter.active
  paused[buf] = active[buf]
  active[buf] = nil
end

function M.resume(buf)
  local highlighter = paused[buf]
  paused[buf] = nil
  -- Meanwhile somebody may have started another one, or reloaded the buffer, which ends this one.
  local is_whole = vim.api.nvim_buf_is_loaded(buf) and vim.b[buf].ts_highlight
  local active = vim.treesitter.highlighter.active
  if highlighter and is_whole and not active[buf] then
    active[buf] = highlighter
    vim.api.nvim__redraw({ buf = buf, valid = false })
  end
end

return M
