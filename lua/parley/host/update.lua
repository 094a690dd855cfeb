--- Tells the user when the build on disk is newer than the running host.
local notify = require("parley.messages.notify")
local paths = require("parley.host.paths")

local M = {}

--- When the running build was made, in milliseconds; nil when unknown, or when the user was told already.
local running = nil

local function built_at()
  local info = vim.uv.fs_stat(vim.fs.joinpath(paths.built(), "dist", "build.json"))
  return info and info.mtime.sec * 1000 + math.floor(info.mtime.nsec / 1e6)
end

--- Records that the host was started from the current build.
function M.started()
  running = built_at()
end

--- Tells the user once when the build has changed since.
function M.mention()
  if running and built_at() ~= running then
    running = nil
    local words =
      "Parley was updated. :Parley restart starts the new version; this one works until then."
    notify.notify(words, vim.log.levels.INFO)
  end
end

return M
