--- The life of a chat: what happens to its buffer from its opening to its end.
local chats = require("parley.text.chats")
local colours = require("parley.colours")
local config = require("parley.config")
local encoding = require("parley.text.file.encoding")
local highlights = require("parley.screen.highlights")
local host = require("parley.host")
local maps = require("parley.keys.maps")
local save = require("parley.text.file.save")
local system = require("parley.system")

local M = {}

local group = vim.api.nvim_create_augroup("parley.chat", {})

--- By buffer: chats whose first screen is drawn, and with it what is loaded and done after it.
local settled = {}
--- By buffer: chats that were read, as other plugins do, before a window showed them.
local unseen = {}

--- Takes down what the host has drawn.
local function clear(buf)
  require("parley.screen.show").clear(buf)
  require("parley.keys.approval_maps").remove(buf)
end

local function leave(buf)
  chats.remove(buf)
  settled[buf], unseen[buf] = nil, nil
  host.tell_running({ action = "detach", buf = buf })
  require("parley.screen.streaming").close_all(buf)
  clear(buf)
  save.forget(buf)
  require("parley.text.undo").forget(buf)
  maps.unset(buf)
  require("parley.pickers.complete").detach(buf)
  highlights.detach(buf)
  colours.detach(buf)
  if not chats.any() then
    local events = { "DirChanged", "UILeave", "WinResized" }
    vim.api.nvim_clear_autocmds({ group = group, event = events })
    require("parley.refold").stop()
  end
end

local function watch(buf)
  vim.api.nvim_clear_autocmds({ group = group, buffer = buf })
  local function on(events, callback)
    vim.api.nvim_create_autocmd(events, { group = group, buffer = buf, callback = callback })
  end
  -- `:e!` unloads a text in a window that stays, and asks for what the file has.
  local is_shown = #chats.windows(buf) > 0
  on({ "BufWinEnter", "BufWinLeave" }, function(event)
    is_shown = event.event == "BufWinEnter"
  end)
  on("BufUnload", function()
    if not is_shown and require("parley.text.tip").is_open(buf) then
      save.keep_answer(buf)
    end
    -- `:e!` unloads and loads again; the host need not lose its session for that.
    vim.schedule(function()
      if chats.is_chat(buf) and not vim.api.nvim_buf_is_loaded(buf) then
        leave(buf)
      end
    end)
  end)
  on("BufWipeout", function()
    -- A buffer without a name that is written into a file goes on, and all that followed its events is taken away.
    vim.schedule(function()
      if chats.is_loaded(buf) then
        chats.set_by_hand(vim.api.nvim_buf_get_name(buf), true)
        M.attach(buf, true)
        require("parley.keys.approval_maps").refresh(buf)
      end
    end)
  end)
  on("BufReadPost", function()
    if chats.is_chat(buf) then
      M.attach(buf)
    end
  end)
  on("BufFilePost", function()
    if chats.is_chat(buf) then
      M.attach(buf, true)
    end
  end)
  on("BufWritePost", function()
    save.look(buf)
    host.tell_running({ action = "saved", buf = buf })
  end)
  -- Not every write tells: what an autocommand writes that is not nested shows here alone.
  on({ "FileChangedShellPost", "BufModifiedSet" }, function(event)
    if vim.bo[buf].modified then
      save.part(buf)
    elseif save.look(buf) and event.event == "BufModifiedSet" then
      host.tell_running({ action = "saved", buf = buf })
    end
  end)
  on("BufEnter", function()
    chats.visit(buf)
  end)
  on("FileType", function()
    -- What Neovim maps in Markdown, such as gO, comes with the file type.
    if chats.is_chat(buf) then
      maps.set(buf)
      colours.look(buf)
    end
  end)
  on("BufWinEnter", function()
    highlights.wrap(buf)
    if settled[buf] then
      require("parley.screen.folds.unfolded").attach(buf)
    end
    if unseen[buf] then
      unseen[buf] = nil
      vim.schedule(function()
        require("parley.screen.cursor.opened").to_question(buf)
      end)
    end
  end)
end

local function follow_working_directory()
  local function tell()
    host.tell_running({ action = "cwd", cwd = chats.folder() })
  end
  vim.api.nvim_create_autocmd("DirChanged", { group = group, callback = tell })
  -- It may have changed while there was no chat.
  tell()
end

--- What stands below a call is broken at the window's width, so another width is drawn anew.
local function follow_widths()
  vim.api.nvim_create_autocmd("WinResized", {
    group = group,
    callback = function()
      for _, buf in ipairs(chats.list()) do
        if vim.fn.bufwinid(buf) >= 0 then
          host.tell_running(chats.attach_message(buf))
        end
      end
    end,
  })
end

--- A terminal that is closed takes Neovim with it, which leaves what is not saved to the swap file. The oldest ones end
--- in the middle of the write.
local function follow_screens()
  if vim.fn.has("nvim-0.12") == 0 then
    return
  end
  vim.api.nvim_create_autocmd("UILeave", {
    group = group,
    callback = function()
      for _, each in ipairs(require("parley.text.tip").list()) do
        save.keep_answer(each.buf)
      end
    end,
  })
end

--- What stops a turn from outside of the chat.
local function listen()
  require("parley.messages.progress").on_cancel(function(buf)
    host.tell_running({ action = "stop", buf = buf })
  end)
end

--- Does what neither the first screen of a chat nor its host needs at once.
local function finish(buf)
  if chats.is_loaded(buf) then
    -- What an .editorconfig says is set behind our own reading.
    encoding.settle(buf)
    listen()
    save.recover(buf)
    require("parley.config.own_keys").tell(require("parley.messages.notify").notify)
    require("parley.pickers.complete").attach(buf)
    require("parley.screen.folds.unfolded").attach(buf)
    require("parley.refold").follow_plugins(buf)
    require("parley.refold").follow_columns()
    -- What the first key would wait for otherwise.
    system.after_keys(function()
      require("parley.text.chats.chat_name")
      require("parley.text.chats.project_chat")
      require("parley.text.turns")
    end)
  end
end

--- Does for a chat what its first screen does not need.
local function settle(buf)
  if chats.is_loaded(buf) then
    settled[buf] = true
    -- One that runs was told at once: whatever is asked of it comes after that.
    if not host.channel() then
      host.send(chats.attach_message(buf))
    end
    system.after_keys(function()
      finish(buf)
    end)
  end
end

--- Settles a chat when it is drawn: what that takes is not loaded before.
local function settle_soon(buf, is_known)
  vim.schedule(function()
    if chats.is_loaded(buf) and not is_known then
      unseen[buf] = #chats.windows(buf) == 0 or nil
      require("parley.screen.cursor.opened").to_question(buf)
    end
    system.after_keys(function()
      if not settled[buf] then
        settle(buf)
      end
    end)
  end)
end

--- Makes a buffer a chat, or tells the host that it was reloaded or renamed.
---@param buf integer
---@param is_renamed? boolean
function M.attach(buf, is_renamed)
  local known = chats.get(buf)
  if not chats.any() then
    follow_working_directory()
    follow_widths()
    follow_screens()
    require("parley.refold").follow_diffs()
  end
  local path, modeline = vim.api.nvim_buf_get_name(buf), vim.bo[buf].modeline
  if known then
    modeline = known.modeline
  end
  chats.add(buf, { path = path, modeline = modeline })
  if buf == vim.api.nvim_get_current_buf() and vim.fn.win_gettype() ~= "autocmd" then
    chats.visit(buf)
  end
  -- The last lines are a model's, and Neovim obeys modelines after it has told of the reading.
  vim.bo[buf].modeline = false
  if is_renamed then
    -- What is in a file of the new name was never read.
    save.look(buf)
  else
    save.record(buf)
  end
  watch(buf)
  maps.set(buf)
  require("parley.keys.renew").follow_servers(buf)
  highlights.attach(buf)
  colours.attach(buf)
  if vim.wo.foldmethod ~= "manual" and require("parley.screen.folds").is_wanted() then
    -- The first screen would be folded in that other way, and open a moment later.
    require("parley.screen.folds").attach(buf)
  end
  if host.channel() then
    host.send(chats.attach_message(buf))
  end
  if settled[buf] then
    settle(buf)
  else
    settle_soon(buf, known ~= nil)
  end
  if not known then
    local data = { buf = buf, path = path }
    vim.api.nvim_exec_autocmds("User", { pattern = "ParleyAttach", modeline = false, data = data })
  end
end

--- `:Parley attach`: this buffer is a chat whatever its place.
---@param buf integer
function M.attach_by_hand(buf)
  chats.set_by_hand(vim.api.nvim_buf_get_name(buf), true)
  if not chats.is_chat(buf) then
    -- Long open, the file may have changed since it was read.
    vim.cmd("silent! checktime " .. buf)
    M.attach(buf)
  end
end

--- `:Parley detach`: until it is opened again, the buffer is plain Markdown.
---@param buf integer
function M.detach(buf)
  local chat = chats.get(buf)
  if not chat then
    return
  end
  chats.set_by_hand(vim.api.nvim_buf_get_name(buf), false)
  vim.api.nvim_clear_autocmds({ group = group, buffer = buf })
  vim.bo[buf].modeline = chat.modeline
  leave(buf)
  chats.visit(nil)
  require("parley.screen.folds.unfolded").detach(buf)
end

--- However an answer ends, it is saved. Neovim may be ending, too: what a person gave up by that is not to be saved.
local function save_answers()
  for _, each in ipairs(vim.v.exiting == vim.NIL and require("parley.text.tip").list() or {}) do
    local result = save.save(each.buf)
    if result.message then
      require("parley.messages.notify").notify(result.message, vim.log.levels.ERROR)
    end
  end
end

-- What a host that is gone has drawn goes too; another one counts its undo steps from the beginning again.
host.on_gone(function()
  save_answers()
  require("parley.screen.streaming").close_all()
  for _, buf in ipairs(chats.list()) do
    clear(buf)
    require("parley.text.undo").forget(buf)
  end
end)

-- The first use of a checkout builds the host, which takes a while: the question says so.
require("parley.host.queue").on_waiting(function(buf, line, built_since)
  local show = require("parley.screen.show")
  if line and built_since then
    show.wait(buf, line, "building Parley (only once), then answering", built_since)
  elseif line then
    show.wait(buf, line, "starting Parley, then answering", vim.uv.hrtime() / 1e6)
  else
    show.clear(buf)
  end
end)

--- Applies changed options to the chats that are open.
function M.refresh()
  for _, buf in ipairs(chats.list()) do
    require("parley.keys.renew").renew(buf)
    colours.look(buf)
  end
end

--- Opens a dated file in the first chat folder, with the cursor where the question begins. It gets its name when it is
--- first written or answered.
---@return integer? buf
---@return string? refusal why Neovim does not open it
function M.new()
  -- Kept before the chat is current: with 'autochdir' its folder would be the working one.
  chats.folder()
  local folder = config.chat_dirs()[1]
  local seconds, microseconds = vim.uv.gettimeofday()
  local name = ("%s.%03d.md"):format(
    os.date("%Y-%m-%d.%H-%M-%S", seconds),
    math.floor(microseconds / 1000)
  )
  local is_made, why = pcall(vim.fn.mkdir, folder, "p")
  if not is_made then
    local reason = require("parley.messages.notify").reason(why)
    return nil, ("The chat folder cannot be made (%s). Set chat_dir to another."):format(reason)
  end
  local refusal = require("parley.screen.windows.open").file(vim.fs.joinpath(folder, name))
  if refusal then
    return nil, refusal
  end
  local buf = vim.api.nvim_get_current_buf()
  -- None of it is a change of the person's: nothing to save when they leave, nor to undo.
  local undolevels = vim.bo[buf].undolevels
  vim.bo[buf].undolevels = -1
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, { "---", "topic: ?", "---", "", "💬: " })
  vim.bo[buf].undolevels = undolevels
  vim.bo[buf].modified = false
  vim.api.nvim_win_set_cursor(0, { 5, #"💬: " })
  require("parley.text.chats.chat_name").watch(buf)
  M.attach(buf)
  settle(buf)
  if vim.bo[buf].filetype == "" then
    -- A plugin manager that loads plugins by the first new file of a type loses the type over it (lazy.nvim).
    vim.bo[buf].filetype = "markdown"
  end
  vim.cmd.startinsert({ bang = true })
  return buf
end

return M
