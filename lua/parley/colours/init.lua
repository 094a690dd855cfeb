--- Markdown highlighting for chats, with the same result as Neovim's tree-sitter highlighter. Only the visible text is
--- parsed, in pieces that are cached by their text; Neovim's own highlighter parses the whole chat after each change.
local bounded = require("parley.colours.bounded")
local config = require("parley.config")
local frames = require("parley.colours.frames")
local system = require("parley.system")
local tree = require("parley.colours.tree")

local M = {}

local namespace = vim.api.nvim_create_namespace("parley.colours")

--- By chat: "ours", or "own" when Neovim's own highlighter is used permanently.
---@type table<integer, "ours"|"own">
local chats = {}

--- Switches to Neovim's own highlighter for good, after an error here or in Neovim.
local function give_up(buf, problem)
  M.detach(buf)
  vim.schedule(function()
    require("parley.messages.notify").notify(
      ("Parley's colours failed, so this chat uses Neovim's own: %s"):format(problem),
      vim.log.levels.WARN
    )
  end)
end

local function guarded(buf, work, ...)
  local ok, is_done = pcall(system.interruptible, work, ...)
  if not ok then
    give_up(buf, is_done)
  end
  return ok and is_done
end

local function update_frames()
  local shown = {}
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local buf = vim.api.nvim_win_get_buf(win)
    if chats[buf] then
      M.look(buf, win)
    end
    if frames.of(buf) then
      local first, last = vim.fn.line("w0", win) - 1, vim.fn.line("w$", win)
      last = math.min(last, vim.api.nvim_buf_line_count(buf) - 1)
      guarded(buf, frames.update, win, buf, math.min(first, last), last)
      shown[win] = true
    end
  end
  frames.keep(shown)
end

--- What an interrupted redraw leaves out, a later one finds.
local function on_start()
  system.interruptible(update_frames)
end

local function on_win(_, win, buf, first, last)
  if not frames.of(buf) then
    return false
  end
  last = math.min(last, vim.api.nvim_buf_line_count(buf) - 1)
  local frame = frames.frame(win, buf)
  local is_known = frame and frame.first <= first and frame.last >= last
  return is_known or guarded(buf, frames.update, win, buf, first, last)
end

local function draw(buf, row, row_marks)
  local is_last = row + 1 >= vim.api.nvim_buf_line_count(buf)
  local length = nil
  for index = 1, #row_marks, 3 do
    local options = row_marks[index + 2]
    local to = row_marks[index + 1]
    if to >= 0 then
      options.end_row, options.end_col = row, to
    elseif not is_last then
      options.end_row, options.end_col = row + 1, 0
    else
      length = length or #(vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or "")
      options.end_row, options.end_col = row, length
    end
    vim.api.nvim_buf_set_extmark(buf, namespace, row, row_marks[index], options)
  end
end

local function draw_row(win, buf, row)
  local row_marks = frames.row(win, buf, row)
  if row_marks then
    draw(buf, row, row_marks)
  end
end

local function on_line(_, win, buf, row)
  if frames.has_marks(win, buf, row) then
    guarded(buf, draw_row, win, buf, row)
  end
end

--- Finds marks for the spell checker, which also visits rows that are not drawn.
local function on_spell_nav(_, win, buf, first, _, last)
  if not frames.of(buf) then
    return
  end
  local ok, rows = pcall(frames.marks_between, win, buf, first, math.max(first, last), nil)
  for row, row_marks in pairs(ok and rows or {}) do
    local spelled = {}
    for index = 1, #row_marks, 3 do
      if row_marks[index + 2].spell ~= nil then
        vim.list_extend(spelled, row_marks, index, index + 2)
      end
    end
    draw(buf, row, spelled)
  end
end

local is_set = false

local function set_provider()
  if is_set then
    return
  end
  is_set = true
  vim.api.nvim_set_decoration_provider(namespace, {
    on_start = on_start,
    on_win = on_win,
    on_line = on_line,
    _on_spell_nav = on_spell_nav,
  })
end

--- Pauses Neovim's highlighter, or restores it when it is needed: as soon as a window of the chat conceals text,
--- because only Neovim's own can conceal whole lines.
---@param buf integer
---@param win? integer
function M.look(buf, win)
  if chats[buf] == "own" then
    bounded.bound(buf)
    return
  end
  if config.get().highlight == "treesitter" then
    M.give_back(buf)
    bounded.bound(buf)
  elseif win and tree.hides_lines(win) then
    M.give_back(buf)
    bounded.bound(buf)
    chats[buf] = "own"
  else
    local highlighter = tree.take(buf)
    if highlighter then
      frames.begin(buf, highlighter)
    end
  end
end

--- Records the row into which an answer streams; nil when it has ended.
---@param buf integer
---@param row integer?
function M.stream(buf, row)
  frames.stream(buf, row)
end

--- Resumes Neovim's highlighter.
---@param buf integer
function M.give_back(buf)
  local highlighter = frames.finish(buf)
  if highlighter then
    tree.go_on(buf, highlighter)
  end
end

---@param buf integer
function M.attach(buf)
  set_provider()
  chats[buf] = chats[buf] or "ours"
  M.look(buf)
end

---@param buf integer
function M.detach(buf)
  M.give_back(buf)
  chats[buf] = nil
end

return M
