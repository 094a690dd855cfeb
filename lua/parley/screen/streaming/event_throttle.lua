--- Throttles CursorMoved and TextChanged while an answer streams to ten times a second, because other plugins' handlers
--- would run between each write and its redraw. Keys are not delayed.
local M = {}

local namespace = vim.api.nvim_create_namespace("parley.event_throttle")
local events = { "CursorMoved", "TextChanged" }
local pause_ms = 100
--- Neovim 0.10 lacks this option; there, every write triggers the events.
local has_option = vim.fn.exists("+eventignorewin") == 1
local timer = nil

--- The window whose events are held back, its buffer, and the old and current value of its 'eventignorewin'.
---@type { win: integer, buf: integer, before: string, value: string }?
local held = nil

local function ignore(win, value)
  vim.api.nvim_set_option_value("eventignorewin", value, { scope = "local", win = win })
end

--- Restores the option, also in windows that were opened from this one and inherited it.
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

--- Whether the window is current: Neovim triggers these events only there.
local function is_current(win, buf)
  return vim.api.nvim_get_current_win() == win
    and vim.api.nvim_get_current_buf() == buf
    and vim.api.nvim_get_mode().mode == "n"
end

local function fire(was)
  if is_current(was.win, was.buf) then
    vim.api.nvim_exec_autocmds(events, { buffer = was.buf, modeline = false })
  end
end

-- A buffer remembers the options of the window that it leaves. That can happen without a key: a picker opens the chosen
-- file a moment later.
vim.api.nvim_create_autocmd({ "BufLeave", "WinLeave" }, {
  group = vim.api.nvim_create_augroup("parley.event_throttle", {}),
  callback = function()
    if held then
      release()
    end
  end,
})

local function release_and_fire()
  if held then
    fire(release())
  end
end

--- Holds the events back for a write to the buffer.
---@param buf integer
function M.write(buf)
  if held or not has_option then
    return
  end
  local win = vim.api.nvim_get_current_win()
  if not is_current(win, buf) then
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
        fire(was)
      end)
    end
  end, namespace)
  timer = timer or assert(vim.uv.new_timer())
  timer:start(pause_ms, 0, vim.schedule_wrap(release_and_fire))
end

--- Stops holding the events back, after the last write to the buffer.
---@param buf integer
function M.close(buf)
  if held and held.buf == buf then
    release_and_fire()
  end
end

return M
