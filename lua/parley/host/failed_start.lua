--- Why the host did not start: asked only then, since a look at Node's version costs as much as starting it.
local node = require("parley.host.node")
local notify = require("parley.messages.notify")
local supported = require("parley.host.supported")

local M = {}

local function tell(message)
  notify.notify(message, vim.log.levels.ERROR)
end

--- A process that ends before it said anything is most often a Node that is too old or not there. `done` hears
--- whether another one will do; `used` is the one that was started, and `tail` what it said.
---@param used string
---@param tail string
---@param done fun(is_other: boolean)
function M.explain(used, tail, done)
  local floor = supported.node()
  node.choose(floor, function(path, seen)
    local is_other = path ~= nil and vim.fn.exepath(path) ~= vim.fn.exepath(used)
    if not path then
      tell(node.missing(floor, seen))
    elseif not is_other then
      local options = vim.env.NODE_OPTIONS
      local hint = (options or "") ~= ""
          and ("\nNODE_OPTIONS is set (%s): if that is the cause, start Neovim without it."):format(
            options
          )
        or ""
      tell(
        ("Parley's host did not start; no chat was changed. :checkhealth parley says more.%s\n%s"):format(
          hint,
          tail
        )
      )
    end
    done(is_other)
  end)
end

--- What was started as Node may be a script that waits for something and never runs the host: ends it, and with its
--- end another one is looked for. One that says a fit version is only slow.
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
