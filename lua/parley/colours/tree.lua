--- Pauses and resumes Neovim's own tree-sitter highlighter of a buffer. It is not stopped, because that would load the
--- regex syntax instead and leave the highlighter's callbacks, and with them its trees, attached to the parser.
local M = {}

local hides_whole_lines = vim.fn.has("nvim-0.11") == 1

--- Whether the window conceals text; tree-sitter then also conceals whole lines, the fences of code blocks.
---@param win integer
---@return boolean
function M.hides_lines(win)
  return hides_whole_lines and vim.api.nvim_get_option_value("conceallevel", { win = win }) > 0
end

--- Whether a parse is asynchronous, judged by the second argument of `_parse`.
local function is_in_pieces(state)
  if type(state) == "table" then
    return state.timeout ~= nil
  end
  return state ~= nil
end

--- Ends a running asynchronous parse. Neovim would restart it after each change and not highlight meanwhile, so that in
--- a long chat the answer would appear only at its end. It cannot be cancelled, but ends when there is nothing to do.
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

--- Pauses and returns the buffer's active highlighter; nil without one.
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

--- Pauses and returns the buffer's active Markdown highlighter and drops its trees, which would otherwise be updated
--- with every change. They are created again when something needs them.
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
  -- Meanwhile another highlighter may have been started, or the buffer reloaded, which ends this one.
  local is_whole = vim.api.nvim_buf_is_loaded(buf) and vim.b[buf].ts_highlight
  local active = vim.treesitter.highlighter.active
  if is_whole and not active[buf] then
    active[buf] = highlighter
    vim.api.nvim__redraw({ buf = buf, valid = false, flush = false })
  end
end

return M
