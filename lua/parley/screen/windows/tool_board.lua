--- The list of servers and tools with their switches; the host supplies its contents.
local open = require("parley.screen.windows.open")

local M = {}

--- Shows or updates the list and its keys. `press(chat, action, id)` is called for a key on a line; `id` is empty when
--- the line has no item.
---@param chat integer the buffer that the list is about
---@param lines string[]
---@param ids string[] what each line is about; empty for one that is about nothing
---@param press fun(chat: integer, action: string, id: string)
function M.show(chat, lines, ids, press)
  local shown = require("parley.system.scratch").named("parley://tools")
  local win = shown and vim.fn.bufwinid(shown) or -1
  local cursor = win > 0 and vim.api.nvim_win_get_cursor(win) or nil
  open.open(lines, { title = "tools" })
  local buf = vim.api.nvim_get_current_buf()
  if cursor then
    vim.api.nvim_win_set_cursor(0, { math.min(cursor[1], #lines), cursor[2] })
  else
    for row, id in ipairs(ids) do
      if id ~= "" then
        vim.api.nvim_win_set_cursor(0, { row, 0 })
        break
      end
    end
  end
  local function map(key, action, needs_line, words)
    vim.keymap.set("n", key, function()
      local id = ids[vim.fn.line(".")] or ""
      if id ~= "" or not needs_line then
        press(chat, action, id)
      end
    end, { buffer = buf, nowait = true, desc = "Parley: " .. words })
  end
  map("<Space>", "toggle", true, "switch this on or off")
  map("<CR>", "toggle", true, "switch this on or off")
  map("K", "describe", true, "describe this tool")
  map("S", "save", false, "save for all chats")
end

return M
