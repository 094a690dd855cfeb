--- What of the open calls is on screen, and scrolling so that it is.
local toast = require("parley.messages.toast")

local M = {}

local function in_window(win, call, count)
  return vim.api.nvim_win_call(win, function()
    local row = call.line + 1
    if row < vim.fn.line("w0") or row > vim.fn.line("w$") or vim.fn.foldclosed(row) > 0 then
      return false
    end
    local covered = toast.top()
    if row < vim.fn.line("w$") then
      return vim.fn.screenpos(win, row + 1, 1).row - 1 < covered
    end
    -- The last line of the window: its virtual lines have only what is left below it.
    local top = vim.fn.screenpos(win, row, 1).row
    if top == 0 then
      return false
    end
    local info = vim.fn.getwininfo(win)[1]
    local text = vim.fn.virtcol({ row, "$" })
    local width = math.max(1, info.width - info.textoff)
    local height = vim.wo.wrap and math.max(1, math.ceil((text - 1) / width)) or 1
    local bottom = info.winrow + info.winbar + info.height - 1
    local last = top + height - 1 + count
    return last <= bottom and last < covered
  end)
end

--- Whether a call and the virtual lines below it are on screen in the window.
function M.is_visible(win, call)
  return in_window(win, call, call.rows)
end

--- Scrolls windows that stand on or below the first open call so far that what is drawn below the end of
--- the buffer can be seen: Neovim does not count virtual lines there when it scrolls.
function M.ends(buf, calls)
  local first = calls[1]
  if not first then
    return
  end
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local cursor = vim.api.nvim_win_get_cursor(win)
    if cursor[1] - 1 >= first.line then
      local info = vim.fn.getwininfo(win)[1]
      -- Without an end it counts the virtual lines below the last line too.
      local rows = vim.api.nvim_win_text_height(win, { start_row = info.topline - 1 }).all
      local hidden = rows - info.height
      local room = cursor[1] - info.topline - vim.wo[win].scrolloff
      if hidden > 0 and room > 0 then
        vim.api.nvim_win_call(win, function()
          vim.fn.winrestview({ topline = info.topline + math.min(hidden, room) })
        end)
      end
    end
  end
end

return M
