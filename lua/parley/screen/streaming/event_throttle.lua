--- What other plugins hear of an answer that streams: that the cursor moved with it and the text changed, ten times a
--- second and not with each write. What they do then comes between the write and its redraw. Keys are heard at once.
local M = {}

local namespace = vim.api.nvim_create_namespace("parley.event_throttle")
local events = { "CursorMoved", "TextChanged" }
local pause_ms = 100
--- Neovim 0.10 has no such option: plugins hear of each write there.
local has_option = vim.fn.exists("+eventignorewin") == 1
local timer = nil

--- The window whose events are held, its buffer, and what its 'eventignorewin' was before and is now.
---@type { win: integer, buf: integer, before: string, value: string }?
local held = nil

local function ignore(win, value)
  vim.api.nvim_set_option_value("eventignorewin", value, { scope = "local", win = win })
end

--- A window that was opened from this one meanwhile took the value along.
local function release()
  local was = assert(held)
  held = nil
  vim.on_key(nil, namespace)
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    if vim.wo[win].eventignorewin == was.value then
      ignore(win, was.before)
    end
  end
  return was
end

--- Neovim has these events for the current window in Normal mode only.
local function is_current(win, buf)
  return vim.api.nvim_get_current_win() == win
    and vim.api.nvim_get_current_buf() == buf
    and vim.api.nvim_get_mode().mode == "n"
end

local function tell(was)
  if is_current(was.win, was.buf) then
    vim.api.nvim_exec_autocmds(events, { buffer = was.buf, modeline = false })
  end
end

-- A buffer remembers the options of the window that it leaves, and no key need be pressed for that: a picker opens what
-- was chosen a moment later.
vim.api.nvim_create_autocmd({ "BufLeave", "WinLeave" }, {
  group = vim.api.nvim_create_augroup("parley.event_throttle", {}),
  callback = function()
    if held then
      release()
    end
  end,
})

local function release_and_tell()
  if held then
    tell(release())
  end
end

--- An answer is being written into the buffer.
---@param buf integer
function M.write(buf)
  local win = vim.api.nvim_get_current_win()
  if held or not has_option or not is_current(win, buf) then
    return
  end
  local before = vim.wo[win].eventignorewin
  local names = table.concat(events, ",")
  local value = before == "" and names or before .. "," .. names
  held = { win = win, buf = buf, before = before, value = value }
  ignore(win, held.value)
  vim.on_key(function(key, typed)
    if (typed or key) ~= "" then
      local was = release()
      vim.schedule(function()
        tell(was)
      end)
    end
  end, namespace)
  timer = timer or assert(vim.uv.new_timer())
  timer:start(pause_ms, 0, vim.schedule_wrap(release_and_tell))
end

--- Nothing more is written there.
---@param buf integer
function M.close(buf)
  if held and held.buf == buf then
    release_and_tell()
  end
end

return M
