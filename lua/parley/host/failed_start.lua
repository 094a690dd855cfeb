--- Why the host did not start: asked only then, since a look at Node's version costs as much as starting it.
local notify = require("parley.messages.notify")
local supported = require("parley.host.supported")

local M = {}

local function tell(message)
  notify.notify(message, vim.log.levels.ERROR)
end

--- A process that ends before it said anything is most often a Node that is too old or not there.
function M.explain(node, tail)
  vim.system({ node, "--version" }, { text = true }, function(result)
    vim.schedule(function()
      local floor = supported.node()
      local found = vim.trim(result.stdout or "")
      local version = vim.version.parse(found)
      if version and floor and vim.version.lt(version, floor) then
        tell(
          ("Parley needs Node %s or newer and found %s (%s). Install a newer one, or set "):format(
            floor,
            found,
            node
          ) .. "vim.g.parley_node to its path."
        )
      else
        tell(
          "Parley's host did not start; no chat was changed. :checkhealth parley says more.\n"
            .. tail
        )
      end
    end)
  end)
end

return M
