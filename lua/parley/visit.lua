--- Sees whether a buffer is a chat by its place and its text: cheap, asked for every Markdown file.
local chats = require("parley.text.chats")
local config = require("parley.config")

local M = {}

--- Lines looked at to tell whether a file in a chat folder is a chat.
local looked_at = 200
local markers = { "💬", "🤖", "🧠", "📝", "❓", "🛠" }

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
  for number, line in ipairs(vim.api.nvim_buf_get_lines(buf, 0, looked_at, false)) do
    if number == 1 then
      line = line:gsub("^\239\187\191", "")
    end
    if line:find("^topic%s*:") or line:find("^[#-]%s*topic%s*:") then
      return true
    end
    for _, marker in ipairs(markers) do
      if
        vim.startswith(line, marker)
        and line:sub(#marker + 1):gsub("^\239\184\143", ""):sub(1, 1) == ":"
      then
        return true
      end
    end
  end
  return false
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
