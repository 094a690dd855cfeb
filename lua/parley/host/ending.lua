--- A host that was told to end: nobody waits for it, and what comes next comes once it has ended.
local M = {}

--- How long a host may take to end, its servers first. A suspended one hears of nothing and is killed then.
local patience_ms = 1000

local ending = { job = nil, next = nil }

--- Whether a host is ending, beside which no other one starts.
---@return boolean
function M.is_under_way()
  return ending.job ~= nil
end

--- What is done once the host that is ending has ended.
---@param next fun()
function M.expect(next)
  ending.next = next
end

---@param job integer
---@param next fun()
function M.begin(job, next)
  local pid = vim.fn.jobpid(job)
  ending = { job = job, next = next }
  vim.fn.jobstop(job)
  vim.defer_fn(function()
    if ending.job == job then
      vim.uv.kill(pid, "sigkill")
    end
  end, patience_ms)
end

--- The job has ended; whether it was the one that was told to.
---@param job integer
---@return boolean
function M.ended(job)
  if job ~= ending.job then
    return false
  end
  local next = ending.next
  ending = { job = nil, next = nil }
  if vim.v.exiting == vim.NIL then
    next()
  end
  return true
end

return M
