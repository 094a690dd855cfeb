--- Detects chats by path and text. It runs for every Markdown file, so it is cheap.
local attached = require("parley.text.chats.attached")
local chat_text = require("parley.text.chats.chat_text")
local chats = require("parley.text.chats")
local config = require("parley.config")
local markers = require("parley.text.markers")
local system = require("parley.system")

local M = {}

local function in_chat_folder(path)
  local folder = system.real(vim.fs.dirname(path))
  for _, dir in ipairs(config.chat_dirs()) do
    if system.is_below(system.real(dir), folder) then
      return true
    end
  end
  return false
end

--- Lines read at a time, so that a long text that is not a chat is not copied as a whole.
local piece = 1000

local function has_chat_text(buf)
  return chat_text.is_chat(function(first)
    return vim.api.nvim_buf_get_lines(buf, first, first + piece, false)
  end)
end

--- The lines that are examined outside the chat folders, where most files are not chats.
local looked_at = 400

--- Whether the text has a question and an answer, or a question below a header with a topic; a note would not.
local function reads_like_chat(buf)
  local has_question, has_more = false, false
  for _, line in ipairs(vim.api.nvim_buf_get_lines(buf, 0, looked_at, false)) do
    local name = markers.read(line)
    has_question = has_question or name == "question"
    has_more = has_more or name == "answer" or line:find("^[#%- ]*topic%s*:") ~= nil
  end
  return has_question and has_more
end

--- Whether the user made this file outside the chat folders a chat. Says once how to do that when it looks like one.
local function is_wanted(buf, path)
  if attached.is_file(path) then
    return true
  elseif attached.folder(path) then
    return has_chat_text(buf)
  end
  -- Other versions of a file, as diffs show them, have a URI instead of a path.
  local is_address = path:find("^%a[%w+.-]+://") ~= nil
  if not is_address and reads_like_chat(buf) and attached.is_new(path) then
    local words = "%s looks like a chat. :Parley attach makes it one now, :Parley attach always"
      .. " whenever you open it, :Parley attach folder all chats in its folder."
    require("parley.messages.notify").notify(
      words:format(vim.fn.fnamemodify(path, ":t")),
      vim.log.levels.INFO
    )
  end
  return false
end

--- What Neovim read in another encoding than UTF-8 has no markers. Says how to reread.
local function report_misread(buf, path)
  local encoding = vim.bo[buf].fileencoding
  if
    encoding ~= ""
    and encoding ~= "utf-8"
    and require("parley.text.file.encoding").is_misread(buf, looked_at)
  then
    local words = "Neovim read %s as %s, so Parley sees no question. It has a byte that is not UTF-8, or"
      .. " 'fileencodings' tries %s first. :edit ++enc=utf-8 ++bad=keep reads it and keeps every byte."
    require("parley.messages.notify").notify(
      words:format(vim.fn.fnamemodify(path, ":t"), encoding, encoding),
      vim.log.levels.WARN
    )
  end
end

--- Attaches the buffer when it is a chat.
---@param buf integer
---@param was_read? boolean its file was, in this very moment
function M.visit(buf, was_read)
  if not vim.api.nvim_buf_is_loaded(buf) or chats.is_chat(buf) or vim.bo[buf].buftype ~= "" then
    return
  end
  local path = vim.api.nvim_buf_get_name(buf)
  if path == "" then
    return
  end
  report_misread(buf, path)
  local is_chat = chats.is_by_hand(path)
  if not is_chat and in_chat_folder(path) then
    is_chat = has_chat_text(buf)
  elseif not is_chat then
    is_chat = is_wanted(buf, path)
  end
  if is_chat then
    require("parley.chat").attach(buf, was_read)
  end
end

--- Attaches a file without a Markdown name when the user made this very file a chat.
---@param buf integer
function M.visit_other(buf)
  local path = vim.api.nvim_buf_get_name(buf)
  if path ~= "" and attached.is_file(path) then
    M.visit(buf, true)
  end
end

--- Attaches the open chats of a folder, after the user chose to attach all chats in it.
---@param folder string
function M.visit_open(folder)
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    local path = vim.api.nvim_buf_get_name(buf)
    local is_markdown = path:find("%.md$") or path:find("%.markdown$")
    if is_markdown and system.is_below(system.real(folder), system.real(path)) then
      M.visit(buf)
    end
  end
end

return M
