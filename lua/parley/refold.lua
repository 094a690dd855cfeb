--- Restores the call rows of a chat after something disturbed them: a diff, a plugin with its own folding, or a change
--- of the columns that are left for the text.
local chats = require("parley.text.chats")
local host = require("parley.host")
local system = require("parley.system")

-- Loaded on demand: the first screen of a chat does not need it.
local function other_folds()
  return require("parley.screen.folds.other_folds")
end

local M = {}

local group = vim.api.nvim_create_augroup("parley.refold", {})
local namespace = vim.api.nvim_create_namespace("parley.refold")

--- Makes the host draw the waiting calls again.
local function draw_again(buf)
  if chats.is_loaded(buf) then
    host.send_if_running(chats.attach_message(buf))
  end
end

local function refold(buf)
  require("parley.screen.folds.unfolded").attach(buf)
  draw_again(buf)
end

--- A diff removes all folds from its windows, and Neovim leaves 'foldenable' off afterwards when folds are manual. This
--- folds the calls again when the diff ends.
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
          -- The diff's folds of equal lines stay behind as manual folds.
          other_folds().remove_manual(win)
          refold(buf)
        end
      end)
    end,
  })
end

--- File type plugins set 'foldmethod' repeatedly (vim-markdown does at these events), and `OptionSet` is not triggered
--- for options that an autocommand sets.
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

--- Line numbers, signs and plugins' columns take width from the rows without an event, and the width of 'statuscolumn'
--- is only known when it is drawn. So a decoration provider checks the width that is left for the waiting calls.
function M.follow_columns()
  local open_rows = require("parley.screen.calls.open_rows")
  vim.api.nvim_set_decoration_provider(namespace, {
    on_end = function()
      local _, misfits = system.interruptible(open_rows.misfits)
      for _, buf in ipairs(misfits or {}) do
        vim.schedule(function()
          draw_again(buf)
        end)
      end
    end,
  })
end

--- Stops everything, when the last chat is gone.
function M.stop()
  vim.api.nvim_set_decoration_provider(namespace, {})
  vim.api.nvim_clear_autocmds({ group = group })
end

return M
