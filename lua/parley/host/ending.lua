--- The end of a host: one that was told to, which nobody waits for, and what comes next comes once it has ended; and
--- one that says nothing after a stop, with the offer to start it again.
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

--- How long a host that works is silent after it was told something, at most.
local silence_ms = 2000

--- Runs `act` after a while, when the host has said nothing since and is the same one. The while is counted in parts: a
--- Neovim that runs a command of the person's, or is suspended, hears nobody, and then hears timers first.
local function when_silent(look, act)
  local job, words = look()
  local parts = 4
  local function wait()
    vim.defer_fn(function()
      local now, said = look()
      if job == nil or now ~= job or said ~= words then
        return
      end
      parts = parts - 1
      if parts == 0 then
        act(job)
      else
        wait()
      end
    end, silence_ms / 4)
  end
  wait()
end

local last_words = nil

--- Says that what was asked of the host waits for it, once: one that is suspended or busy says nothing itself.
---@param look fun(): integer?, integer the job of the host, and how often it has said something
function M.tell_silence(look)
  local _, words = look()
  if last_words == words then
    return
  end
  last_words = words
  when_silent(look, function()
    local stop = require("parley.config.own_keys").of("stop")[1] or ":Parley stop"
    local told = "Parley's host has not answered for 2 seconds, so your request waits; %s stops it."
    require("parley.messages.notify").notify(told:format(stop), vim.log.levels.WARN)
  end)
end

--- Asks after a while, when the host has said nothing since; starts it again when it is there and the person says so.
---@param look fun(): integer?, integer
---@param restart fun()
function M.offer_restart(look, restart)
  when_silent(look, function(job)
    local choices = { "Wait for it", "Restart it; text and open calls stay as they are" }
    local prompt = "Parley's host has not answered the stop for 2 seconds:"
    require("parley.messages.prompts").select(choices, { prompt = prompt }, function(_, index)
      if index == 2 and look() == job then
        restart()
      end
    end)
  end)
end

return M
