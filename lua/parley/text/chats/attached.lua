--- Files outside of the chat folders that are chats because the person said so, and those that they were told of: one
--- small file in the state folder for each answer.
local M = {}

---@alias parley.Attached "file"|"folder"|"told"

local function folder_of_notes()
  return vim.fs.joinpath(vim.fn.stdpath("state"), "parley", "attached")
end

local real = require("parley.system").real

local function note(path)
  return vim.fs.joinpath(folder_of_notes(), vim.fn.sha256(path) .. ".txt")
end

--- What was said of exactly this path: its first line says what, the second of which path.
---@return parley.Attached?
local function said(path)
  local is_read, lines = pcall(vim.fn.readfile, note(path), "", 2)
  return is_read and lines[2] == path and lines[1] or nil
end

--- Keeps what was said of the path; nil forgets it.
---@param path string
---@param what parley.Attached?
function M.say(path, what)
  path = real(path)
  if path:find("\n") then
    return
  end
  if not what then
    vim.uv.fs_unlink(note(path))
    return
  end
  -- Without the note the answer holds until the file is opened again.
  pcall(vim.fn.mkdir, folder_of_notes(), "p", "0700")
  pcall(vim.fn.writefile, { what, path }, note(path))
end

--- Whether the person said that this very file is a chat.
---@param path string
---@return boolean
function M.is_file(path)
  return said(real(path)) == "file"
end

--- The folder around the file, near or far, whose chats the person wants to be chats; nil when there is none.
---@param path string
---@return string?
function M.folder(path)
  for folder in vim.fs.parents(real(path)) do
    if said(folder) == "folder" then
      return folder
    end
  end
  return nil
end

--- True the first time that it is asked of a file: then the person is told how to make it a chat.
---@param path string
---@return boolean
function M.is_new(path)
  if said(real(path)) then
    return false
  end
  M.say(path, "told")
  return true
end

return M
