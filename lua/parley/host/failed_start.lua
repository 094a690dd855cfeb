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
      tell(
        "Parley's host did not start; no chat was changed. :checkhealth parley says more.\n" .. tail
      )
    end
    done(is_other)
  end)
end

return M
