--- Pauses automatic paragraph formatting (`a` in 'formatoptions') in a chat while an answer streams: text typed at its
--- end or below would be joined with the answer and its mark.
local M = {}

local group = vim.api.nvim_create_augroup("parley.filling", {})

--- By buffer: whether formatting was on, and whether a plugin turned it on only for Insert mode.
---@type table<integer, { was_on: boolean, is_typing: boolean }>
local paused = {}

--- Turns formatting off; returns whether it was on.
local function stop(buf)
  local without, count = vim.bo[buf].formatoptions:gsub("a", "")
  if count > 0 then
    vim.bo[buf].formatoptions = without
  end
  return count > 0
end

---@param buf integer
function M.pause(buf)
  if paused[buf] then
    return
  end
  local state = { was_on = stop(buf), is_typing = false }
  paused[buf] = state
  vim.api.nvim_create_autocmd({ "InsertEnter", "InsertLeave" }, {
    group = group,
    buffer = buf,
    callback = function(event)
      state.is_typing = event.event == "InsertEnter" and stop(buf)
    end,
  })
end

---@param buf integer
function M.resume(buf)
  local state = paused[buf]
  paused[buf] = nil
  if not state or not vim.api.nvim_buf_is_loaded(buf) then
    return
  end
  vim.api.nvim_clear_autocmds({ group = group, buffer = buf })
  if state.was_on or state.is_typing then
    vim.bo[buf].formatoptions = vim.bo[buf].formatoptions .. "a"
  end
end

return M
