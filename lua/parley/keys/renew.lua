--- Maps the keys of a chat again, after the configuration changed or another plugin replaced some.
local chats = require("parley.text.chats")
local maps = require("parley.keys.maps")

local M = {}

--- How long plugins take to map keys after a language server has attached.
local server_keys_ms = 500

local group = vim.api.nvim_create_augroup("parley.renew", {})

---@param buf integer
function M.renew(buf)
  maps.unset(buf)
  maps.set(buf)
  require("parley.keys.approval_maps").refresh(buf)
end

--- Maps of a language server are usually set for every buffer it attaches to and would replace those of the chat.
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
