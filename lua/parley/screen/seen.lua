--- Whether a key can have been meant for what is on the screen: what came a moment before it was not seen.
local M = {}

--- Milliseconds that a change of what stood there needs to be seen, as browsers ask for before a yes.
local change_ms = 500
--- Milliseconds within which the second of two keys was meant for what the first one was meant for.
local double_press_ms = 300

--- When a key last decided something.
local decided_at = -math.huge

--- When something came on the screen, in milliseconds of `hrtime`, and whether nothing was there before it that a key
--- could have been meant for.
---@class parley.Seen
---@field since number
---@field is_first boolean

---@return number milliseconds of `hrtime`
function M.now()
  return vim.uv.hrtime() / 1e6
end

---@param is_first boolean
---@return parley.Seen
function M.came(is_first)
  return { since = M.now(), is_first = is_first }
end

--- A key decides what is on the screen.
function M.decided()
  decided_at = M.now()
end

--- What is not on the screen at all (nil) was not seen.
---@param seen? parley.Seen
---@return boolean
function M.is_enough(seen)
  if not seen then
    return false
  end
  if seen.is_first then
    return seen.since <= decided_at or M.now() - decided_at >= double_press_ms
  end
  return M.now() - seen.since >= change_ms
end

return M
