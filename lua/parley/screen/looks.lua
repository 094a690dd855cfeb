--- Colours for markers, decisions and comment lines, given to visible lines only and kept nowhere.
local key_table = require("parley.config.key_table")

local M = {}

local namespace = vim.api.nvim_create_namespace("parley.looks")
local attached = {}

local links = {
  ParleyQuestion = "Title",
  ParleyAnswer = "Identifier",
  ParleyThought = "Comment",
  ParleySummary = "Statement",
  ParleyCall = "Identifier",
  ParleyYes = "DiagnosticOk",
  ParleyNo = "DiagnosticError",
  ParleyDecision = "Keyword",
  ParleyResult = "Statement",
  ParleyStep = "Comment",
  ParleyPrivate = "Comment",
  ParleyVirtual = "Comment",
  ParleyProgress = "Identifier",
  ParleyWaiting = "DiagnosticWarn",
  ParleyError = "DiagnosticError",
  ParleyUsage = "Comment",
  ParleyAdded = "Added",
  ParleyRemoved = "Removed",
}

--- The records that say no.
local declining = {}
for _, row in ipairs(key_table.rows) do
  if row.decision and row.decision.answer == "no" then
    declining[row.decision.record] = true
  end
end

--- Marker, group, and whether the whole line has it.
local markers = {
  { "💬", "ParleyQuestion", true },
  { "🤖", "ParleyAnswer", true },
  { "🧠", "ParleyThought", true },
  { "📝", "ParleySummary", true },
  { "❓", "ParleyCall", false },
  { "🛠", "ParleyResult", true },
  { "🔧", "ParleyCall", false },
  { "📎", "ParleyResult", true },
  { "🌿", "ParleyStep", true },
  { "🔒", "ParleyPrivate", true },
}

local function highlight(buf, row, from, to, group)
  vim.api.nvim_buf_set_extmark(buf, namespace, row, from, {
    end_col = to,
    hl_group = group,
    ephemeral = true,
    priority = 110,
  })
end

local function draw_decision(buf, row, line, from)
  local open, close, decision = line:find("^%s*%[(%w+)%]", from)
  if open then
    local first = line:find("[", open, true)
    local group = declining[decision] and "ParleyNo" or "ParleyYes"
    highlight(buf, row, first - 1, close, group)
  end
end

--- A step line holds data for the host: what it says to a person fits in a few words.
local function draw_step(buf, row, line)
  local json = line:match("^<!%-%- parley:step (.*) %-%->%s*$")
  if not json then
    return
  end
  local model = json:match('"model"%s*:%s*"([^"]*)"')
  local text = "step" .. (model and (" · " .. model) or "")
  local width = vim.api.nvim_strwidth(line:sub(1, 400))
  vim.api.nvim_buf_set_extmark(buf, namespace, row, 0, {
    virt_text = { { text .. (" "):rep(width - vim.api.nvim_strwidth(text)), "ParleyStep" } },
    virt_text_pos = "overlay",
    hl_mode = "replace",
    ephemeral = true,
  })
end

local function draw_line(buf, row)
  local line = vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ""
  local first = line:byte(1)
  if first == 60 then
    draw_step(buf, row, line)
  end
  if first ~= 0xF0 and first ~= 0xE2 then
    return
  end
  for _, entry in ipairs(markers) do
    local marker, group, whole = entry[1], entry[2], entry[3]
    if vim.startswith(line, marker) then
      local colon = line:match("^\239?\184?\143?():", #marker + 1)
      if colon then
        highlight(buf, row, 0, whole and #line or colon, group)
        if marker == "❓" then
          draw_decision(buf, row, line, colon + 1)
        end
      end
      return
    end
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
      return attached[buf] == true
    end,
    on_line = function(_, _, buf, row)
      draw_line(buf, row)
    end,
  })
end

local function set_links()
  for name, link in pairs(links) do
    vim.api.nvim_set_hl(0, name, { link = link, default = true })
  end
end

---@param buf integer
function M.attach(buf)
  set_provider()
  set_links()
  attached[buf] = true
end

---@param buf integer
function M.detach(buf)
  attached[buf] = nil
end

vim.api.nvim_create_autocmd("ColorScheme", {
  group = vim.api.nvim_create_augroup("parley.looks", {}),
  callback = set_links,
})

return M
