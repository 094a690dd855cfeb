--- Limits how often the host is started, so that one that always crashes is not started forever.
local M = {}

local restarts_allowed = 3
local window_ms = 60000

--- The times of its starts within the window, in milliseconds of `vim.uv.now`.
---@type integer[]
local starts = {}

--- Returns whether the host may be started now, and counts the start. If not, tells the user why.
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

--- Forgets earlier starts, because the user starts the host explicitly.
function M.forget()
  starts = {}
end

return M
