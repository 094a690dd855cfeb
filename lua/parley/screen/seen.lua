--- Whether what is on the screen has been there long enough for a key to be meant for it.
local M = {}

--- Milliseconds that a change of what stood there needs to be seen, as browsers ask for before a yes.
local change_ms = 500

---@return number milliseconds of `hrtime`
function M.now()
  return vim.uv.hrtime() / 1e6
end

--- Since when something is on the screen, in milliseconds; where nothing stood there before it that a key could have
--- been meant for, it needs no time.
---@param is_first boolean
---@return number
function M.since(is_first)
  return is_first and -math.huge or M.now()
end

---@param since number
---@return boolean
function M.is_enough(since)
  return M.now() - since >= change_ms
end

return M
