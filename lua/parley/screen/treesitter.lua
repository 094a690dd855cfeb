--- Tree-sitter highlighting rests while an answer streams: with it, each write costs a redraw of several
--- milliseconds. The highlighter is set aside as it is: one that is stopped leaves its callbacks with the parser,
--- and with them all of its trees, so that each answer of a long chat would cost tens of megabytes.
local config = require("parley.config")

local M = {}

local paused = {}

--- Whether a parse may stop halfway and go on later, by the second argument of `_parse`.
local function is_in_pieces(state)
  if type(state) == "table" then
    return state.timeout ~= nil
  end
  return state ~= nil
end

--- Neovim goes on with a parse in pieces that it has begun, from the start after each change, and draws nothing
--- meanwhile: in a long chat the answer would be seen when it is over. There is no way to call it off, but it
--- ends when it finds that there is nothing to do.
local function end_parse(highlighter)
  local tree = highlighter.tree
  local parse = tree._parse
  if not highlighter.parsing or type(parse) ~= "function" then
    return
  end
  tree._parse = function(self, range, state)
    if highlighter.parsing and is_in_pieces(state) then
      return self._trees, true
    end
    return parse(self, range, state)
  end
end

---@param buf integer
function M.pause(buf)
  local active = vim.treesitter.highlighter.active
  if paused[buf] or not active[buf] or config.get().stream_highlight then
    return
  end
  paused[buf] = active[buf]
  active[buf] = nil
  end_parse(paused[buf])
end

---@param buf integer
function M.resume(buf)
  local highlighter = paused[buf]
  paused[buf] = nil
  if not highlighter then
    return
  end
  highlighter.tree._parse = nil
  -- Meanwhile somebody may have started another one, or reloaded the buffer, which ends this one.
  local is_whole = vim.api.nvim_buf_is_loaded(buf) and vim.b[buf].ts_highlight
  local active = vim.treesitter.highlighter.active
  if is_whole and not active[buf] then
    active[buf] = highlighter
    vim.api.nvim__redraw({ buf = buf, valid = false })
  end
end

return M
