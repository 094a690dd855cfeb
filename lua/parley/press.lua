--- Runs a `<Plug>` map: a decision, an action, or the command of that name.
local actions = require("parley.actions")
local maps = require("parley.keys.maps")

local M = {}

--- Does what the key with this name does; names are as in `<Plug>(parley-approve-all)` or `approve_all`.
---@param name string
function M.press(name)
  name = name:gsub("-", "_")
  local decision = maps.decision(name)
  if decision then
    actions.decide(decision.record)
    return
  end
  if actions[name] then
    actions[name]()
    return
  end
  local mode = vim.api.nvim_get_mode().mode
  local is_visual = mode:find("^[vV\22]") ~= nil
  local first, last = vim.fn.line("v"), vim.fn.line(".")
  if is_visual then
    vim.cmd.normal({ vim.keycode("<Esc>"), bang = true })
  end
  require("parley.commands").run({
    fargs = { name },
    range = is_visual and 2 or 0,
    line1 = math.min(first, last),
    line2 = math.max(first, last),
  })
end

return M
