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

--- Lines in one reading: a long text that is no chat must not be copied as a whole.
local piece = 1000

local function has_chat_text(buf)
  return chat_text.is_chat(function(first)
    return vim.api.nvim_buf_get_lines(buf, first, first + piece, false)
  end)
end

--- Makes the buffer a chat when it is one.
---@param buf integer
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
