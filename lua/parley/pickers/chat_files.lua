--- What is done to the file of a chat: another name, or the trash. The host moves, the buffer follows.
local host = require("parley.host")
local notify = require("parley.messages.notify")

local M = {}

--- A chat that is open must be on disk before its file goes elsewhere. Says why when it cannot be.
local function saved(path)
  local buf = vim.fn.bufnr("^" .. vim.fn.escape(path, "[]*?{},\\^$") .. "$")
  if buf > 0 and vim.api.nvim_buf_is_loaded(buf) and vim.bo[buf].modified then
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

--- Asks for another name and moves the chat there.
---@param path string
function M.rename(path)
  local name = vim.fn.fnamemodify(path, ":t:r")
  vim.ui.input({ prompt = "Name of the chat: ", default = name }, function(given)
    given = given and vim.trim(given) or ""
    if given == "" or given == name or not saved(path) then
      return
    end
    local file = given:find("%.md$") and given or given .. ".md"
    local to = vim.fs.normalize(vim.fs.joinpath(vim.fs.dirname(path), file))
    host.send({ action = "chat_move", path = path, to = to })
  end)
end

--- Puts a chat into the trash, after a yes.
---@param path string
function M.delete(path)
  local prompt = ("Delete %s? It goes to the trash folder."):format(vim.fn.fnamemodify(path, ":t"))
  vim.ui.select({ "No", "Yes" }, { prompt = prompt }, function(choice)
    if choice == "Yes" and saved(path) then
      host.send({ action = "chat_move", path = path })
    end
  end)
end

--- The host moved a chat: its buffer follows, or goes when the chat was deleted.
---@param from string
---@param to string
---@param is_deleted boolean
function M.moved(from, to, is_deleted)
  local old_undo, new_undo = vim.fn.undofile(from), vim.fn.undofile(to)
  if vim.uv.fs_stat(old_undo) then
    vim.uv.fs_rename(old_undo, new_undo)
  end
  local buf = vim.fn.bufnr("^" .. vim.fn.escape(from, "[]*?{},\\^$") .. "$")
  if buf > 0 and is_deleted then
    vim.api.nvim_buf_delete(buf, { force = true })
  elseif buf > 0 and vim.api.nvim_buf_is_loaded(buf) then
    vim.api.nvim_buf_call(buf, function()
      vim.cmd("silent keepalt file " .. vim.fn.fnameescape(to))
      local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
      if vim.deep_equal(lines, vim.fn.readfile(to)) then
        -- Neovim takes the file for its own again, and undo knows of nothing.
        vim.cmd("silent write!")
      else
        -- Links into its files folder changed with the name.
        vim.cmd("silent edit!")
      end
    end)
  end
  local words = is_deleted and "%s is in the trash now: %s" or "%s is now %s"
  notify.notify(
    words:format(vim.fn.fnamemodify(from, ":t"), vim.fn.fnamemodify(to, ":~")),
    vim.log.levels.INFO
  )
end

return M
