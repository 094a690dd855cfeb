-- The smallest setup that shows the plugin: its folder on the runtime path and nothing of the user's.
local root = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h:h:h")
vim.opt.runtimepath:prepend(root)
-- The Node that runs the demo is known to be there and new enough; the one on PATH is not.
vim.g.parley_node = vim.env.PARLEY_DEMO_NODE
vim.opt.swapfile = false
vim.opt.number = false
vim.opt.wrap = true
vim.opt.linebreak = true

-- The name of a file in a temporary folder is longer than a line of messages, and would wait for Enter.
vim.opt.shortmess:append("FI")

--- One line above the chat says what to press next: messages go away, and this is somebody's first minute.
local function say(text)
  vim.wo.winbar = "%#Title# " .. text:gsub("%%", "%%%%")
end

vim.api.nvim_create_autocmd("VimEnter", {
  once = true,
  callback = function()
    vim.cmd("normal! G$")
    say("1/3  <C-g><C-g> asks the offline model this question.")
  end,
})

vim.api.nvim_create_autocmd("User", {
  pattern = "ParleyWaiting",
  callback = function()
    say("2/3  Two calls wait. ya runs both, yo only one; yn says no; K shows them whole.")
  end,
})

vim.api.nvim_create_autocmd("User", {
  pattern = "ParleyDone",
  callback = function()
    say("3/3  Next: ask more, :Parley new, :Parley models (your own key), :help parley")
  end,
})
