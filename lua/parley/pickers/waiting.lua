--- Goes to the next call that waits for a decision: below the cursor, else in a chat with news, else in the next chat
--- with a waiting call, which may be this one.
local away = require("parley.messages.away")
local host = require("parley.host")
local markers = require("parley.text.markers")
local notify = require("parley.messages.notify")
local places = require("parley.screen.places")
local undisturbed = require("parley.system.undisturbed")

local M = {}

--- Whether the line is a call without a decision. Read from the text, because the host has not drawn anything yet in a
--- chat that was just opened.
local function is_undecided(line)
  local name, behind = markers.read(line)
  return name == "call" and line:find("^%s*`", behind) ~= nil
end

--- Goes to a chat that a message mentioned, in its own window if it has one: to its first call, else to its end.
local function go_to_news(buf)
  vim.cmd("silent! normal! m'")
  local win = vim.fn.win_findbuf(buf)[1]
  if win then
    undisturbed.run(vim.api.nvim_set_current_win, win)
  elseif not require("parley.screen.windows.open").buffer(buf) then
    return
  end
  places.put_cursor(places.call_rows(buf)[1] or vim.api.nvim_buf_line_count(buf))
end

function M.next()
  local buf, cursor = vim.api.nvim_get_current_buf(), vim.fn.line(".")
  local rows = places.call_rows(buf)
  for _, row in ipairs(rows) do
    if row > cursor then
      places.put_cursor(row)
      return
    end
  end
  local told = away.next()
  if told then
    go_to_news(told)
    return
  end
  -- After the last call of this chat come the other chats, and then its first call again.
  host.send({ action = "chat_next", path = vim.api.nvim_buf_get_name(buf) })
end

--- Goes to the next chat with a waiting call, which the host found; nil when there is none.
---@param path string|nil
function M.go(path)
  if not path then
    notify.notify("No call waits in any chat.", vim.log.levels.INFO)
    return
  end
  local is_here = vim.fn.resolve(vim.api.nvim_buf_get_name(0)) == vim.fn.resolve(path)
  if not is_here then
    vim.cmd("silent! normal! m'")
    if not require("parley.screen.windows.open").go(path) then
      return
    end
  end
  local known = places.call_rows(vim.api.nvim_get_current_buf())[1]
  if known then
    places.put_cursor(known)
    return
  end
  local found
  for row = vim.fn.line("$"), 1, -1 do
    local line = vim.fn.getline(row)
    if is_undecided(line) then
      found = row
    elseif found and markers.read(line) == "answer" then
      break
    end
  end
  if found then
    places.put_cursor(found)
  elseif is_here then
    -- The file has one, or had one a moment ago. What waits in a chat that was just opened, the host may yet draw.
    notify.notify(
      "The call that waited in this chat is not in its text any more.",
      vim.log.levels.INFO
    )
  end
end

return M
