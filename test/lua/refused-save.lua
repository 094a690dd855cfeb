--- Saves the changed chat CHAT where the system refuses it, and writes into SAID what Neovim makes of the buffer and
--- its file after that.
local path = vim.env.CHAT
-- A script has no swap files otherwise.
vim.o.updatecount = 200
vim.cmd.edit(path)
local buf = vim.api.nvim_get_current_buf()
local save = require("parley.text.file.save")
save.record(buf)
local read = require("parley.text.file.disk").read
local before = read(path)
vim.api.nvim_buf_set_lines(buf, 0, 0, false, { "new" })
save.part(buf)
local answer = save.save(buf)
-- There is none where the disk is full.
pcall(vim.cmd.preserve)
local swap = vim.fn.swapinfo(vim.fn.swapname(buf))
local found = { answer = answer, modified = vim.bo[buf].modified, dirty = swap.dirty }
found.same = read(path) == before
vim.cmd("silent undo")
vim.cmd("silent redo")
found.redone = vim.bo[buf].modified
vim.api.nvim_buf_set_lines(buf, 0, -1, false, { "shorter" })
found.written = pcall(vim.cmd, "silent write")
local file = assert(io.open(vim.env.SAID, "w"))
file:write(vim.json.encode(found))
file:close()
vim.cmd("qa!")
