--- Which buffers are chats: a list that every other part may ask, and that only `chat.lua` changes.
local config = require("parley.config")
local system = require("parley.system")

local M = {}

---@class parley.Chat
---@field path string as the host was told
---@field modeline boolean as it was before

---@type table<integer, parley.Chat> by buffer
local chats = {}
--- Paths attached by hand in this session, so that they are chats again after :bdelete.
local by_hand = {}
--- The chat that was visited last: its buffer, and its path when that is gone.
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

--- The person is in this chat now; nil: there is none to go back to.
---@param buf? integer
function M.visit(buf)
  visited = { buf = buf }
end

--- The chat that was visited last.
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

--- Whether the buffer is a chat whose text is there, which it is not after `:bunload`.
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

--- The numbers of all buffers that are chats.
---@return integer[]
function M.list()
  return vim.tbl_keys(chats)
end

--- A buffer without a name is nobody's path.
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

--- Where relative paths of questions and tools begin.
---@type string?
local folder = nil

--- The folder that chats work in: Neovim's own, whatever a window or a tab page has. With 'autochdir' it is that of the
--- last file: on the way from that to a chat it would be another one than the question meant. So what was answered last
--- is kept for the next time.
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

--- What is said of a list, a help page, a terminal.
M.no_text = "This window shows no text of yours, so it is not a chat. Go to the window of the chat, or "
  .. "open a new one with :Parley new."

--- Whether the buffer holds a person's text, which a list or a terminal does not.
---@param buf integer
---@return boolean
function M.can_be(buf)
  return vim.bo[buf].buftype == "" or vim.bo[buf].buftype == "acwrite"
end

--- The current buffer when it is a chat; else nil, and the person is told what to do.
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

--- What the host is told of a chat.
---@param buf integer
---@return parley.AttachMessage
function M.attach_message(buf)
  return {
    action = "attach",
    buf = buf,
    path = chats[buf].path,
  }
end

--- Windows that show the buffer: not the one in which Neovim runs autocommands for a buffer that is in none.
---@param buf integer
---@return integer[]
function M.windows(buf)
  return vim.tbl_filter(function(win)
    return vim.fn.win_gettype(win) ~= "autocmd"
  end, vim.fn.win_findbuf(buf))
end

return M
