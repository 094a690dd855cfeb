--- Undo steps: writes of one group form one step as long as nothing else changes the text in between.
local kept_rows = require("parley.text.kept_rows")
local system = require("parley.system")

local M = {}

--- By buffer: the group of the last write, and the changedtick after it.
---@type table<integer, { group?: string, tick: integer }>
local last = {}

--- Runs `change` with `buf` as the current buffer, directly (no autocommands, no window switch) if it already is.
---@param buf integer
---@param change fun(): any
---@return any
function M.in_buffer(buf, change)
  if vim.api.nvim_get_current_buf() == buf then
    return change()
  end
  return vim.api.nvim_buf_call(buf, change)
end

local function join()
  -- Fails after an undo, where joining would be wrong anyway.
  return pcall(vim.api.nvim_command, "undojoin")
end

--- Closes the open undo step, so that the user's typing and a write are undone separately.
local function close_step()
  -- :help undo-break
  vim.cmd("noautocmd let &l:undolevels = &l:undolevels")
end

--- Runs after `buf` was changed under a user who types there. Neovim saves a line for undo when Insert mode begins in
--- it, and not again after a change from outside. What is typed then would be undone with that change, and a line break
--- as if it were part of the changed lines, which puts wrong lines into the text.
local function separate_typing(buf)
  if vim.api.nvim_get_current_buf() == buf and vim.api.nvim_get_mode().mode:find("^[iR]") then
    close_step()
  end
end

--- Forgets the line that `U` would bring back in the current buffer. Neovim keeps it under its number, from before the
--- last change that was made in one line: after a write, that number is another line's, or the line was never the
--- user's. No function forgets it, but `:retab` does when it ends (ex_retab() in Neovim's indent.c), also in a line
--- without tabs, in which it changes nothing.
local function forget_line()
  if vim.fn.getline(1):find("\t", 1, true) then
    return
  end
  -- Without a width, Neovim takes it for changed and draws the whole window again.
  local width = vim.o.vartabstop == "" and vim.o.tabstop or ""
  -- It also moves the cursor to the column in which vertical movements would keep it. winrestview() would draw the
  -- whole window, too.
  local at = vim.fn.getpos(".")
  vim.api.nvim_command("silent! 1retab " .. width)
  vim.fn.setpos(".", at)
end

--- Runs `change` even if the buffer has become unmodifiable since the answer was requested.
local function unlocked(buf, change)
  if vim.api.nvim_get_option_value("modifiable", { buf = buf }) then
    return change()
  end
  vim.bo[buf].modifiable = true
  local ok, problem = pcall(change)
  vim.bo[buf].modifiable = false
  if not ok then
    error(problem, 0)
  end
end

--- Runs `change` in the undo step before it if `joins`, else in a new one.
local function write(buf, group, joins, change)
  local tick = vim.api.nvim_buf_get_changedtick(buf)
  M.in_buffer(buf, function()
    if not (joins and join()) then
      close_step()
    end
    kept_rows.around(buf, function()
      unlocked(buf, change)
    end)
    forget_line()
  end)
  local now = vim.api.nvim_buf_get_changedtick(buf)
  -- A write without a change creates no undo step, so the next write of its group must not join an older one.
  if now ~= tick then
    last[buf] = { group = group, tick = now }
    separate_typing(buf)
  end
  return now
end

--- Whether the last change of the text was ours.
local function is_ours(buf)
  return last[buf] ~= nil and last[buf].tick == vim.api.nvim_buf_get_changedtick(buf)
end

--- Runs `change`, which edits `buf`, as part of the undo step of `group` or as a new step.
---@param buf integer
---@param group? string
---@param change fun()
---@return integer tick
function M.write(buf, group, change)
  return write(buf, group, group ~= nil and is_ours(buf) and last[buf].group == group, change)
end

--- Runs `change`, which moves what the user has just typed or put, so that one undo takes back both.
---@param buf integer
---@param change fun()
function M.write_along(buf, change)
  write(buf, nil, not is_ours(buf), change)
end

--- Returns the path of a file's undo file; nil when there can be none. undofile() creates the folder, which may fail.
---@param path string
---@return string?
function M.file_of(path)
  local ok, file = pcall(vim.fn.undofile, path)
  return ok and file or nil
end

--- Moves a file's undo file along with it.
---@param from string
---@param to string
function M.move_file(from, to)
  local file, target = M.file_of(from), M.file_of(to)
  if file and target and vim.uv.fs_lstat(file) then
    system.rename(file, target)
  end
end

---@param buf integer
function M.forget(buf)
  last[buf] = nil
end

return M
