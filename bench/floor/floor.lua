-- A host without features, to compare with: it reads the buffer, posts it and writes what comes back.
local channel

local function start()
  channel = vim.fn.jobstart({ vim.g.floor_node, vim.g.floor_root .. "/host.mjs" }, { rpc = true })
  vim.rpcnotify(channel, "floor", "start")
end

local function press(action)
  return function()
    vim.rpcnotify(channel, "floor", action, vim.api.nvim_get_current_buf())
  end
end

vim.api.nvim_create_autocmd({ "BufReadPost" }, {
  pattern = "*.md",
  once = true,
  callback = function()
    start()
    vim.keymap.set("n", "<C-g><C-g>", press("respond"))
    vim.keymap.set("n", "<C-g>x", press("stop"))
  end,
})
