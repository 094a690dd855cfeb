--- Renames, moves, tags and deletes chat files. The host moves the file; the buffer follows.
local host = require("parley.host")
local notify = require("parley.messages.notify")
local prompts = require("parley.messages.prompts")
local system = require("parley.system")

local M = {}

--- A chat that is open must be on disk before its file goes elsewhere. Says why when it cannot be.
local function saved(path)
  local buf = system.buffer_of(path)
  if buf and vim.api.nvim_buf_is_loaded(buf) and vim.bo[buf].modified then
    local ok, message = pcall(vim.api.nvim_buf_call, buf, function()
      vim.cmd("silent write")
    end)
    if not ok then
      notify.notify(
        ("%s could not be saved, so it stays where it is: %s"):format(path, message),
        vim.log.levels.ERROR
      )
      return false
    end
  end
  return true
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
    if given ~= "" and saved(path) then
      host.send({ action = "chat_move", path = path, name = given })
    end
  end)
end

local function move_to(path, folder)
  folder = vim.fs.normalize(vim.fn.fnamemodify(vim.fs.normalize(folder), ":p")):gsub("(.)/$", "%1")
  if folder == vim.fs.dirname(path) then
    notify.notify("The chat is already in that folder.", vim.log.levels.INFO)
  elseif saved(path) then
    local to = vim.fs.joinpath(folder, vim.fs.basename(path))
    host.send({ action = "chat_move", path = path, to = to })
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
    if choice == "Yes" and saved(path) then
      host.send({ action = "chat_move", path = path })
    end
  end)
end

--- Handles a chat that the host moved: its buffer follows, or is removed when the chat was deleted.
---@param from string
---@param to string
---@param is_deleted boolean
function M.moved(from, to, is_deleted)
  require("parley.text.undo").move_file(from, to)
  local buf = system.buffer_of(from)
  if buf and is_deleted then
    vim.api.nvim_buf_delete(buf, { force = true })
  elseif buf and vim.api.nvim_buf_is_loaded(buf) then
    system.name_buffer(buf, to)
    vim.api.nvim_buf_call(buf, function()
      if require("parley.text.file.disk").is_added_to(buf, to) then
        -- Writing makes Neovim accept the new file as its own, with text typed meanwhile, and leaves the undo history.
        vim.cmd("silent write!")
      elseif not vim.bo[buf].modified then
        -- Links into the chat's files folder have changed with its name.
        vim.cmd("silent edit!")
      end
      -- Otherwise buffer and file differ, and Neovim asks at the next write.
    end)
  end
  local words = is_deleted and "%s is in the trash now: %s" or "%s is now %s"
  notify.notify(
    words:format(vim.fn.fnamemodify(from, ":t"), vim.fn.fnamemodify(to, ":~")),
    vim.log.levels.INFO
  )
end

return M
