--- Has the disk take what was written into files: at once, or on another thread while the person goes on.
local M = {}

--- Files that the disk may not have taken yet, each with the last of its syncs.
---@type table<string, integer>
local unsynced = {}
local syncs = 0

--- False where it cannot be opened.
local function sync_now(path, flags)
  local fd = vim.uv.fs_open(path, flags, 0)
  if fd then
    vim.uv.fs_fsync(fd)
    vim.uv.fs_close(fd)
  end
  return fd ~= nil
end

local function sync_aside(path, flags, done)
  local fd = vim.uv.fs_open(path, flags, 0)
  if not fd then
    done()
    return
  end
  vim.uv.fs_fsync(fd, function()
    vim.uv.fs_close(fd)
    done()
  end)
end

--- The disk has the text of the file, which was renamed: it takes the name, too.
---@param real string
function M.name(real)
  unsynced[real] = nil
  sync_now(vim.fs.dirname(real), "r")
end

--- Text and name of the file, without waiting for it.
---@param real string
function M.later(real)
  syncs = syncs + 1
  local this = syncs
  unsynced[real] = this
  sync_aside(real, "r+", function()
    sync_aside(vim.fs.dirname(real), "r", function()
      if unsynced[real] == this then
        unsynced[real] = nil
      end
    end)
  end)
end

--- Waits until the disk has what was left for later.
---@param path string
function M.settle(path)
  local real = vim.uv.fs_realpath(path) or path
  if unsynced[real] and sync_now(real, "r+") then
    M.name(real)
  end
end

return M
