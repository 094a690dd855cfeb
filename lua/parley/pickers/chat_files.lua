--- Renames, moves, tags and deletes chat files. The host moves the file; the buffer follows.
local disk = require("parley.text.file.disk")
local host = require("parley.host")
local notify = require("parley.messages.notify")
local prompts = require("parley.messages.prompts")
local system = require("parley.system")
local undisturbed = require("parley.system.undisturbed")

local M = {}

--- Returns the buffer of a chat that is open here.
---@param path string
---@return integer?
local function loaded(path)
  local buf = system.buffer_of(path)
  return buf and vim.api.nvim_buf_is_loaded(buf) and buf or nil
end

--- A chat that is open must be on disk before its file goes elsewhere. Says why when it cannot be.
local function saved(buf)
  local path = vim.api.nvim_buf_get_name(buf)
  if not vim.bo[buf].modified and vim.uv.fs_stat(path) then
    return true
  end
  local ok, message = pcall(vim.api.nvim_buf_call, buf, function()
    vim.cmd("silent write")
  end)
  if not ok then
    local words = "%s could not be saved, so it stays where it is: %s"
    notify.notify(words:format(path, notify.reason(message)), vim.log.levels.ERROR)
  end
  return ok
end

--- Has the host move the chat into `folder`, or give it the `name`; without either, to the trash.
---@param path string
---@param target { folder?: string, name?: string }
local function send_move(path, target)
  local buf = loaded(path)
  if buf and not saved(buf) then
    return
  end
  if buf then
    -- The first write of a new chat gives it another name. After this one its name is what the user says.
    path = vim.api.nvim_buf_get_name(buf)
    vim.b[buf].parley_new_chat = nil
  end
  host.send({
    action = "chat_move",
    path = path,
    folder = target.folder,
    name = target.name,
    tick = buf and vim.api.nvim_buf_get_changedtick(buf),
  })
end

---@class parley.ChatFileOptions
---@field given? string in place of asking
---@field tags? string those it has

--- Calls `act` with the given value, or else with what the user types.
---@param options? parley.ChatFileOptions
local function with_input(options, input, act)
  if options and options.given then
    act(vim.trim(options.given))
    return
  end
  prompts.input(input, function(typed)
    if typed then
      act(vim.trim(typed))
    end
  end)
end

--- Asks for a new name and renames the chat.
---@param path string
---@param options? parley.ChatFileOptions
function M.rename(path, options)
  local name = vim.fn.fnamemodify(path, ":t:r")
  with_input(options, { prompt = "Name of the chat: ", default = name }, function(given)
    if given ~= "" then
      send_move(path, { name = given })
    end
  end)
end

local function move_to(path, folder)
  folder = vim.fs.normalize(vim.fn.fnamemodify(vim.fs.normalize(folder), ":p")):gsub("(.)/$", "%1")
  if folder == vim.fs.dirname(path) then
    notify.notify("The chat is already in that folder.", vim.log.levels.INFO)
  else
    send_move(path, { folder = folder })
  end
end

--- Asks for a folder (a chat folder or any other) and moves the chat there.
---@param path string
---@param options? parley.ChatFileOptions
function M.move(path, options)
  local here = vim.fs.dirname(path)
  local function ask()
    local input = { prompt = "Folder for the chat: ", default = here .. "/", completion = "dir" }
    with_input(options, input, function(folder)
      if folder ~= "" then
        move_to(path, folder)
      end
    end)
  end
  local folders = vim.tbl_filter(function(folder)
    return folder ~= here
  end, require("parley.config").chat_dirs())
  if #folders == 0 or (options and options.given) then
    ask()
    return
  end
  local another = "Another folder…"
  local items = vim.list_extend(folders, { another })
  prompts.select(items, { prompt = "Folder for the chat" }, function(choice)
    if choice == another then
      ask()
    elseif choice then
      move_to(path, choice)
    end
  end)
end

--- Asks for all tags of the chat; an empty answer removes them.
---@param path string
---@param options? parley.ChatFileOptions
function M.tag(path, options)
  local tags = options and options.tags or ""
  with_input(options, { prompt = "Tags of the chat: ", default = tags }, function(given)
    if given ~= tags then
      host.send({ action = "chat_tags", path = path, tags = given })
    end
  end)
end

--- Moves a chat to the trash, after confirmation.
---@param path string
function M.delete(path)
  local prompt = ("Delete %s? It goes to the trash folder."):format(vim.fn.fnamemodify(path, ":t"))
  prompts.select({ "No", "Yes" }, { prompt = prompt }, function(choice)
    if choice == "Yes" then
      send_move(path, {})
    end
  end)
end

--- Removes the buffer. Its windows show what was used before it: Neovim keeps, without an error, a buffer in the only
--- window below a floating one, as the list of chats is.
local function remove(buf)
  local windows = vim.fn.win_findbuf(buf)
  if #windows > 0 then
    local others = vim.tbl_filter(function(other)
      return other.bufnr ~= buf
    end, vim.fn.getbufinfo({ buflisted = 1 }))
    table.sort(others, function(one, two)
      return one.lastused > two.lastused
    end)
    local other = others[1] and others[1].bufnr
      or undisturbed.run(vim.api.nvim_create_buf, true, false)
    for _, win in ipairs(windows) do
      -- Fails where 'winfixbuf' is set; such a window closes.
      pcall(undisturbed.run, vim.api.nvim_win_set_buf, win, other)
    end
  end
  undisturbed.run(vim.api.nvim_buf_delete, buf, { force = true })
end

--- Gives the buffer the name of a file that was not there, and the place of an empty buffer that has that name.
local function take_name(buf, path)
  local other = system.buffer_of(path)
  if other and other ~= buf and not vim.bo[other].modified then
    for _, win in ipairs(vim.fn.win_findbuf(other)) do
      undisturbed.run(vim.api.nvim_win_set_buf, win, buf)
    end
    undisturbed.run(vim.api.nvim_buf_delete, other, { force = true })
  end
  system.name_buffer(buf, path)
end

--- Goes on with the file at `to`. A text that changed after `tick` is written there. Else the file is read, where links
--- in it have changed; where none have, writing leaves the undo history as it is.
---@param buf integer
---@param to string
---@param tick? integer
---@return boolean is_done
---@return boolean is_newer whether the text was written
local function follow(buf, to, tick)
  local is_newer = vim.bo[buf].modified or vim.api.nvim_buf_get_changedtick(buf) ~= tick
  local ok, message = pcall(function()
    take_name(buf, to)
    vim.api.nvim_buf_call(buf, function()
      -- Writing makes Neovim accept the new file as its own.
      local writes = is_newer or disk.is_added_to(buf, to)
      undisturbed.finish(vim.cmd, writes and "silent write!" or "silent edit!")
    end)
  end)
  if not ok then
    local words =
      "The file is %s now, but this buffer could not follow, so its text is not saved yet: %s"
    notify.notify(words:format(to, notify.reason(message)), vim.log.levels.ERROR)
  end
  return ok, ok and is_newer
end

--- Handles a chat that the host moved: its buffer follows, and is removed then when the chat was deleted.
---@param from string
---@param to string
---@param tick? integer the changedtick of the text that was saved before
---@param is_deleted boolean
---@return { has_all: boolean, is_newer: boolean } see `chat_moved` in src/host/lua-calls.ts
function M.moved(from, to, tick, is_deleted)
  require("parley.text.undo").move_file(from, to)
  local buf = loaded(from)
  local has_all, is_done, is_newer = buf ~= nil and disk.state(buf) == "known", true, false
  if buf then
    is_done, is_newer = follow(buf, to, tick)
  end
  has_all = has_all and is_done
  if has_all then
    -- At once, so that nobody opens the old file again before the host removes it.
    vim.uv.fs_unlink(from)
  end
  buf = buf or system.buffer_of(from)
  if buf and is_deleted and is_done then
    remove(buf)
  end
  local words = is_deleted and "%s is in the trash now: %s" or "%s is now %s"
  notify.notify(
    words:format(vim.fn.fnamemodify(from, ":t"), vim.fn.fnamemodify(to, ":~")),
    vim.log.levels.INFO
  )
  return { has_all = has_all, is_newer = is_newer }
end

--- The host wrote the file of a chat that was not open. It may have been opened in that moment, with the text before.
---@param path string
function M.rewritten(path)
  local buf = loaded(path)
  if buf then
    require("parley.text.file.save").reread(buf)
  end
end

return M
