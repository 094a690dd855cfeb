--- The list of all chats: typing filters it; keys open, rename and delete chats. The host finds and sorts them.
local config = require("parley.config")
local files = require("parley.pickers.chat_files")
local floats = require("parley.system.floats")
local host = require("parley.host")
local list_mouse = require("parley.pickers.list_mouse")
local preview = require("parley.pickers.chat_preview")
local rows = require("parley.pickers.chat_row")
local scratch = require("parley.system.scratch")
local undisturbed = require("parley.system.undisturbed")
local windows = require("parley.pickers.chat_windows")

local M = {}

local namespace = vim.api.nvim_create_namespace("parley.pickers.chats")
--- How many chats the mouse wheel scrolls.
local wheel_rows = 3

local function shown(folder)
  return vim.fn.fnamemodify(folder, ":~")
end

---@class parley.ChatList
---@field id integer
---@field input integer buffer
---@field list integer buffer
---@field preview integer buffer
---@field windows table<string, integer>
---@field rows parley.ChatRow[]
---@field selected integer
---@field texts boolean typed words are looked for in the texts
---@field query string
---@field from integer the window that the list was opened from
---@field watch integer[] the autocommands that see the list left and the screen resized
---@field empty string what the list says when it has no rows
---@field kept boolean the selected chat stays selected when the rows change
---@field on_choice fun(path: string)|nil

---@type parley.ChatList|nil
local open = nil
local last_id = 0
--- By request number: callbacks of other pickers that requested rows.
---@type table<integer, fun(answer: parley.ChatsAnswer)>
local listeners = {}

local function ask(refresh)
  host.send({
    action = "chats",
    id = open.id,
    query = open.query,
    texts = open.texts,
    refresh = refresh,
  })
end

local function show_selection()
  if not windows.are_open(open) then
    return
  end
  vim.api.nvim_buf_clear_namespace(open.list, namespace, 0, -1)
  local width = vim.api.nvim_win_get_width(open.windows.list)
  for index, row in ipairs(open.rows) do
    local column = 0
    for _, chunk in ipairs(rows.chunks(row, width)) do
      if chunk[2] then
        vim.api.nvim_buf_set_extmark(open.list, namespace, index - 1, column, {
          end_col = column + #chunk[1],
          hl_group = chunk[2],
        })
      end
      column = column + #chunk[1]
    end
  end
  if open.rows[open.selected] then
    vim.api.nvim_win_set_cursor(open.windows.list, { open.selected, 0 })
  end
  if windows.has_preview(open.windows) then
    local row = open.rows[open.selected]
    preview.show(open.windows.preview, row and row.path or "", open.texts and open.query or "")
  end
end

local function show_rows()
  local width = vim.api.nvim_win_get_width(open.windows.list)
  local lines = vim.tbl_map(function(row)
    local texts = vim.tbl_map(function(chunk)
      return chunk[1]
    end, rows.chunks(row, width))
    return table.concat(texts)
  end, open.rows)
  scratch.set_lines(open.list, #lines > 0 and lines or { open.empty })
  vim.wo[open.windows.list].cursorline = #lines > 0
  show_selection()
end

local function set_title(answer)
  local what = open.texts and "Chats, words in the text" or "Chats"
  local count = answer.found == answer.all and tostring(answer.all)
    or ("%d of %d"):format(answer.found, answer.all)
  local reading = answer.reading and ", reading" or ""
  vim.api.nvim_win_set_config(open.windows.input, {
    title = (" %s: %s%s "):format(what, count, reading),
  })
end

--- Returns what the list says when it has no rows.
local function words_for_none(answer)
  local folders = table.concat(vim.tbl_map(shown, config.chat_dirs()), ", ")
  if answer.reading then
    return " Reading " .. folders
  elseif answer.all > 0 then
    local hint = open.texts and "" or "; <C-f> looks in the texts, too"
    return (" No chat has these words%s."):format(hint)
  end
  return (" There is no chat in %s yet; :Parley new starts one."):format(folders)
end

--- Takes the rows that the host found.
---@param answer parley.ChatsAnswer
function M.receive(answer)
  local listener = listeners[answer.id]
  if listener then
    if not answer.reading then
      listeners[answer.id] = nil
      listener(answer)
    end
    return
  end
  if not open or open.id ~= answer.id or not windows.are_open(open) then
    return
  end
  local before = open.rows[open.selected]
  open.rows = answer.rows
  open.selected = 1
  for index, row in ipairs(answer.rows) do
    if before and open.kept and row.path == before.path then
      open.selected = index
    end
  end
  open.kept = true
  set_title(answer)
  open.empty = words_for_none(answer)
  show_rows()
end

local function close()
  if not open then
    return
  end
  local closing = open
  open = nil
  vim.tbl_map(vim.api.nvim_del_autocmd, closing.watch)
  local was_here = vim.tbl_contains(vim.tbl_values(closing.windows), vim.api.nvim_get_current_win())
  for _, win in pairs(closing.windows) do
    floats.close(win)
  end
  if was_here and vim.api.nvim_win_is_valid(closing.from) then
    undisturbed.run(vim.api.nvim_set_current_win, closing.from)
  end
  vim.cmd.stopinsert()
end

--- Selects a row; returns whether it has a chat.
local function select(row)
  if open.rows[row] then
    open.selected = row
    show_selection()
  end
  return open.rows[row] ~= nil
end

local function next_chat()
  select(open.selected % #open.rows + 1)
end

local function previous_chat()
  select((open.selected - 2) % #open.rows + 1)
end

---@param how string the command that opens a file: `edit`, `split`, `vsplit` or `tabedit`
local function choose(how)
  local row = open.rows[open.selected]
  local on_choice = open.on_choice
  local words = open.texts and open.query or ""
  close()
  if not row then
    return
  end
  if on_choice then
    on_choice(row.path)
    return
  end
  if not require("parley.screen.windows.open").go(row.path, how) then
    return
  end
  local number, column = preview.line_with(vim.api.nvim_buf_get_lines(0, 0, -1, false), words)
  if number then
    -- Insert mode ends later and moves the cursor back by one.
    local step = vim.api.nvim_get_mode().mode == "i" and 1 or 0
    vim.api.nvim_win_set_cursor(0, { number, math.min(column + step, #vim.fn.getline(number)) })
    vim.cmd("silent! normal! zvzz")
  end
end

local function with_selected(act)
  return function()
    local row = open.rows[open.selected]
    if row then
      vim.cmd.stopinsert()
      act(row.path, row)
    end
  end
end

local function map_keys(buf)
  local function map(modes, keys, run, desc)
    for _, key in ipairs(keys) do
      vim.keymap.set(modes, key, run, { buffer = buf, nowait = true, desc = "Parley: " .. desc })
    end
  end
  local both = { "n", "i" }
  local function how(command)
    return function()
      choose(command)
    end
  end
  map(both, { "<CR>" }, how("edit"), "open this chat")
  map(both, { "<C-s>", "<C-x>" }, how("split"), "open it in a split")
  map(both, { "<C-v>" }, how("vsplit"), "open it beside")
  map(both, { "<C-t>" }, how("tabedit"), "open it in a tab")
  map(both, { "<C-n>", "<Down>" }, next_chat, "next chat")
  map(both, { "<C-p>", "<Up>" }, previous_chat, "previous chat")
  map("n", { "j" }, next_chat, "next chat")
  map("n", { "k" }, previous_chat, "previous chat")
  map(both, { "<C-f>" }, function()
    open.texts = not open.texts
    open.kept = false
    ask(false)
  end, "search the texts, too, or stop searching them")
  map(both, { "<C-r>" }, with_selected(files.rename), "rename this chat")
  map(both, { "<C-o>" }, with_selected(files.move), "move this chat to another folder")
  map(both, { "<C-e>" }, with_selected(files.tag), "edit the tags of this chat")
  map(both, { "<C-d>" }, with_selected(files.delete), "delete this chat")
  map("n", { "q", "<Esc>" }, close, "close the list")
  map("i", { "<C-c>" }, close, "close the list")
  -- Deletes a word as in any other buffer: in a prompt buffer Neovim makes it the window prefix.
  vim.keymap.set("i", "<C-w>", "<C-S-w>", { buffer = buf, desc = "Parley: delete a word" })
end

--- A click selects a chat, a double click opens it, and the wheel scrolls the list.
local function map_mouse()
  list_mouse.map(open.input, {
    [open.windows.list] = {
      LeftMouse = select,
      ["2-LeftMouse"] = function(line)
        if select(line) then
          choose("edit")
        end
      end,
      ScrollWheelDown = function()
        select(math.min(#open.rows, open.selected + wheel_rows))
      end,
      ScrollWheelUp = function()
        select(math.max(1, open.selected - wheel_rows))
      end,
    },
    [open.windows.preview] = {},
  })
end

local function watch_typing()
  vim.api.nvim_create_autocmd({ "TextChanged", "TextChangedI", "TextChangedP" }, {
    buffer = open.input,
    callback = function()
      open.query = table.concat(vim.api.nvim_buf_get_lines(open.input, 0, -1, false), " ")
      vim.bo[open.input].modified = false
      open.kept = false
      ask(false)
    end,
  })
  -- Closes the list when the focus goes to a window behind it. Questions about a chat open floats, which are fine.
  local left = vim.api.nvim_create_autocmd("WinEnter", {
    callback = vim.schedule_wrap(function()
      if vim.api.nvim_win_get_config(0).relative == "" then
        close()
      end
    end),
  })
  local resized = vim.api.nvim_create_autocmd("VimResized", {
    callback = function()
      if windows.are_open(open) then
        windows.fit(open.windows)
        show_rows()
      end
    end,
  })
  open.watch = { left, resized }
  -- Closing one of the windows, by whatever means, closes the list.
  local this = open
  for _, buf in ipairs({ this.input, this.list, this.preview }) do
    vim.api.nvim_create_autocmd("BufWipeout", {
      buffer = buf,
      once = true,
      callback = vim.schedule_wrap(function()
        if open == this then
          close()
        end
      end),
    })
  end
end

--- Opens the list. `on_choice` gets the path of the chosen chat instead of opening it.
---@param options? { query?: string, on_choice?: fun(path: string) }
function M.open(options)
  options = options or {}
  if open then
    close()
  end
  last_id = last_id + 1
  open = {
    id = last_id,
    input = scratch.buffer(),
    list = scratch.buffer(),
    preview = scratch.buffer(),
    windows = {},
    rows = {},
    empty = "",
    selected = 1,
    texts = false,
    query = options.query or "",
    kept = false,
    from = vim.api.nvim_get_current_win(),
    on_choice = options.on_choice,
  }
  open.windows = windows.open(open)
  -- Completion plugins leave prompt buffers alone. Their menu would cover the list, and <CR> would accept a completion.
  vim.bo[open.input].buftype = "prompt"
  if vim.fn.exists("+autocomplete") == 1 then
    vim.bo[open.input].autocomplete = false
  end
  vim.fn.prompt_setprompt(open.input, "")
  vim.api.nvim_buf_set_lines(open.input, 0, -1, false, { open.query })
  vim.bo[open.input].modified = false
  map_keys(open.input)
  map_mouse()
  watch_typing()
  vim.cmd.startinsert({ bang = true })
  open.empty = words_for_none({ reading = true })
  scratch.set_lines(open.list, { open.empty })
  ask(true)
end

--- Requests the rows again, after a chat was moved.
function M.refresh()
  if open then
    ask(true)
  end
end

--- Lists all chats for another picker: `on_chats` gets the rows, the most recently written first.
---@param on_chats fun(rows: parley.ChatRow[])
function M.list(on_chats)
  if not vim.is_callable(on_chats) then
    error("chats needs a function, which gets the chats.", 0)
  end
  last_id = last_id + 1
  listeners[last_id] = function(answer)
    on_chats(answer.rows)
  end
  host.send({
    action = "chats",
    id = last_id,
    query = "",
    texts = false,
    refresh = true,
    all = true,
  })
end

return M
