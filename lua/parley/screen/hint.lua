--- Says behind the question of a new chat which key sends it.
local own_keys = require("parley.config.own_keys")

local M = {}

local namespace = vim.api.nvim_create_namespace("parley.hint")

--- Shows the hint behind this row until the text changes.
---@param buf integer
---@param row integer from 0
function M.show(buf, row)
  local words = {}
  for _, name in ipairs({ "respond", "help" }) do
    local key = own_keys.of(name)[1]
    words[#words + 1] = key
      and ("%s %s"):format(key, name == "help" and "lists the keys" or "sends your question")
  end
  if #words == 0 then
    return
  end
  local mark = vim.api.nvim_buf_set_extmark(buf, namespace, row, 0, {
    virt_text = { { table.concat(words, ", "), "ParleyVirtual" } },
    hl_mode = "combine",
  })
  vim.api.nvim_buf_attach(buf, false, {
    on_lines = function()
      vim.api.nvim_buf_del_extmark(buf, namespace, mark)
      return true
    end,
  })
end

return M
