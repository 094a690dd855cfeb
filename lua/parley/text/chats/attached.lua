--- Remembers files outside the chat folders that the user made chats, and files for which the hint was shown: one small
--- file in the state folder for each.
local M = {}

---@alias parley.Attached "file"|"folder"|"told"

local real = require("parley.system").real

-- Loaded on demand: the first screen of a chat does not need it.
local function notes()
  return require("parley.text.chats.notes")
end

local function note(path)
  local name = vim.fn.sha256(path) .. ".txt"
  return vim.fs.joinpath(vim.fn.stdpath("state"), "parley", "attached", name)
end

--- Returns what was remembered for exactly this path. The note's first line is the kind, the second the path.
---@return parley.Attached?
local function said(path)
  local lines = notes().read(note(path), 2)
  return lines and lines[2] == path and lines[1] or nil
end

--- Remembers the kind for the path; nil forgets it.
---@param path string
---@param what parley.Attached?
---@return boolean whether it is so now: the note may be impossible to write
function M.say(path, what)
  path = real(path)
  if path:find("\n") then
    return false
  end
  if what then
    notes().write(note(path), { what, path })
  else
    vim.uv.fs_unlink(note(path))
  end
  return said(path) == what
end

--- Whether the user made this very file a chat.
---@param path string
---@return boolean
function M.is_file(path)
  return said(real(path)) == "file"
end

--- Returns the closest parent folder for which the user chose to attach all chats; nil without one.
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

--- Returns true only the first time for a file, when the user gets the hint on how to make it a chat.
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
