--- Neovim's own tree-sitter highlighter of a buffer rests, and goes on as it was. It is not stopped: that would load
--- the regular expressions for Markdown in its place, and leave its callbacks with the parser, and with them its trees.
local M = {}

local hides_whole_lines = vim.fn.has("nvim-0.11") == 1

--- Whether the window hides text: then tree-sitter hides whole lines with it, the fences of code.
---@param win integer
---@return boolean
function M.hides_lines(win)
  return hides_whole_lines and vim.wo[win].conceallevel > 0
end

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

--- The highlighter that works in the buffer, which rests from now on; nil when there is none.
---@param buf integer
---@return vim.treesitter.highlighter?
function M.rest(buf)
  local active = vim.treesitter.highlighter.active
  local highlighter = active[buf]
  if highlighter then
    active[buf] = nil
    end_parse(highlighter)
  end
  return highlighter
end

--- The highlighter of Markdown that works in the buffer, which rests from now on and has no trees, for they would be
--- moved along with every change. Whoever wants them gets new ones.
---@param buf integer
---@return vim.treesitter.highlighter?
function M.take(buf)
  local highlighter = vim.treesitter.highlighter.active[buf]
  if not highlighter or highlighter.tree:lang() ~= "markdown" then
    return nil
  end
  M.rest(buf)
  highlighter.tree:invalidate(true)
  return highlighter
end

---@param buf integer
---@param highlighter vim.treesitter.highlighter
function M.go_on(buf, highlighter)
  highlighter.tree._parse = nil
  -- Meanwhile somebody may have started another one, or reloaded the buffer, which ends this one.
  local is_whole = vim.api.nvim_buf_is_loaded(buf) and vim.b[buf].ts_highlight
  local active = vim.treesitter.highlighter.active
  if is_whole and not active[buf] then
    active[buf] = highlighter
    vim.api.nvim__redraw({ buf = buf, valid = false, flush = false })
  end
end

return M
