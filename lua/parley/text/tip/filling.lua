--- Paragraphs that are filled while they are typed (`a` in 'formatoptions', as writers have it) are left alone in a
--- chat while an answer streams: what is typed at its end or below it is one paragraph with the answer and its mark.
local M = {}

local group = vim.api.nvim_create_augroup("parley.filling", {})

--- By buffer: whether they were filled, and whether a plugin began to fill them for as long as Insert mode lasts.
---@type table<integer, { was_on: boolean, is_typing: boolean }>
local paused = {}

--- Whether they were filled until now.
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
