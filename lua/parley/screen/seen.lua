--- Whether something was on the screen long enough to be seen: a key that comes sooner was meant for what stood there
--- before.
local M = {}

--- Milliseconds. Scripts, which press keys without reading, set another number.
M.least_ms = tonumber(vim.env.PARLEY_SEEN_MS) or 500

---@return number milliseconds of `hrtime`
function M.now()
  return vim.uv.hrtime() / 1e6
end

--- `since` when it came, by `now`; nil: it did not.
---@param since? number
---@return boolean
function M.is_enough(since)
  return since ~= nil and M.now() - since >= M.least_ms
end

return M
