--- `:Parley attach` and `:Parley detach`: makes the buffer a chat, or plain Markdown again, and tells the user so.
local attached = require("parley.text.chats.attached")
local chat = require("parley.chat")
local chats = require("parley.text.chats")
local notify = require("parley.messages.notify")

local M = {}

local function warn(message)
  notify.notify(message, vim.log.levels.WARN)
end

local function inform(message)
  notify.notify(message, vim.log.levels.INFO)
end

--- Tells the user what `:Parley attach` or `:Parley detach` came to from now on, unless it could not be remembered.
local function inform_kept(is_kept, message)
  if is_kept then
    inform(message)
  else
    local folder = vim.fs.joinpath(vim.fn.stdpath("state"), "parley", "attached")
    warn(("This could not be remembered in %s, so it is for this buffer only."):format(folder))
  end
end

--- Makes the buffer a chat: for now, or always (this file, or every chat in its folder).
---@param what? string "always" or "folder", or what else was typed
function M.attach(what)
  local buf = vim.api.nvim_get_current_buf()
  local path = vim.api.nvim_buf_get_name(buf)
  if what and what ~= "always" and what ~= "folder" then
    warn((":Parley attach takes always, folder or nothing, not %q; nothing was done."):format(what))
    return
  end
  if not chats.can_be(buf) then
    warn(chats.no_text)
    return
  end
  if what and path == "" then
    warn("This buffer has no file yet; :write it first.")
    return
  end
  local was_chat = chats.is_chat(buf)
  chat.attach_by_hand(buf)
  if what == "always" then
    inform_kept(
      attached.say(path, "file"),
      "From now on this file opens as a chat; :Parley detach always undoes that."
    )
  elseif what == "folder" then
    local folder = vim.fs.dirname(path)
    local is_kept = attached.say(folder, "folder")
    require("parley.visit").visit_open(folder)
    inform_kept(
      is_kept,
      ("From now on chats in %s open as chats; :Parley detach folder undoes that."):format(
        vim.fn.fnamemodify(folder, ":~")
      )
    )
  else
    inform(
      was_chat and "This buffer is a chat already."
        or "This buffer is a chat until Neovim ends; :Parley detach undoes that."
    )
  end
end

--- Makes the buffer plain Markdown again, and undoes what attached it for longer.
---@param what? string "always" or "folder", or what else was typed
function M.detach(what)
  local buf = vim.api.nvim_get_current_buf()
  local path = vim.api.nvim_buf_get_name(buf)
  if what == "folder" then
    local folder = attached.folder(path)
    if not folder then
      warn("This folder was not attached, so nothing was done.")
      return
    end
    inform_kept(
      attached.say(folder, nil),
      ("Undone: :Parley attach folder no longer applies to %s."):format(
        vim.fn.fnamemodify(folder, ":~")
      )
    )
  elseif what == "always" then
    if not attached.is_file(path) then
      warn("This file was not attached for always, so nothing was done.")
      return
    end
    inform_kept(
      attached.say(path, "told"),
      "Undone: :Parley attach always no longer applies to this file."
    )
  elseif what then
    warn((":Parley detach takes always, folder or nothing, not %q; nothing was done."):format(what))
    return
  elseif chats.current() then
    inform("This buffer is plain Markdown now; :Parley attach makes it a chat again.")
  end
  chat.detach(buf)
end

return M
