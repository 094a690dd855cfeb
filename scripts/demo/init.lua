-- The smallest setup that shows the plugin: its folder on the runtime path and nothing of the user's.
local root = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h:h:h")
vim.opt.runtimepath:prepend(root)
-- The Node that runs the demo is known to be there and new enough; the one on PATH is not.
vim.g.parley_node = vim.env.PARLEY_DEMO_NODE
vim.opt.swapfile = false
vim.opt.number = false
vim.opt.wrap = true
vim.opt.linebreak = true

vim.api.nvim_create_autocmd("VimEnter", {
  once = true,
  callback = function()
    vim.cmd("normal! G$")
    if #vim.api.nvim_list_uis() == 0 then
      return
    end
    vim.schedule(function()
      local hint = "<C-g><C-g> responds, ya on a ❓: line approves, <C-g>? shows all keys."
      vim.api.nvim_echo({ { hint, "MoreMsg" } }, false, {})
    end)
  end,
})
