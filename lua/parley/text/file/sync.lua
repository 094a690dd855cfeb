--- Syncs written files to the disk, at once or on another thread.
local M = {}

--- Files that may not be synced yet, each with the number of its last sync.
---@type table<string, integer>
local unsynced = {}
local syncs = 0

--- Syncs a file now; returns false when it cannot be opened.
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

--- Syncs the folder of a renamed file whose text is already on the disk.
---@param real string
function M.name(real)
  unsynced[real] = nil
  sync_now(vim.fs.dirname(real), "r")
end

--- Syncs a file's text and name without waiting for it.
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

--- Waits until a deferred sync is complete.
---@param path string
function M.settle(path)
  local real = vim.uv.fs_realpath(path) or path
  if unsynced[real] and sync_now(real, "r+") then
    M.name(real)
  end
end

return M
