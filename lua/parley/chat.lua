--- The lifecycle of a chat buffer, from the moment it is attached until it is unloaded or detached.
local chats = require("parley.text.chats")
local colours = require("parley.colours")
local config = require("parley.config")
local encoding = require("parley.text.file.encoding")
local highlights = require("parley.screen.highlights")
local host = require("parley.host")
local maps = require("parley.keys.maps")
local markers = require("parley.text.markers")
local save = require("parley.text.file.save")
local system = require("parley.system")

local M = {}

local group = vim.api.nvim_create_augroup("parley.chat", {})

--- By buffer: true once the first screen is drawn and the work that could wait for it has started.
local settled = {}
--- By buffer: true for chats that another plugin loaded before any window showed them.
local unseen = {}

--- Removes everything that the host has drawn.
local function clear(buf)
  require("parley.screen.show").clear(buf)
  require("parley.keys.approval_maps").remove(buf)
end

local function leave(buf)
  chats.remove(buf)
  settled[buf], unseen[buf] = nil, nil
  host.send_if_running({ action = "detach", buf = buf })
  clear(buf)
  if not vim.api.nvim_buf_is_loaded(buf) then
    require("parley.screen.streaming").close_all(buf)
    save.forget(buf)
  end
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
  -- `:e!` unloads the text while its window stays: the user wants the file's text, so the answer is not kept.
  local is_shown = #chats.windows(buf) > 0
  on({ "BufWinEnter", "BufWinLeave" }, function(event)
    is_shown = event.event == "BufWinEnter"
  end)
  on("BufUnload", function()
    if not is_shown and require("parley.text.tip").is_open(buf) then
      save.keep_answer(buf)
    end
    -- `:e!` unloads and loads again; the host keeps its session in that case.
    vim.schedule(function()
      if chats.is_chat(buf) and not vim.api.nvim_buf_is_loaded(buf) then
        leave(buf)
      end
    end)
  end)
  on("BufWipeout", function()
    -- Neovim sends BufWipeout when an unnamed buffer is written to a file. The buffer survives, but its autocommands do
    -- not.
    vim.schedule(function()
      if chats.is_loaded(buf) then
        chats.set_by_hand(vim.api.nvim_buf_get_name(buf), true)
        M.attach(buf)
        require("parley.keys.approval_maps").refresh(buf)
      end
    end)
  end)
  on("BufReadPost", function()
    if chats.is_chat(buf) then
      M.attach(buf, true)
    end
  end)
  on("BufFilePost", function()
    if chats.is_chat(buf) then
      M.attach(buf)
    end
  end)
  on("BufWritePost", function()
    save.look(buf)
    host.send_if_running({ action = "saved", buf = buf })
  end)
  -- BufWritePost does not always come: a write from an autocommand without `nested` only shows up in these events.
  on({ "FileChangedShellPost", "BufModifiedSet" }, function(event)
    if vim.bo[buf].modified then
      save.part(buf)
    elseif save.look(buf) and event.event == "BufModifiedSet" then
      host.send_if_running({ action = "saved", buf = buf })
    end
  end)
  on("BufEnter", function()
    chats.visit(buf)
  end)
  on("FileType", function()
    -- Neovim's own Markdown maps, such as gO, are set with the file type and would override ours.
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
  local function send_folder()
    host.send_if_running({ action = "cwd", cwd = chats.folder() })
  end
  vim.api.nvim_create_autocmd("DirChanged", { group = group, callback = send_folder })
  -- The directory may have changed while no chat was open.
  send_folder()
end

--- The lines below a call are wrapped at the window's width, so the host draws them again when the width changes.
local function follow_widths()
  vim.api.nvim_create_autocmd("WinResized", {
    group = group,
    callback = function()
      for _, buf in ipairs(chats.list()) do
        if vim.fn.bufwinid(buf) >= 0 then
          host.send_if_running(chats.attach_message(buf))
        end
      end
    end,
  })
end

--- Closing the terminal ends Neovim and leaves unsaved text to the swap file, so answers are saved when the UI leaves.
--- Neovim before 0.12 would exit in the middle of that write.
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

--- Stops a turn when it is cancelled outside the chat, in the progress display.
local function listen()
  require("parley.messages.progress").on_cancel(function(buf)
    host.send_if_running({ action = "stop", buf = buf })
  end)
end

--- Does the work that neither the first screen nor the host needs immediately.
local function finish(buf)
  if chats.is_loaded(buf) then
    -- Neovim applies .editorconfig after our own detection, so the encoding is set again here.
    encoding.settle(buf)
    listen()
    save.recover(buf)
    require("parley.config.own_keys").tell(require("parley.messages.notify").notify)
    require("parley.pickers.complete").attach(buf)
    require("parley.screen.folds.unfolded").attach(buf)
    require("parley.screen.cursor.behind_marker").watch()
    require("parley.refold").follow_plugins(buf)
    require("parley.refold").follow_columns()
    -- Loaded now so that the first key press does not wait for it.
    system.after_keys(function()
      require("parley.text.chats.chat_name")
      require("parley.text.chats.project_chat")
      require("parley.text.turns")
    end)
  end
end

--- Does the work for a chat that its first screen does not need.
local function settle(buf)
  if chats.is_loaded(buf) then
    settled[buf] = true
    -- A running host was told in `attach`, before any request could follow.
    if not host.channel() then
      host.send(chats.attach_message(buf))
    end
    system.after_keys(function()
      finish(buf)
    end)
  end
end

--- Settles a chat once it has been drawn, so that loading that code does not delay the first screen.
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
---@param was_read? boolean its file was, in this very moment
function M.attach(buf, was_read)
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
  -- The last lines come from a model, and Neovim evaluates modelines after BufReadPost.
  vim.bo[buf].modeline = false
  if was_read then
    save.record(buf)
    -- The host has not looked at this text yet. It decides by the file whether another program wrote it, so nothing is
    -- saved ahead until it says the status again.
    vim.b[buf].parley_status = nil
  else
    -- A file under a new name was never read, and one read long ago may have changed.
    save.meet(buf)
  end
  watch(buf)
  maps.set(buf)
  require("parley.keys.renew").follow_servers(buf)
  highlights.attach(buf)
  colours.attach(buf)
  if vim.wo.foldmethod ~= "manual" and require("parley.screen.folds").is_wanted() then
    -- Otherwise the first screen would appear folded by the other 'foldmethod' and unfold a moment later.
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

--- `:Parley attach`: makes this buffer a chat, wherever its file is.
---@param buf integer
function M.attach_by_hand(buf)
  chats.set_by_hand(vim.api.nvim_buf_get_name(buf), true)
  if not chats.is_chat(buf) then
    -- The buffer may have been open for long, and its file changed since.
    vim.cmd("silent! checktime " .. buf)
    M.attach(buf)
  end
end

--- `:Parley detach`: the buffer is plain Markdown until it is opened again. The host stops an answer under way, and
--- saves it, so what is known of the file is kept until then.
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
  vim.api.nvim_create_autocmd("BufUnload", {
    group = group,
    buffer = buf,
    once = true,
    callback = function()
      save.forget(buf)
    end,
  })
  chats.visit(nil)
  require("parley.screen.folds.unfolded").detach(buf)
end

--- Saves answers that were still streaming. Not while Neovim exits: with `:qa!` the user chose to discard them.
local function save_answers()
  for _, each in ipairs(vim.v.exiting == vim.NIL and require("parley.text.tip").list() or {}) do
    local result = save.save(each.buf)
    if result.message then
      require("parley.messages.notify").notify(result.message, vim.log.levels.ERROR)
    end
  end
end

-- When the host is gone, its drawings go too. The next host starts to count undo steps from the beginning.
host.on_gone(function()
  save_answers()
  require("parley.screen.streaming").close_all()
  for _, buf in ipairs(chats.list()) do
    clear(buf)
    require("parley.text.undo").forget(buf)
  end
end)

-- The first use of a checkout builds the host, which takes a while; the question shows that.
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

--- Opens a dated file in the first chat folder, with the cursor where the question begins. The file gets its final name
--- when it is first written or answered.
---@return integer? buf
---@return string? refusal why Neovim does not open it
function M.new()
  -- Remembered before the chat becomes current: with 'autochdir' its folder would become the working directory.
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
    return nil, ("The chat folder cannot be created (%s). Set chat_dir to another."):format(reason)
  end
  local refusal = require("parley.screen.windows.open").file(vim.fs.joinpath(folder, name))
  if refusal then
    return nil, refusal
  end
  local buf = vim.api.nvim_get_current_buf()
  -- The template is not a change of the user's: it must not count as modified or be undone.
  local undolevels = vim.bo[buf].undolevels
  vim.bo[buf].undolevels = -1
  local lines = { "---", "topic: ?", "---", "", markers.next_question }
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].undolevels = undolevels
  vim.bo[buf].modified = false
  vim.api.nvim_win_set_cursor(0, { 5, #markers.next_question })
  require("parley.text.chats.chat_name").watch(buf)
  M.attach(buf)
  require("parley.text.chats.project_chat").use(buf)
  settle(buf)
  require("parley.screen.hint").show(buf, 4)
  if vim.bo[buf].filetype == "" then
    -- lazy.nvim loses the file type when the first new file of a type makes it load plugins.
    vim.bo[buf].filetype = "markdown"
  end
  vim.cmd.startinsert({ bang = true })
  return buf
end

return M
