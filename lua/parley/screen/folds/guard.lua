--- Opens the fold of a waiting call right before a key that acts on its text, so that `x` deletes a character and not
--- the whole line. Until then it stays folded: most keys there decide, look or move away.
local key_table = require("parley.config.key_table")
local own_keys = require("parley.config.own_keys")

local M = {}

local namespace = vim.api.nvim_create_namespace("parley.guard")

--- Keys that only look or move away, and the first keys of longer ones that do.
local harmless = {}
for key in ("jkGgnN:/?zZm'`[]\"@qu%0123456789"):gmatch(".") do
  harmless[key] = true
end
for _, name in ipairs({
  "Up",
  "Down",
  "C-d",
  "C-u",
  "C-e",
  "C-y",
  "C-f",
  "C-b",
  "C-w",
  "C-o",
  "C-l",
}) do
  harmless[vim.keycode(("<%s>"):format(name))] = true
end
for _, name in ipairs({ "Esc", "CR", "C-r", "C-g", "Space" }) do
  harmless[vim.keycode(("<%s>"):format(name))] = true
end

--- Whether the key is a mouse event. A click applies to the position under the mouse, and opening the fold first would
--- put other lines there. Only a double click acts on the text, since its first click moved the cursor there.
local function is_of_mouse(key)
  local name = vim.fn.keytrans(key)
  local is_of_it = name:find("Mouse") or name:find("Drag>$") or name:find("Release>$")
  return (is_of_it or name:find("ScrollWheel")) and not name:find("[234]%-")
end

--- Two-key sequences that only scroll, although their second key alone is a motion within the text.
local scrolls = { zt = true, zb = true }

--- Keys that take another key as their argument: a window command, a mark, a register, a tab page.
local halves = { [vim.keycode("<C-w>")] = true }
for key in ("gm'`[]\"@q"):gmatch(".") do
  halves[key] = true
end

--- The user's keys for calls.
local own = { keys = nil, all = {} }

--- Whether one of those keys begins with this key.
local function is_ours(key)
  local now = own_keys.get()
  if own.keys ~= now then
    own = { keys = now, all = {} }
    for _, row in ipairs(key_table.rows) do
      vim.list_extend(own.all, vim.tbl_map(own_keys.bytes_of, own_keys.of(row.name)))
    end
  end
  return vim.iter(own.all):any(function(each)
    return vim.startswith(each, key)
  end)
end

--- Whether the key comes from a mapping: Neovim reports those without a typed key.
local function is_of_map(typed)
  return typed == "" and vim.fn.reg_executing() == ""
end

--- Whether the keys go to the command line or a prompt, and not to the text.
local function is_on_command_line()
  return vim.api.nvim_get_mode().mode:find("^[cr]") ~= nil
end

local function open_before(win, buf, before, key, open)
  if is_on_command_line() then
    return
  end
  local row = vim.fn.line(".")
  local is_there = vim.api.nvim_get_current_win() == win
    and vim.api.nvim_get_current_buf() == buf
    and vim.fn.foldclosed(row) == row
    and vim.fn.foldclosedend(row) == row
  local is_elsewhere = harmless[key] or halves[before] or scrolls[before .. key]
  if is_there and (is_elsewhere or is_ours(key) or is_of_mouse(key)) then
    return
  end
  vim.on_key(nil, namespace)
  if is_there then
    vim.cmd(("silent! %dfoldopen"):format(row))
    open(win, buf, row)
  end
end

--- Watches the keys while the cursor is on the row of a call; calls `opened` when its fold is opened.
---@param win integer
---@param buf integer
---@param opened fun()
function M.watch(win, buf, opened)
  local before = ""
  vim.on_key(function(key, typed)
    if not is_of_map(typed) then
      local pressed = typed ~= "" and typed or key
      -- An error here would be reported at every key.
      pcall(open_before, win, buf, before, pressed, opened)
      -- The `q` that ends a recording takes no argument.
      local is_whole = halves[before] or pressed == "q" and vim.fn.reg_recording() ~= ""
      before = is_whole and "" or pressed
    end
  end, namespace)
end

return M
