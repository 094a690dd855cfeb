--- The virtual lines that windows show above their first line ('topfill' of |winsaveview()|).
local M = {}

--- To be called after virtual lines of a buffer were removed: no window may show more of them above its first line than
--- there are. Neovim corrects that in the current window only, and 0.10 draws such a window for ever if its first line
--- is a closed fold.
---@param buf integer
function M.settle(buf)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    vim.api.nvim_win_call(win, function()
      local view = vim.fn.winsaveview()
      if view.topfill == 0 then
        return
      end
      local row = view.topline - 1
      local above = vim.api.nvim_win_text_height(win, { start_row = row, end_row = row }).fill
      if view.topfill > above then
        vim.fn.winrestview({ topfill = above })
      end
    end)
  end
end

return M
