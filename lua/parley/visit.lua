--- Sees whether a buffer is a chat by its place and its text: cheap, asked for every Markdown file.
local chat_text = require("parley.text.chat_text")
local chats = require("parley.text.chats")
local config = require("parley.config")

local M = {}

local function real(path)
  return vim.uv.fs_realpath(path) or path
end

local function in_chat_folder(path)
  local folder = real(vim.fs.dirname(path))
  for _, dir in ipairs(config.chat_dirs()) do
    local root = real(dir)
    if folder == root or folder:sub(1, #root + 1) == root .. "/" then
      return true
    end
  end
  return false
end

local function has_chat_text(buf)
  return chat_text.is_chat(vim.api.nvim_buf_get_lines(buf, 0, -1, false))
end

--- Makes the buffer a chat when it is one.
function M.visit(buf)
  if not vim.api.nvim_buf_is_loaded(buf) or chats.is_chat(buf) or vim.bo[buf].buftype ~= "" then
    return
  end
  local path = vim.api.nvim_buf_get_name(buf)
  if path == "" then
    return
  end
  if chats.is_by_hand(path) or (in_chat_folder(path) and has_chat_text(buf)) then
    require("parley.chat").attach(buf)
  end
end

return M
