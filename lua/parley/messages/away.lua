--- Reports what happened in chats that are not visible (in another tab page, or in no window): once for each chat until
--- the user has looked at it, with its name and the key that goes there.
local notify = require("parley.messages.notify")

local M = {}

local group = vim.api.nvim_create_augroup("parley.away", {})
--- The most characters of a name.
local longest_name = 40
--- How many lines of the header are searched for the topic.
local header_lines = 40

---@alias parley.NewsKind "waits"|"answered"|"failed"

--- Chats that were reported and not looked at since: `{ buf, text, kind }`, the oldest first.
local news = {}

--- Replaces the list and redraws statuslines, which may show the count.
local function set_news(now)
  local is_other = #now ~= #news
  news = now
  if is_other then
    vim.cmd.redrawstatus({ bang = true })
  end
end

---@param buf integer
---@return boolean
function M.is_on_screen(buf)
  return vim.fn.bufwinid(buf) >= 0
end

--- Returns the topic, else the file name.
---@param buf integer
---@return string
function M.name_of(buf)
  local topic = nil
  -- Read line by line: this runs when an answer opens, and most chats have no header or a short one.
  for row = 0, header_lines - 1 do
    local line = vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1]
    if not line or (line == "---") ~= (row == 0) then
      break
    end
    local value = line:match("^topic:(.*)$")
    if value then
      local first = value:find("%S")
      topic = first and value:sub(first):match("^.*%S") or ""
      break
    end
  end
  topic = topic and (topic:match('^"(.*)"$') or topic:match("^'(.*)'$") or topic)
  if not topic or topic == "" or topic == "?" then
    topic = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buf), ":t:r")
  end
  -- Vim functions reject text with a NUL byte.
  topic = vim.fn.strtrans((topic:gsub("%z", " ")))
  if vim.fn.strchars(topic) > longest_name then
    topic = vim.fn.strcharpart(topic, 0, longest_name - 1) .. "…"
  end
  return topic
end

--- Drops chats that are visible now or gone.
local function look()
  set_news(vim.tbl_filter(function(each)
    return vim.api.nvim_buf_is_loaded(each.buf) and not M.is_on_screen(each.buf)
  end, news))
  if #news == 0 then
    vim.api.nvim_clear_autocmds({ group = group })
  end
end

local function news_of(buf)
  return vim.iter(news):find(function(each)
    return each.buf == buf
  end)
end

local function remember(buf, text, kind)
  local known = news_of(buf)
  if known then
    known.text, known.kind = text, kind
    return
  end
  if #news == 0 then
    vim.api.nvim_create_autocmd({ "BufWinEnter", "BufEnter", "WinEnter", "TabEnter" }, {
      group = group,
      callback = look,
    })
  end
  local now = vim.list_slice(news)
  now[#now + 1] = { buf = buf, text = text, kind = kind }
  set_news(now)
end

--- Shows a sentence about a chat: as it is when the chat is on the screen, else with its name and the key to go there.
---@param buf integer
---@param text string
---@param level? integer of vim.log.levels
---@param press string the key or command that goes to the next chat with news
---@param kind? parley.NewsKind default "failed"
function M.tell(buf, text, level, press, kind)
  if not vim.api.nvim_buf_is_loaded(buf) or M.is_on_screen(buf) then
    notify.notify(text, level)
    return
  end
  local known = news_of(buf)
  if known and known.text == text then
    return
  end
  remember(buf, text, kind or "failed")
  notify.notify(("%s: %s %s goes there."):format(M.name_of(buf), text, press), level)
end

--- Handles the end of a turn: only a chat's first news is reported.
---@param data parley.TurnEnd
---@param press string
function M.ended(data, press)
  local buf = data.buf
  if not vim.api.nvim_buf_is_loaded(buf) or M.is_on_screen(buf) or news_of(buf) then
    return
  end
  local text, kind = "The answer has arrived.", "answered"
  if data.reason == "await-approval" then
    kind = "waits"
    text = data.calls == 1 and "1 call waits." or ("%d calls wait."):format(data.calls or 0)
  elseif data.reason ~= "done" then
    text, kind = data.message or ("The turn ended (%s)."):format(data.reason), "failed"
  end
  M.tell(buf, text, vim.log.levels.INFO, press, kind)
end

--- Returns the chat that was reported first and not looked at since; nil when there is none.
---@return integer?
function M.next()
  look()
  return news[1] and news[1].buf
end

--- Returns the count of chats with news as text for a statusline; empty when there are none.
---@return string
function M.counts()
  local count = {}
  for _, each in ipairs(news) do
    count[each.kind] = (count[each.kind] or 0) + 1
  end
  local waits = count.waits == 1 and "waits" or "wait"
  local words = {}
  for _, part in ipairs({
    { count.waits, waits },
    { count.answered, "answered" },
    { count.failed, "failed" },
  }) do
    if part[1] then
      words[#words + 1] = part[1] .. " " .. part[2]
    end
  end
  return #words == 0 and "" or "Parley: " .. table.concat(words, ", ")
end

return M
