--- Highlights markers, questions, decisions and comment lines, and draws a rule between exchanges. Only visible lines
--- are highlighted, while they are drawn.
local call_text = require("parley.text.call_text")
local chats = require("parley.text.chats")
local config = require("parley.config")
local contrast = require("parley.screen.contrast")
local markers = require("parley.text.markers")
local system = require("parley.system")

local M = {}

local namespace = vim.api.nvim_create_namespace("parley.highlights")
local attached = {}

--- Each group links to the first of these that is readable. Many colour schemes, including most of Neovim's light ones,
--- leave diagnostic groups in colours made for the other background.
local links = {
  ParleyQuestion = { "Title" },
  ParleyAnswer = { "Identifier", "Function" },
  ParleySummary = { "Statement" },
  ParleyCall = { "Identifier", "Function" },
  ParleyYes = { "DiagnosticOk", "Added", "MoreMsg" },
  ParleyNo = { "DiagnosticError", "ErrorMsg" },
  ParleyResult = { "Statement" },
  ParleyProgress = { "Identifier", "Function" },
  ParleyWaiting = { "DiagnosticWarn", "WarningMsg", "Question" },
  ParleyError = { "DiagnosticError", "ErrorMsg" },
  ParleyAdded = { "Added", "MoreMsg" },
  ParleyRemoved = { "Removed", "ErrorMsg" },
}

--- Groups that a colour scheme deliberately makes faint.
local quiet_links = {
  ParleyThought = "Comment",
  ParleyStep = "Comment",
  ParleyPrivate = "Comment",
  ParleyRule = "NonText",
  ParleyVirtual = "Comment",
  ParleyUsage = "Comment",
}

--- By marker: its group, and whether the group applies to the whole line.
---@type table<parley.Marker, [string, boolean]>
local marker_highlights = {
  question = { "ParleyQuestion", true },
  answer = { "ParleyAnswer", true },
  thought = { "ParleyThought", true },
  summary = { "ParleySummary", true },
  call = { "ParleyCall", false },
  result = { "ParleyResult", true },
  ["legacy-call"] = { "ParleyCall", false },
  ["legacy-result"] = { "ParleyResult", true },
  branch = { "ParleyStep", true },
  private = { "ParleyPrivate", true },
}

--- Priorities above and below tree-sitter's.
local over, under = 110, 90

local function highlight(buf, row, from, to, group, priority)
  vim.api.nvim_buf_set_extmark(buf, namespace, row, from, {
    end_col = to,
    hl_group = group,
    ephemeral = true,
    priority = priority or over,
  })
end

--- By buffer, for rows that were drawn: `questions` says whether a row is in a question, valid until something in or
--- above it changes; `markers` has the marker that the row was drawn with, or "", until it moves. Each has its last
--- row.
local known = {}
--- How many lines above a line are searched for its marker.
local most_above = 1000

local function line_at(buf, row)
  return vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ""
end

local function keep(seen, row, value)
  seen[row], seen.last = value, math.max(seen.last, row)
end

local function forget_from(seen, row)
  for each = row, seen.last do
    seen[each] = nil
  end
  seen.last = math.min(seen.last, row - 1)
end

--- Redraws rows that a change leaves untouched but that look different after it, which Neovim (since 0.11) does not
--- expect: the blank row above may gain or lose its rule, and rows below may start or stop being part of a question.
local function redraw_beside(buf, row)
  vim.api.nvim__redraw({ buf = buf, range = { math.max(0, row - 1), -1 }, flush = false })
end

local function follow_changes(buf)
  if known[buf] then
    return
  end
  local seen = { questions = { last = -1 }, markers = { last = -1 } }
  known[buf] = seen
  vim.api.nvim_buf_attach(buf, false, {
    on_lines = function(_, _, _, first, last, new_last)
      forget_from(seen.questions, first)
      if last ~= new_last then
        forget_from(seen.markers, first)
        redraw_beside(buf, first)
      end
      return known[buf] ~= seen
    end,
    on_reload = function()
      forget_from(seen.questions, 0)
      forget_from(seen.markers, 0)
    end,
    on_detach = function()
      known[buf] = nil
    end,
  })
end

--- Called after the first line of a question was drawn without its marker.
---@type fun(buf: integer, row: integer)?
local unmarked = nil

---@param callback fun(buf: integer, row: integer)
function M.on_unmarked(callback)
  unmarked = callback
end

--- Whether the row was a question when it was drawn last.
---@param buf integer
---@param row integer
---@return boolean
function M.is_drawn_as_question(buf, row)
  return known[buf] ~= nil and known[buf].markers[row] == "question"
end

--- Notes a line's marker as it is drawn, and redraws its neighbours when the marker has changed. Done while drawing, so
--- that it costs a write nothing.
local function note_marker(buf, row, name)
  local seen = known[buf].markers
  local was = seen[row]
  if was == name then
    return
  end
  keep(seen, row, name)
  if was ~= nil then
    vim.schedule(function()
      if vim.api.nvim_buf_is_loaded(buf) then
        redraw_beside(buf, row)
        if unmarked and was == "question" then
          unmarked(buf, row)
        end
      end
    end)
  end
end

--- Whether the nearest marker above a line without a marker is a question.
local function is_in_question(buf, row)
  local seen = known[buf].questions
  local answer, above = seen[row], row - 1
  if answer ~= nil then
    return answer
  end
  while answer == nil and above >= 0 and row - above <= most_above do
    local name = seen[above] == nil and markers.read(line_at(buf, above))
    if name then
      answer = name == "question"
    else
      answer = seen[above]
    end
    above = above - 1
  end
  -- The rows in between, too, so that a row that is drawn for each write of an answer reads no others.
  for each = answer == nil and row or above + 2, row do
    keep(seen, each, answer == true)
  end
  return answer == true
end

--- Draws a rule on the blank line above a question, to separate exchanges; not on the first line of a chat.
local function draw_rule(win, buf, row)
  if row == 0 or not config.get().turn_rule then
    return
  end
  local name = markers.read(line_at(buf, row + 1))
  if name ~= "question" or line_at(buf, row - 1) == "---" then
    return
  end
  local cell = "─"
  local columns = vim.api.nvim_win_get_width(win) - vim.fn.getwininfo(win)[1].textoff
  local count = math.floor(columns / vim.api.nvim_strwidth(cell))
  vim.api.nvim_buf_set_extmark(buf, namespace, row, 0, {
    virt_text = { { cell:rep(count), "ParleyRule" } },
    virt_text_pos = "overlay",
    hl_mode = "combine",
    ephemeral = true,
  })
end

local function draw_decision(buf, row, line, from)
  local open, close, decision = line:find("^%s*%[(%w+)%]", from)
  if open then
    local first = line:find("[", open, true)
    local group = call_text.is_no(decision) and "ParleyNo" or "ParleyYes"
    highlight(buf, row, first - 1, close, group)
  end
end

--- Returns a short text to show in place of one of the host's comment lines. For an unfinished answer the host draws
--- more detail over it later.
local function words_of(line)
  local reason = line:match("^<!%-%- parley:unfinished (%l+) %-%->%s*$")
  if reason then
    return reason == "open" and "…" or ("(%s)"):format(reason)
  end
  local json = line:match("^<!%-%- parley:step (.*) %-%->%s*$")
  local model = json and json:match('"model"%s*:%s*"([^"]*)"')
  return json and "step" .. (model and (" · " .. model) or "")
end

--- A priority below the host's own text on the same line.
local under_others = 1

--- The comment that was drawn last, and the text that covers it: the one below a streaming answer is drawn with each
--- write.
local comment, cover

local function draw_comment(buf, row, line)
  if line ~= comment then
    local text = words_of(line)
    local rest = text and vim.api.nvim_strwidth(line:sub(1, 400)) - vim.api.nvim_strwidth(text)
    comment, cover = line, text and text .. (" "):rep(rest)
  end
  if not cover then
    return
  end
  vim.api.nvim_buf_set_extmark(buf, namespace, row, 0, {
    virt_text = { { cover, "ParleyStep" } },
    virt_text_pos = "overlay",
    hl_mode = "replace",
    priority = under_others,
    ephemeral = true,
  })
end

local function draw_line(win, buf, row)
  local line = line_at(buf, row)
  local name, behind = markers.read(line)
  note_marker(buf, row, name or "")
  if name then
    local group, whole = unpack(marker_highlights[name])
    highlight(buf, row, 0, whole and #line or behind - 1, group)
    if name == "call" then
      draw_decision(buf, row, line, behind)
    end
  elseif line:byte(1) == 60 then
    draw_comment(buf, row, line)
  elseif not line:find("%S") then
    system.interruptible(draw_rule, win, buf, row)
  elseif is_in_question(buf, row) then
    highlight(buf, row, 0, #line, "ParleyQuestion", under)
  end
end

local provider_is_set = false

local function set_provider()
  if provider_is_set then
    return
  end
  provider_is_set = true
  vim.api.nvim_set_decoration_provider(namespace, {
    on_win = function(_, _, buf)
      if not attached[buf] then
        return false
      end
      follow_changes(buf)
    end,
    on_line = function(_, win, buf, row)
      draw_line(win, buf, row)
    end,
  })
end

--- What we linked each group to; any other link or colour was set by the user.
local given = {}

--- Rows use the colours of folded lines, unless a colour scheme makes those unreadable.
local function set_row()
  local now = vim.api.nvim_get_hl(0, { name = "ParleyRow" })
  if next(now) == nil or vim.deep_equal(now, given.ParleyRow) then
    local look =
      vim.tbl_extend("force", contrast.ink_on("Folded"), { default = true, force = true })
    vim.api.nvim_set_hl(0, "ParleyRow", look)
    given.ParleyRow = vim.api.nvim_get_hl(0, { name = "ParleyRow" })
  end
end

local function set_links()
  contrast.forget()
  set_row()
  for name, link in pairs(quiet_links) do
    vim.api.nvim_set_hl(0, name, { link = link, default = true })
  end
  for name, candidates in pairs(links) do
    local now = vim.api.nvim_get_hl(0, { name = name })
    if next(now) == nil or (now.link ~= nil and now.link == given[name]) then
      given[name] = contrast.first_readable(candidates)
      vim.api.nvim_set_hl(0, name, { link = given[name], default = true, force = true })
    end
  end
end

--- The options for wrapping at words. 'breakindent' would nearly double the cost of each write of an answer.
local breaking = { "wrap", "linebreak" }

--- By chat: which of these options we set.
local wrapped = {}

--- Wraps long lines in the windows of a chat, because a paragraph of an answer is one line. Done only once, so that the
--- user can change it; other windows inherit the values of the buffer's last window.
---@param buf integer
function M.wrap(buf)
  local wins = config.get().wrap and wrapped[buf] == nil and chats.windows(buf) or {}
  for _, win in ipairs(wins) do
    wrapped[buf] = wrapped[buf] or {}
    for _, name in ipairs(breaking) do
      wrapped[buf][name] = wrapped[buf][name] or not vim.wo[win][name] or nil
      vim.wo[win][0][name] = true
    end
  end
end

---@param buf integer
function M.attach(buf)
  set_provider()
  set_links()
  attached[buf] = true
  follow_changes(buf)
  M.wrap(buf)
end

---@param buf integer
function M.detach(buf)
  attached[buf], known[buf] = nil, nil
  for _, win in ipairs(wrapped[buf] and vim.fn.win_findbuf(buf) or {}) do
    for name in pairs(wrapped[buf]) do
      vim.wo[win][0][name] = false
    end
  end
  wrapped[buf] = nil
end

local group = vim.api.nvim_create_augroup("parley.highlights", {})
vim.api.nvim_create_autocmd("ColorScheme", { group = group, callback = set_links })
-- Neovim detects the terminal's colours late.
vim.api.nvim_create_autocmd("OptionSet", {
  group = group,
  pattern = { "background", "termguicolors" },
  callback = set_links,
})

return M
