--- Which chat was asked last from a working folder: one small file in the state folder for each folder.
local M = {}

local function note()
  local name = vim.fn.sha256(vim.fn.getcwd()) .. ".txt"
  return vim.fs.joinpath(vim.fn.stdpath("state"), "parley", "last-chats", name)
end

--- The chat in the buffer was asked from the working folder.
---@param buf integer
function M.remember(buf)
  local path = vim.api.nvim_buf_get_name(buf)
  if path == "" or path:find("\n") then
    return
  end
  local file = note()
  -- Without the note the next question goes to a new chat.
  pcall(vim.fn.mkdir, vim.fs.dirname(file), "p", "0700")
  pcall(vim.fn.writefile, { path }, file)
end

--- The path of that chat; nil when none was asked, or it is gone.
---@return string?
function M.last()
  local is_read, lines = pcall(vim.fn.readfile, note(), "", 1)
  local path = is_read and lines[1] or nil
  return path and vim.uv.fs_stat(path) and path or nil
end

return M
