--- Applies config.json when it was written.
local M = {}

--- Reads config.json again and returns the keys in force.
---@return table<string, string[]>
function M.read()
  require("parley.config").reload()
  require("parley.keys.maps").set_global()
  if package.loaded["parley.chat"] then
    require("parley.chat").refresh()
  end
  return require("parley.config.own_keys").get().keys
end

--- A file was written. If it is config.json, it applies from now on; the host decides that where one runs, since a file
--- that is broken must not take back what it forbids.
---@param path string
function M.written(path)
  local host = package.loaded["parley.host"]
  if not require("parley.config").is_file(path) then
    return
  elseif host and host.channel() then
    host.send_if_running({ action = "configuration_saved" })
  else
    M.read()
  end
end

return M
