--- Saves a changed chat as Parley does and is killed before the step of the save that KILL_AT counts to. The steps
--- are the calls of the system and of Neovim that the save makes; KILL_COUNT gets their number when it was too high.
local path, at = vim.env.KILL_PATH, tonumber(vim.env.KILL_AT)
vim.cmd.edit(path)
local buf = vim.api.nvim_get_current_buf()
require("parley.text.file.save").record(buf)
vim.api.nvim_buf_set_lines(buf, -1, -1, false, { "new" })
local count = 0

local function step(run)
  return function(...)
    count = count + 1
    if count == at then
      vim.uv.kill(vim.uv.os_getpid(), "sigkill")
      vim.uv.sleep(10000)
    end
    return run(...)
  end
end

for name, run in pairs(vim.uv) do
  if name:find("^fs_") then
    vim.uv[name] = step(run)
  end
end
local cmd = vim.cmd
vim.cmd = setmetatable({}, {
  __index = cmd,
  __call = function(_, ...)
    return step(cmd)(...)
  end,
})
local answer = require("parley.text.file.save").save(buf)
local file = assert(io.open(vim.env.KILL_COUNT, "w"))
file:write(("%d %s %s"):format(count, answer.status, answer.message or ""))
file:close()
vim.cmd("qa!")
