--- Ends the host without blocking and starts the next one afterwards. Also watches for a host that does not react, and
--- offers to restart it.
local M = {}

--- How long a host may take to shut down its servers and exit. After that it is killed; a suspended one never reacts.
local patience_ms = 1000

local ending = { job = nil, next = nil }

--- Whether a host is shutting down. No other host starts meanwhile.
---@return boolean
function M.is_under_way()
  return ending.job ~= nil
end

--- Sets what to do once the current host has exited.
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

--- Handles the exit of a job. Returns whether it was the one that was told to end.
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

--- The longest that a healthy host takes to react to a message.
local silence_ms = 2000

--- Runs `act` after a while if the same host has not reacted. The wait consists of several timers: a Neovim that was
--- busy or suspended runs a due timer before it reads the host's messages.
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

--- Tells the user once that a request is waiting for the host, since a suspended or busy host cannot say so.
---@param look fun(): integer?, integer returns the host's job, and how many messages it has sent
function M.report_silence(look)
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

--- Asks the user after a while whether to restart a host that has not reacted, and does so if they agree.
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
