--- Says that another build lies where the running host was started from.
local notify = require("parley.messages.notify")
local paths = require("parley.host.paths")

local M = {}

--- When the build that runs was made, in milliseconds; nil when that was said, or nobody knows.
local running = nil

local function built_at()
  local info = vim.uv.fs_stat(vim.fs.joinpath(paths.built(), "dist", "build.json"))
  return info and info.mtime.sec * 1000 + math.floor(info.mtime.nsec / 1e6)
end

--- The host was started from the build that is there now.
function M.started()
  running = built_at()
end

--- Says once when it is another one by now.
function M.mention()
  if running and built_at() ~= running then
    running = nil
    local words =
      "Parley was updated. :Parley restart starts the new version; this one works until then."
    notify.notify(words, vim.log.levels.INFO)
  end
end

return M
