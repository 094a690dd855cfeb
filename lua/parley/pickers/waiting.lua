--- Goes to the next call that waits for a key: below the cursor, else at the top of this chat, else in another chat.
local host = require("parley.host")
local notify = require("parley.messages.notify")
local show = require("parley.screen.show")

local M = {}

--- The rows of calls that wait, as a chat that was just opened shows them: nothing of the host is there yet.
local undecided = "^❓:%s*`"

local function put_cursor(row)
  vim.cmd("normal! m'")
  vim.api.nvim_win_set_cursor(0, { row, 0 })
  vim.cmd("normal! zv")
end

--- 1-based rows, from the top.
local function open_rows(buf)
  local rows = vim.tbl_map(function(call)
    return call.line + 1
  end, show.open_calls(buf) or {})
  table.sort(rows)
  return rows
end

function M.next()
  local buf, cursor = vim.api.nvim_get_current_buf(), vim.fn.line(".")
  local rows = open_rows(buf)
  for _, row in ipairs(rows) do
    if row > cursor then
      put_cursor(row)
      return
    end
  end
  -- Behind the last one of this chat come the other chats; they lead back to its first.
  host.send({ action = "chat_next", path = vim.api.nvim_buf_get_name(buf) })
end

--- The host found the next chat with a call that waits; nil when there is none.
---@param path string|nil
function M.go(path)
  if not path then
    notify.notify("No call waits in any chat.", vim.log.levels.INFO)
    return
  end
  local here = vim.api.nvim_buf_get_name(0)
  if vim.fn.resolve(here) ~= vim.fn.resolve(path) then
    vim.cmd("normal! m'")
    vim.cmd({ cmd = "edit", args = { path }, magic = { file = false, bar = false } })
  end
  local known = open_rows(0)[1]
  if known then
    put_cursor(known)
    return
  end
  local found
  for row = vim.fn.line("$"), 1, -1 do
    local line = vim.fn.getline(row)
    if line:find(undecided) then
      found = row
    elseif found and line:find("^🤖") then
      break
    end
  end
  if found then
    put_cursor(found)
  end
end

return M
