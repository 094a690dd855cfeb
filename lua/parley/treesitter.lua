--- Tree-sitter highlighting rests while an answer streams: with it, each write costs a redraw of several
--- milliseconds. The parser itself stays, so that starting again reads only what changed.
local M = {}

local paused = {}

function M.pause(buf)
  if paused[buf] or require("parley.config").get().stream_highlight then
    return
  end
  local active = vim.treesitter.highlighter.active[buf]
  if not active then
    return
  end
  paused[buf] = active.tree:lang()
  -- Stopping turns the old syntax highlighting on when `syntax_on` is set, which costs more than it saves.
  local syntax_on = vim.g.syntax_on
  vim.g.syntax_on = nil
  vim.treesitter.stop(buf)
  vim.g.syntax_on = syntax_on
end

function M.resume(buf)
  local language = paused[buf]
  paused[buf] = nil
  if language and vim.api.nvim_buf_is_valid(buf) and vim.api.nvim_buf_is_loaded(buf) then
    if not vim.treesitter.highlighter.active[buf] then
      vim.treesitter.start(buf, language)
    end
  end
end

return M
