--- Opens files in windows, and lists of lines in scratch buffers.
local bounded = require("parley.colours.bounded")
local chats = require("parley.text.chats")
local notify = require("parley.messages.notify")
local system = require("parley.system")
local undisturbed = require("parley.system.undisturbed")

local M = {}

--- The largest share of the screen's rows for a list.
local most_of_screen = 0.75

--- The modifiers of the last command, such as `vertical`, until its window is opened.
local wanted = nil

--- Takes a command's modifiers: `:vertical Parley …`, `:tab …`, `:botright …`.
---@param mods? { vertical?: boolean, split?: string, tab?: integer }
function M.place(mods)
  wanted = nil
  if mods and (mods.vertical or mods.split ~= "" or mods.tab >= 0) then
    wanted = { vertical = mods.vertical, split = mods.split, tab = mods.tab }
  end
end

--- Whether no window can be opened because the command-line window is open; tells the user.
---@return boolean
function M.is_refused()
  local is_there = vim.fn.getcmdwintype() ~= ""
  if is_there then
    local words = "Nothing was opened: the command-line window is the only one; :q closes it."
    notify.notify(words, vim.log.levels.WARN)
  end
  return is_there
end

--- Returns the full path: Neovim 0.12 takes a name that begins with `+` for a command.
local function whole(path)
  return vim.fn.fnamemodify(path, ":p")
end

--- Returns whether a command that opens a file has worked. After Neovim's question about a swap file, which the user
--- has answered by then, it ends with an error all the same. The question scrolled the screen, where a message would
--- need a key.
local function settle(ok, message)
  local is_answered = not ok and tostring(message):find("E325:", 1, true) ~= nil
  if is_answered then
    vim.cmd.redraw()
  end
  return ok or is_answered
end

--- Runs a command or a function that opens a window; returns false when no window has room for another one. Also
--- returns whether an autocommand failed while a file was opened: the window is there, but perhaps not the file.
---@param opens table|string|fun() a command as for `vim.cmd`
---@return boolean has_room
---@return boolean has_failed
function M.try(opens)
  local act = type(opens) == "function" and opens or vim.cmd
  local ok, message
  if type(opens) == "table" and #(opens.args or {}) > 0 then
    -- A file has errors of its own, such as that of a missing swap folder.
    ok, message = pcall(act, opens)
    ok = settle(ok, message)
  else
    ok, message = pcall(undisturbed.run, act, opens)
  end
  if not ok and tostring(message):find("E36:", 1, true) then
    return false, false
  elseif not ok and not undisturbed.is_theirs(message) then
    error(message, 0)
  end
  return true, not ok
end

--- Takes a path as it is written.
local no_magic = { file = false, bar = false }

--- Whether the current window shows this file.
local function is_here(path)
  local name = vim.api.nvim_buf_get_name(0)
  return name ~= "" and system.real(name) == system.real(path)
end

--- Whether it has also been read: an error before that leaves the buffer empty.
local function is_read(path)
  return is_here(path) and (vim.fn.filereadable(path) == 0 or vim.fn.line2byte(2) > 0)
end

--- Whether a window of this tab page shows the file. A folder may have another name there, as a file browser shows it.
local function is_shown(path)
  local wanted_name = system.real(path)
  return vim.fn.isdirectory(path) == 1
    or vim.iter(vim.api.nvim_tabpage_list_wins(0)):any(function(win)
      local name = vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(win))
      return name ~= "" and system.real(name) == wanted_name
    end)
end

--- Finishes opening a file in the current window where an autocommand failed: it may not have been read, and later
--- autocommands did not run, ours among them.
local function open_despite_failure(path)
  -- The first command may only enter its buffer, which counts as loaded.
  for _ = 1, 2 do
    if not is_read(path) then
      undisturbed.run(vim.cmd.edit, { args = { whole(path) }, magic = no_magic })
    end
  end
  vim.api.nvim_exec_autocmds("BufReadPost", { group = "parley", buffer = 0, modeline = false })
end

--- Splits the window as the command's modifiers say; returns whether there were any. Next to a list or a file tree the
--- new window would be as small as those.
---@param path? string
---@return boolean
function M.split(path)
  local mods = wanted
  wanted = nil
  local args = path and { whole(path) } or {}
  local from = vim.api.nvim_get_current_buf()
  local command = {
    cmd = "split",
    args = args,
    mods = mods or { split = chats.can_be(from) and "" or "botright" },
    magic = no_magic,
  }
  local has_room, has_failed = M.try(command)
  if not has_room then
    -- Uses a tab page when no window has room for a split.
    mods = { tab = vim.fn.tabpagenr() }
    command.mods = mods
    has_room, has_failed = M.try(command)
    if not has_room and path then
      -- Nor has a tab page, where 'cmdheight' takes all rows, as after a drag of the status line. Neovim opens one all
      -- the same, with this text in it.
      vim.cmd.edit({ args = args, magic = no_magic })
    end
  end
  if path and has_failed then
    open_despite_failure(path)
  end
  vim.w.parley_split = from
  return mods ~= nil
end

local function close(buf)
  -- The last window that does not float cannot be closed, and shows another text instead.
  if not pcall(undisturbed.run, vim.api.nvim_win_close, 0, true) then
    vim.api.nvim_buf_delete(buf, { force = true })
  end
end

local function scratch(name)
  local buf = require("parley.system.scratch").buffer(true)
  undisturbed.run(vim.api.nvim_buf_set_name, buf, name)
  vim.keymap.set("n", "q", function()
    close(buf)
  end, { buffer = buf, nowait = true, desc = "Parley: close this list" })
  return buf
end

--- Maps `<CR>` to open the line's file in the window that opened the list, and to close the list.
local function map_files(buf, files)
  vim.keymap.set("n", "<CR>", function()
    local path = files[vim.fn.line(".")] or ""
    if path == "" then
      notify.notify("That chat no longer exists.", vim.log.levels.WARN)
      return
    end
    close(buf)
    M.go(path)
  end, { buffer = buf, nowait = true, desc = "Parley: open this chat" })
end

--- Opens lines in one window per title, replacing an earlier list.
local function open_lines(lines, options)
  local name = "parley://" .. options.title
  local known = require("parley.system.scratch").named(name)
  if known and vim.bo[known].buftype == "" then
    -- A session restored this buffer before Parley was loaded.
    vim.api.nvim_buf_delete(known, { force = true })
    known = nil
  end
  local buf = known or scratch(name)
  vim.bo[buf].modifiable = true
  -- Neovim rejects lines that contain a line break.
  lines = vim.split(table.concat(lines, "\n"), "\n", { plain = true })
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modified = false
  vim.bo[buf].modifiable = false
  local win = vim.fn.bufwinid(buf)
  if win > 0 then
    undisturbed.run(vim.api.nvim_set_current_win, win)
  else
    local is_placed = M.split()
    undisturbed.run(vim.api.nvim_win_set_buf, 0, buf)
    if not is_placed then
      -- As high as its contents, but leaves some rows for the window it is about.
      local rows = vim.api.nvim_win_text_height(0, {}).all + (options.files and 1 or 0)
      vim.api.nvim_win_set_height(0, math.min(rows, math.floor(vim.o.lines * most_of_screen)))
    end
  end
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  if options.files then
    map_files(buf, options.files)
    vim.wo[0][0].winbar = "<CR> opens, q closes"
  end
  if options.filetype and vim.bo[buf].filetype ~= options.filetype then
    undisturbed.run(vim.api.nvim_set_option_value, "filetype", options.filetype, { buf = buf })
  end
  if options.filetype == "markdown" then
    -- The text may come from servers and models. Nothing has been drawn yet.
    bounded.colour(buf, lines)
  end
end

--- Opens `what`: the path of a chat, or of another file, to show its end, or a list of lines. `options`: `title`, and
--- `filetype` for lines.
---@param what string|string[]
---@param options? { title: string, filetype?: string, files?: string[] }
function M.open(what, options)
  if type(what) == "table" then
    open_lines(what, options)
    return
  end
  local win = vim.iter(vim.api.nvim_tabpage_list_wins(0)):find(function(each)
    return vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(each)) == what
  end)
  if win then
    undisturbed.run(vim.api.nvim_set_current_win, win)
    vim.cmd("silent! checktime")
  else
    -- The last lines come from servers, and Neovim would evaluate modelines in them.
    local modeline = vim.go.modeline
    vim.go.modeline = false
    local ok, message = pcall(M.split, what)
    vim.go.modeline = modeline
    if not ok then
      error(message, 0)
    end
  end
  -- A chat has its own place for the cursor (doc/cursor.md, rule 7).
  if not chats.is_chat(vim.api.nvim_get_current_buf()) then
    vim.cmd("silent! normal! G")
  end
end

--- Whether a file can be opened in a window: not with 'winfixbuf', nor in another plugin's float or panel (a terminal,
--- news, a picker, a file tree), nor in the quickfix window. A float with a file is fine: zen-mode.nvim uses one for
--- editing.
local function is_for_files(win)
  local is_panel = vim.api.nvim_win_get_config(win).relative ~= ""
    or vim.wo[win].winfixwidth
    or vim.wo[win].winfixheight
  local is_text = vim.bo[vim.api.nvim_win_get_buf(win)].buftype == ""
  return not vim.wo[win].winfixbuf and (is_text or not is_panel)
end

--- Goes to a window for files: the previous one, else any. Returns whether there is one.
local function leave_others_window()
  local before = vim.fn.win_getid(vim.fn.winnr("#"))
  local wins = { vim.api.nvim_get_current_win(), before }
  for _, win in ipairs(vim.list_extend(wins, vim.api.nvim_tabpage_list_wins(0))) do
    if vim.api.nvim_win_is_valid(win) and is_for_files(win) then
      undisturbed.run(vim.api.nvim_set_current_win, win)
      return true
    end
  end
  return false
end

--- Opens a file in the current window, or with the command `how`, such as `split`. A file that is already there is left
--- alone: `:edit` would reload it, and fails with unsaved changes. Returns Neovim's reason when the file is not open.
---@param path string
---@param how? string
---@return string? refusal
function M.file(path, how)
  how = how or "edit"
  if wanted and how == "edit" then
    how = "split"
  end
  if how == "edit" and not leave_others_window() then
    how = "split"
  end
  if how == "edit" and is_here(path) then
    return nil
  end
  local function opens()
    if how == "split" then
      M.split(path)
    else
      vim.cmd({ cmd = how, args = { whole(path) }, magic = no_magic })
    end
  end
  local ok, message = pcall(system.interruptible, opens)
  ok = settle(ok, message)
  if not ok and not is_read(path) and undisturbed.is_theirs(message) then
    open_despite_failure(path)
    ok = is_read(path)
  end
  if ok then
    -- With <C-c> or "Quit" at the question about a swap file, for example.
    local is_open = message and is_shown(path)
    return not is_open and ("%s was not opened."):format(vim.fs.basename(path)) or nil
  end
  if is_read(path) then
    local reason = undisturbed.reason(notify.reason(message))
    local words = reason:find("E303:", 1, true) and "%s is open, without a swap file: %s"
      or "%s is open, but another plugin failed while it was opened: %s"
    notify.notify(words:format(vim.fs.basename(path), reason), vim.log.levels.WARN)
    open_despite_failure(path)
    return nil
  end
  return (
    notify.reason(message):gsub(" %(add ! to override%)", ". Write this one first, or :set hidden.")
  )
end

--- Like `M.file`, but tells the user why a file was not opened; returns whether it is open.
---@param path string
---@param how? string
---@return boolean
function M.go(path, how)
  local refusal = M.file(path, how)
  if refusal then
    notify.notify(refusal, vim.log.levels.ERROR)
  end
  return refusal == nil
end

--- Shows a loaded buffer in the current window, or in another one for files; tells the user why not, and returns
--- whether it is shown.
---@param buf integer
---@return boolean
function M.buffer(buf)
  if not leave_others_window() then
    M.split()
  end
  local ok, message = pcall(vim.cmd.buffer, buf)
  if not ok then
    notify.notify(notify.reason(message), vim.log.levels.ERROR)
  end
  return ok
end

--- Opens a URL outside Neovim: `{ status = "opened" }`, or `failed` with a message.
---@param address string
---@return { status: "opened"|"failed", message?: string }
function M.address(address)
  local ok, started, message = pcall(vim.ui.open, address, { cmd = system.opener() })
  if ok and not message then
    return { status = "opened" }
  end
  return { status = "failed", message = tostring(message or started) }
end

return M
