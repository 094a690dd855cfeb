--- Floating windows: the full list of open calls, and the keys.
local show = require("parley.screen.show")

local M = {}

local namespace = vim.api.nvim_create_namespace("parley.float")

local function open(lines, title, footer)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].bufhidden = "wipe"
  vim.bo[buf].modifiable = false
  local longest = vim.api.nvim_strwidth(title .. (footer or "")) + 4
  for _, line in ipairs(lines) do
    longest = math.max(longest, vim.api.nvim_strwidth(line))
  end
  local width = math.max(1, math.min(longest, vim.o.columns - 4))
  local rows = 0
  for _, line in ipairs(lines) do
    rows = rows + math.max(1, math.ceil(vim.api.nvim_strwidth(line) / width))
  end
  local height = math.max(1, math.min(rows, vim.o.lines - 6))
  local win = vim.api.nvim_open_win(buf, true, {
    relative = "editor",
    row = math.max(0, math.floor((vim.o.lines - height) / 2) - 1),
    col = math.max(0, math.floor((vim.o.columns - width) / 2) - 1),
    width = width,
    height = height,
    style = "minimal",
    border = "rounded",
    title = " " .. title .. " ",
    footer = " " .. (footer or "q closes") .. " ",
  })
  vim.wo[win].wrap = true
  local function close()
    if vim.api.nvim_win_is_valid(win) then
      vim.api.nvim_win_close(win, true)
    end
  end
  for _, key in ipairs({ "q", "<Esc>" }) do
    vim.keymap.set("n", key, close, { buffer = buf, nowait = true })
  end
  vim.api.nvim_create_autocmd(
    "WinLeave",
    { buffer = buf, once = true, callback = vim.schedule_wrap(close) }
  )
  return buf, close
end

--- Text of a virtual line, which may be chunks of text and highlight.
local function plain(line)
  if type(line) ~= "table" then
    return line
  end
  return table.concat(vim.tbl_map(function(chunk)
    return chunk[1]
  end, line))
end

--- Everything that is known of the calls, uncut.
local function call_lines(calls)
  local lines, heads = {}, {}
  for _, call in ipairs(calls) do
    heads[#heads + 1] = #lines
    lines[#lines + 1] = ("line %d"):format(call.line + 1)
    for _, line in ipairs(call.full or call.lines) do
      vim.list_extend(lines, vim.split(plain(line), "\n", { plain = true }))
    end
    lines[#lines + 1] = ""
  end
  return lines, heads
end

local function highlight_row(buf, row, group)
  if group then
    vim.api.nvim_buf_set_extmark(buf, namespace, row, 0, { end_row = row + 1, hl_group = group })
  end
end

--- Lists the calls that `key` would decide. The same key here decides them; any other one closes the list.
--- `keys`: what the approval keys are mapped to, by decision.
function M.calls(calls, decision, keys, press)
  local lines, heads = call_lines(calls)
  local title = ("%d open call%s"):format(#calls, #calls == 1 and "" or "s")
  local footer = ("%s decides, q closes"):format(keys[decision] or decision)
  local buf, close = open(lines, title, footer)
  for row, line in ipairs(lines) do
    highlight_row(buf, row - 1, show.diff_highlight(line))
  end
  for _, row in ipairs(heads) do
    highlight_row(buf, row, "ParleyCall")
  end
  for other, key in pairs(keys) do
    vim.keymap.set("n", key, function()
      close()
      press(other, other == decision)
    end, { buffer = buf, nowait = true })
  end
  return buf
end

--- Any lines.
function M.text(lines, title)
  return open(lines, title)
end

--- Lists keys: `{ {key, description}, … }`.
function M.help(rows)
  local lines = {}
  for _, row in ipairs(rows) do
    lines[#lines + 1] = ("%-12s %s"):format(row[1], row[2])
  end
  vim.list_extend(lines, { "", "The approval keys work on an open ❓: line. More: :help parley" })
  return open(lines, "Parley")
end

return M
