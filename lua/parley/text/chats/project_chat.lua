--- Remembers the last chat used from each working directory: one small file in the state folder for each directory.
local chats = require("parley.text.chats")
local notes = require("parley.text.chats.notes")

local M = {}

--- By the file of a directory: the buffer of its last chat in this Neovim, which may have no file yet.
---@type table<string, integer>
local recent = {}

local function note()
  local folder = vim.o.autochdir and chats.folder() or vim.fn.getcwd()
  local name = vim.fn.sha256(folder) .. ".txt"
  return vim.fs.joinpath(vim.fn.stdpath("state"), "parley", "last-chats", name)
end

local function read(file)
  local lines = notes.read(file, 1)
  return lines and lines[1]
end

--- Remembers the buffer's chat for the working directory until Neovim ends: one that was begun, or asked nothing yet.
---@param buf integer
function M.use(buf)
  recent[note()] = buf
end

--- Remembers the buffer's chat for the working directory.
---@param buf integer
function M.remember(buf)
  M.use(buf == 0 and vim.api.nvim_get_current_buf() or buf)
  local path = vim.api.nvim_buf_get_name(buf)
  if path == "" or path:find("\n") then
    return
  end
  local file = note()
  -- Writing a file can take tens of milliseconds on a busy disk, and most questions go to the same chat.
  if read(file) == path then
    return
  end
  -- If the note cannot be written, the next question goes to a new chat.
  notes.write(file, { path })
end

--- Returns the path of that chat; nil without one, or when it is gone.
---@return string?
function M.last()
  local file = note()
  local buf = recent[file]
  if buf and chats.is_loaded(buf) then
    return vim.api.nvim_buf_get_name(buf)
  end
  local path = read(file)
  return path and vim.uv.fs_stat(path) and path or nil
end

return M
