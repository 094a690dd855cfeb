--- What takes the rows of a chat away, and makes them again after it: diffs, plugins that fold in their own way, and
--- what takes columns from them.
local chats = require("parley.text.chats")
local host = require("parley.host")

-- Loaded when it is needed: the first screen of a chat does without.
local function other_folds()
  return require("parley.screen.folds.other_folds")
end

local M = {}

local group = vim.api.nvim_create_augroup("parley.refold", {})
local namespace = vim.api.nvim_create_namespace("parley.refold")

--- The host draws the calls that wait.
local function draw_again(buf)
  if chats.is_loaded(buf) then
    host.tell_running(chats.attach_message(buf))
  end
end

local function refold(buf)
  require("parley.screen.folds.unfolded").attach(buf)
  draw_again(buf)
end

--- A diff takes all folds out of its windows, and Neovim leaves 'foldenable' off behind it where they are made by hand:
--- calls are rows again when it is over.
function M.follow_diffs()
  vim.api.nvim_clear_autocmds({ group = group, event = "OptionSet" })
  vim.api.nvim_create_autocmd("OptionSet", {
    group = group,
    pattern = "diff",
    callback = function()
      if not vim.v.option_old then
        return
      end
      local win, buf = vim.api.nvim_get_current_win(), vim.api.nvim_get_current_buf()
      vim.schedule(function()
        local is_shown = vim.api.nvim_win_is_valid(win) and vim.api.nvim_win_get_buf(win) == buf
        if is_shown and chats.is_loaded(buf) and not vim.wo[win].diff then
          vim.wo[win][0].foldenable = vim.go.foldenable
          -- Folds of equal lines stay behind it, as if the person had made them.
          other_folds().remove_manual(win)
          refold(buf)
        end
      end)
    end,
  })
end

--- Plugins of file types set their way of folding again and again (vim-markdown does at these events), and no
--- `OptionSet` tells of what an autocommand sets.
---@param buf integer
function M.follow_plugins(buf)
  local events = { "InsertEnter", "InsertLeave", "CursorHold", "CursorHoldI", "BufWritePost" }
  vim.api.nvim_clear_autocmds({ group = group, buffer = buf })
  vim.api.nvim_create_autocmd(events, {
    group = group,
    buffer = buf,
    callback = vim.schedule_wrap(function()
      if chats.is_loaded(buf) and other_folds().are_back(buf) then
        refold(buf)
      end
    end),
  })
end

--- Numbers, signs and the columns of plugins take room from the rows without an event, and how much 'statuscolumn'
--- takes is known only when it is drawn: calls that wait are drawn for the width that is left.
function M.follow_columns()
  local open_rows = require("parley.screen.calls.open_rows")
  vim.api.nvim_set_decoration_provider(namespace, {
    on_end = function()
      for _, buf in ipairs(chats.list()) do
        if vim.fn.bufwinid(buf) > 0 and open_rows.is_misfit(buf) then
          vim.schedule(function()
            draw_again(buf)
          end)
        end
      end
    end,
  })
end

--- No chat is left.
function M.stop()
  vim.api.nvim_set_decoration_provider(namespace, {})
  vim.api.nvim_clear_autocmds({ group = group })
end

return M
