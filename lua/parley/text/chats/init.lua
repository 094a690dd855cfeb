--- The list of buffers that are chats. Every module may read it; only `chat.lua` changes it.
local config = require("parley.config")
local system = require("parley.system")

local M = {}

---@class parley.Chat
---@field path string the path that was sent to the host
---@field modeline boolean as it was before

---@type table<integer, parley.Chat> by buffer
local chats = {}
--- Paths attached with :Parley attach in this session, so that they are chats again after :bdelete.
local by_hand = {}
--- The chat that was visited last: its buffer, or its path when the buffer is gone.
---@type { buf?: integer, path?: string }
local visited = {}

---@param buf integer
---@return parley.Chat?
function M.get(buf)
  return chats[buf]
end

---@param buf integer
---@param chat parley.Chat
function M.add(buf, chat)
  chats[buf] = chat
end

---@param buf integer
function M.remove(buf)
  if visited.buf == buf then
    visited = { path = chats[buf] and chats[buf].path }
  end
  chats[buf] = nil
end

--- Records that the user is in this chat now; nil means that there is none to return to.
---@param buf? integer
function M.visit(buf)
  visited = { buf = buf }
end

--- Returns the chat that was visited last.
---@return integer? buf
---@return string? path of its file, when no buffer has it any more
function M.visited()
  local buf = visited.buf
  if buf and not vim.api.nvim_buf_is_loaded(buf) then
    return nil, chats[buf] and chats[buf].path
  end
  return buf, visited.path
end

---@param buf integer
---@return boolean
function M.is_chat(buf)
  return chats[buf] ~= nil
end

--- Whether the buffer is a chat and loaded, which it is not after `:bunload`.
---@param buf integer
---@return boolean
function M.is_loaded(buf)
  return M.is_chat(buf) and vim.api.nvim_buf_is_loaded(buf)
end

--- Whether any buffer is a chat.
---@return boolean
function M.any()
  return next(chats) ~= nil
end

--- Returns the numbers of all buffers that are chats.
---@return integer[]
function M.list()
  return vim.tbl_keys(chats)
end

--- Records whether a path is attached by hand; a buffer without a name has no path.
---@param path string
---@param is_by_hand boolean
function M.set_by_hand(path, is_by_hand)
  if path ~= "" then
    by_hand[path] = is_by_hand or nil
  end
end

---@param path string
---@return boolean
function M.is_by_hand(path)
  return by_hand[path] == true
end

--- The folder to which relative paths in questions and tools refer.
---@type string?
local folder = nil

--- Returns the working directory for chats: Neovim's global one, not that of a window or tab page. With 'autochdir',
--- entering a chat changes it to the chat's folder, so the directory from before is returned then.
---@return string
function M.folder()
  local now = vim.fn.getcwd(-1, -1)
  local is_of_chat = vim.o.autochdir
    and (
      chats[vim.api.nvim_get_current_buf()]
      or vim.iter(config.chat_dirs()):any(function(dir)
        return system.is_below(system.real(dir), system.real(now))
      end)
    )
  if not is_of_chat or not folder then
    folder = now
  end
  return folder
end

--- The message for a list, a help page or a terminal.
M.no_text = "This window does not show a text that you can edit, so it is not a chat. Go to the window of the chat, or "
  .. "open a new one with :Parley new."

--- Whether the buffer can hold a chat's text, which a list or a terminal cannot.
---@param buf integer
---@return boolean
function M.can_be(buf)
  return vim.bo[buf].buftype == "" or vim.bo[buf].buftype == "acwrite"
end

--- Returns the current buffer if it is a chat; otherwise tells the user what to do and returns nil.
---@return integer?
function M.current()
  local buf = vim.api.nvim_get_current_buf()
  if chats[buf] then
    return buf
  end
  require("parley.messages.notify").notify(
    M.can_be(buf)
        and "This buffer is not a chat. :Parley attach makes it one, :Parley new opens a new one."
      or M.no_text,
    vim.log.levels.WARN
  )
  return nil
end

--- Returns the message that tells the host about a chat.
---@param buf integer
---@return parley.AttachMessage
function M.attach_message(buf)
  return {
    action = "attach",
    buf = buf,
    path = chats[buf].path,
  }
end

--- Returns the windows that show the buffer, without Neovim's hidden window for autocommands.
---@param buf integer
---@return integer[]
function M.windows(buf)
  return vim.tbl_filter(function(win)
    return vim.fn.win_gettype(win) ~= "autocmd"
  end, vim.fn.win_findbuf(buf))
end

return M
