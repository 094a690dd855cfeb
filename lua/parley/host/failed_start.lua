--- Finds out why the host did not start. Only done after a failure, because asking Node for its version takes as long
--- as starting it.
local node = require("parley.host.node")
local notify = require("parley.messages.notify")
local supported = require("parley.host.supported")

local M = {}

local function report(message)
  notify.notify(message, vim.log.levels.ERROR)
end

--- Explains a process that exited before its first message, usually because Node is missing or too old. Calls `done`
--- with whether another Node will do. `used` is the Node that was started, `tail` its output.
---@param used string
---@param tail string
---@param done fun(is_other: boolean)
function M.explain(used, tail, done)
  local floor = supported.node()
  node.choose(floor, function(path, seen)
    local is_other = path ~= nil and vim.fn.exepath(path) ~= vim.fn.exepath(used)
    if not path then
      report(node.missing(floor, seen))
    elseif not is_other then
      local options = vim.env.NODE_OPTIONS
      local hint = (options or "") ~= ""
          and ("\nNODE_OPTIONS is set (%s): if that is the cause, start Neovim without it."):format(
            options
          )
        or ""
      report(
        ("Parley's host did not start; no chat was changed. :checkhealth parley says more.%s\n%s"):format(
          hint,
          tail
        )
      )
    end
    done(is_other)
  end)
end

--- Kills a "Node" that never runs the host, such as a script that waits for something, after which another one is
--- looked for. One that reports a suitable version is only slow and is left running.
---@param used string
---@param job integer
function M.end_unfit(used, job)
  node.will_do(used, supported.node(), function(does)
    if not does then
      vim.fn.jobstop(job)
    end
  end)
end

return M
