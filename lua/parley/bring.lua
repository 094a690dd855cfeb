--- Brings code into a chat: a question with a reference to lines, or with a copy of lines that no reference can name.
local buffer = require("parley.text.buffer")
local chats = require("parley.text.chats")
local markers = require("parley.text.markers")
local notify = require("parley.messages.notify")
local open = require("parley.screen.windows.open")
local project_chat = require("parley.text.chats.project_chat")
local undisturbed = require("parley.system.undisturbed")

local M = {}

--- Returns a reference such as `@@./a.ts:10-40@@`; nil when the buffer is not a file that a reference can name.
---@param buf integer
---@param first? integer without lines the whole file is meant
---@param last? integer
---@return string?
function M.reference(buf, first, last)
  local path = vim.api.nvim_buf_get_name(buf)
  if path == "" or vim.bo[buf].buftype ~= "" or path:find("@@") or path:find("%c") then
    return nil
  end
  path = vim.fn.fnamemodify(path, ":p")
  local folder = vim.fn.fnamemodify(chats.folder(), ":p")
  local is_inside = #folder > 1 and vim.startswith(path, folder)
  path = is_inside and "./" .. path:sub(#folder + 1) or vim.fn.fnamemodify(path, ":~")
  local lines = first
    and (first == last and (":%d"):format(first) or (":%d-%d"):format(first, last))
  return ("@@%s%s@@"):format(path, lines or "")
end

--- Where a reference to a server's resource may begin. Escaping one `@` too many does no harm.
local resource = [[\%(^\|[^[:alnum:]_@.\\/-]\)\zs@\ze\S\+:]]

--- Returns lines that no reference can name (of a terminal, a help page, a list) as a quotation that contains no
--- references itself; nil when they are blank.
local function quoted(buf, first, last)
  local lines = vim.api.nvim_buf_get_lines(buf, first - 1, last, false)
  while lines[1] and not lines[#lines]:find("%S") do
    table.remove(lines)
  end
  local quotation = vim.tbl_map(function(line)
    -- Vim functions reject text with a NUL byte.
    line = line:gsub("%z", " "):gsub("@@", "\\@@")
    return ("> " .. vim.fn.substitute(line, resource, [[\\&]], "g")):match("^.*%S")
  end, lines)
  return quotation[1] and table.concat(quotation, "\n")
end

--- Returns where the next question's text goes and which lines to write: after an empty `💬:`, below a question that
--- was not sent, or as a new question at the end.
---@param lines string[] of a chat
---@param text string
---@return integer first 0-based; the lines from there on give way
---@return string[]
function M.placed(lines, text)
  local at = #lines
  while at > 0 and not markers.begins_turn(lines[at]) do
    at = at - 1
  end
  local last = #lines
  while last > at and not lines[last]:find("%S") do
    last = last - 1
  end
  local name, behind = markers.read(lines[at] or "")
  if name ~= "question" then
    return last, { "", markers.next_question .. text }
  end
  if last == at and not lines[at]:find("%S", behind) then
    return at - 1, { lines[at]:sub(1, behind - 1) .. " " .. text }
  end
  return last, { text }
end

--- Shows a loaded buffer: in the window that already shows it, or in a split.
local function show(buf)
  local window = vim.fn.bufwinid(buf)
  if window ~= -1 then
    undisturbed.run(vim.api.nvim_set_current_win, window)
  else
    open.split()
    undisturbed.run(vim.api.nvim_win_set_buf, 0, buf)
  end
end

--- Returns the current chat, else the one beside the current buffer in this tab page, the one visited last if there are
--- several.
local function on_screen()
  local here = vim.api.nvim_get_current_buf()
  if chats.is_chat(here) then
    return here
  end
  local visited, found = (chats.visited()), nil
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local buf = vim.api.nvim_win_get_buf(win)
    if chats.is_loaded(buf) and (not found or buf == visited) then
      found = buf
    end
  end
  return found
end

--- Opens the chat on the screen, else the project's last one, else a new one. Returns its buffer, or why there is none.
local function open_chat(wants_new)
  local shown = not wants_new and on_screen()
  if shown then
    show(shown)
    return shown
  end
  local path = not wants_new and project_chat.last() or nil
  if not path then
    open.split()
    return require("parley.chat").new()
  end
  local buf = undisturbed.run(vim.fn.bufadd, path)
  if vim.api.nvim_buf_is_loaded(buf) then
    show(buf)
  else
    -- As Neovim opens any file: with its question about a swap file.
    local refusal = open.file(path, "split")
    if refusal then
      return nil, refusal
    end
  end
  undisturbed.run(vim.api.nvim_set_option_value, "buflisted", true, { buf = buf })
  if not chats.is_chat(buf) then
    require("parley.chat").attach_by_hand(buf)
  end
  return buf
end

---@class parley.Brought
---@field words? string[]
---@field first? integer lines of the current buffer, counted from 1; without them none are meant
---@field last? integer
---@field wants_new? boolean a new chat, not the project's last one

local function is_answer(line)
  return markers.read(line) == "answer"
end

--- Writes a question into a chat and puts the cursor after it, in Insert mode.
---@param what parley.Brought
function M.ask(what)
  local buf = vim.api.nvim_get_current_buf()
  local reference = what.first and M.reference(buf, what.first, what.last)
  local words = table.concat(what.words or {}, " ")
  local text = vim.trim((reference or "") .. " " .. words)
  if what.first and not reference then
    local quotation = quoted(buf, what.first, what.last)
    if not quotation then
      notify.notify("There is nothing to ask about in these lines.", vim.log.levels.WARN)
      return
    end
    text = ("\n%s\n\n%s"):format(quotation, words)
  elseif words == "" and text ~= "" then
    text = text .. " "
  end
  local chat, refusal = open_chat(what.wants_new)
  if not chat then
    notify.notify(refusal, vim.log.levels.ERROR)
    return
  end
  local cannot = buffer.refusal(chat)
  if cannot then
    notify.notify(cannot, vim.log.levels.WARN)
    return
  end
  project_chat.use(chat)
  local lines = vim.api.nvim_buf_get_lines(chat, 0, -1, false)
  local first, placed = M.placed(lines, text)
  placed = vim.split(table.concat(placed, "\n"), "\n", { plain = true })
  vim.api.nvim_buf_set_lines(chat, first, -1, false, placed)
  local count = vim.api.nvim_buf_line_count(chat)
  vim.api.nvim_win_set_cursor(0, { count, 0 })
  if not vim.iter(lines):any(is_answer) then
    require("parley.screen.hint").show(chat, count - 1)
  end
  vim.cmd.startinsert({ bang = true })
end

return M
