--- How often the host may be started: one that ends each time must not be started for ever.
local M = {}

local restarts_allowed = 3
local window_ms = 60000

--- When it was started within the window, in milliseconds of `vim.uv.now`.
---@type integer[]
local starts = {}

--- Whether the host may be started now; says why when it may not, and counts it when it may.
---@return boolean
function M.may_start()
  local now = vim.uv.now()
  starts = vim.tbl_filter(function(start)
    return now - start < window_ms
  end, starts)
  if #starts > restarts_allowed then
    local words = "Parley's host ended %d times within a minute, so Parley does not start it again. "
      .. "Look at :checkhealth parley, then use :Parley restart."
    require("parley.messages.notify").notify(words:format(#starts), vim.log.levels.ERROR)
    return false
  end
  table.insert(starts, now)
  return true
end

--- A person starts it: earlier starts count no longer.
function M.forget()
  starts = {}
end

return M
