--- Maps the keys of a chat again: others than before, or those that something came over.
local chats = require("parley.text.chats")
local maps = require("parley.keys.maps")

local M = {}

--- How long plugins take to map the keys of a language server that is there.
local server_keys_ms = 500

local group = vim.api.nvim_create_augroup("parley.renew", {})

---@param buf integer
function M.renew(buf)
  maps.unset(buf)
  maps.set(buf)
  require("parley.keys.approval_maps").refresh(buf)
end

--- A language server's keys are made for all files alike, and come over those of the chat when it is there.
---@param buf integer
function M.follow_servers(buf)
  vim.api.nvim_clear_autocmds({ group = group, buffer = buf })
  vim.api.nvim_create_autocmd("LspAttach", {
    group = group,
    buffer = buf,
    callback = function()
      vim.defer_fn(function()
        if chats.is_loaded(buf) then
          M.renew(buf)
        end
      end, server_keys_ms)
    end,
  })
end

return M
