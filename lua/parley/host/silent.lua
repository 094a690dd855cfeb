--- A host that says nothing after a stop: the offer to start it again.
local M = {}

--- How long a host that works is silent after a stop, at most.
local patience_ms = 2000

--- Asks after a while, when the host is silent then; starts it again when it is there and the person says so.
---@param is_silent fun(): boolean
---@param is_there fun(): boolean
---@param restart fun()
function M.offer(is_silent, is_there, restart)
  vim.defer_fn(function()
    if not is_silent() then
      return
    end
    local choices = { "Wait for it", "Start it again; text and open calls stay as they are" }
    local prompt = "Parley's host has not answered the stop for 2 seconds:"
    vim.ui.select(choices, { prompt = prompt }, function(_, index)
      if index == 2 and is_there() then
        restart()
      end
    end)
  end, patience_ms)
end

return M
