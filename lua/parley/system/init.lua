--- Differences between operating systems. Tests can pass another system; only this file and src/system/ ask which one
--- this is. It requires no other module of the plugin, because build.lua loads it by path.
local M = {}

M.is_windows = vim.fn.has("win32") == 1

--- @param windows? boolean for tests of another system
local function on_windows(windows)
  if windows == nil then
    return M.is_windows
  end
  return windows
end

--- Normalizes the spelling of a Windows path: Neovim writes `C:/x` and `c:\x`, the host `C:\x`. On other systems a
--- backslash is part of a name.
---@param path string
---@param windows? boolean
---@return string
function M.plain(path, windows)
  if not on_windows(windows) then
    return path
  end
  return (path:gsub("\\", "/"):gsub("^%l:", string.upper))
end

--- Resolves all links of an existing path, for comparison with other results of this function.
---@param path string
---@return string
function M.real(path)
  return M.plain(vim.uv.fs_realpath(path) or path)
end

---@param path string
---@param windows? boolean
---@return boolean
function M.is_absolute(path, windows)
  if not on_windows(windows) then
    return vim.startswith(path, "/")
  end
  return path:find("^%a:[/\\]") ~= nil or path:find("^[/\\]") ~= nil
end

--- Whether accessing the path sends credentials to another machine: on Windows, a path with two leading slashes.
---@param path string
---@param windows? boolean
---@return boolean
function M.is_network(path, windows)
  return on_windows(windows) and path:find("^[/\\][/\\]") ~= nil
end

--- Whether a path is the folder or inside it; both must come from `real` or `plain`. Windows ignores case.
---@param folder string
---@param path string
---@param windows? boolean
---@return boolean
function M.is_below(folder, path, windows)
  if on_windows(windows) then
    folder, path = folder:lower(), path:lower()
  end
  local start = vim.endswith(folder, "/") and folder or folder .. "/"
  return path == folder or vim.startswith(path, start)
end

--- Expands `~` and `~/…` (on Windows also `~\…`) to the home folder; leaves the path as it is without one.
---@param path string
---@param windows? boolean
---@return string
function M.expand_home(path, windows)
  local is_home = path == "~" or vim.startswith(path, "~/")
  if is_home or (on_windows(windows) and vim.startswith(path, "~\\")) then
    local home = vim.uv.os_homedir()
    return home and home .. path:sub(2) or path
  end
  return path
end

--- Returns the command that opens a URL on Windows; nil elsewhere, where Neovim's own is used. On Windows, Neovim 0.12
--- uses a shell, which would end the URL at its first `&` and run the rest. The program is given by its path, because
--- Windows searches the working directory first.
---@param windows? boolean
---@return string[]?
function M.opener(windows)
  if not on_windows(windows) then
    return nil
  end
  local system = vim.env.SystemRoot or "C:/Windows"
  return { M.plain(system, windows) .. "/System32/rundll32.exe", "url.dll,FileProtocolHandler" }
end

--- Returns the buffer whose file has this path, in any spelling; nil when there is none.
---@param path string
---@return integer?
function M.buffer_of(path)
  path = M.plain(path)
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if M.plain(vim.api.nvim_buf_get_name(buf)) == path then
      return buf
    end
  end
end

local rename_attempts, rename_pause_ms = 5, 40
--- The error codes on Windows for a file that another program has open.
local busy = { EPERM = true, EACCES = true, EBUSY = true }

---@class parley.system.FileSystem
---@field windows boolean
---@field rename fun(from: string, to: string): boolean?, string?, string?
---@field sleep fun(milliseconds: integer)

---@type parley.system.FileSystem
local this_system = {
  windows = M.is_windows,
  rename = vim.uv.fs_rename,
  sleep = vim.uv.sleep,
}

--- Like `uv.fs_rename`; on Windows it retries for a fifth of a second while the target is open.
---@param from string
---@param to string
---@param system? parley.system.FileSystem
---@return boolean? ok, string? message, string? code
function M.rename(from, to, system)
  system = system or this_system
  local attempt = 1
  while true do
    local ok, message, code = system.rename(from, to)
    if ok or not system.windows or not busy[code] or attempt == rename_attempts then
      return ok, message, code
    end
    attempt = attempt + 1
    system.sleep(rename_pause_ms)
  end
end

--- Gives a buffer the name of its file. When no swap file can be created, Neovim raises E303 although it has set the
--- name; that error is ignored, since Neovim reports it for every file there.
---@param buf integer
---@param path string
function M.name_buffer(buf, path)
  vim.api.nvim_buf_call(buf, function()
    local ok, message = pcall(require("parley.system.undisturbed").finish, vim.cmd, {
      cmd = "file",
      args = { path },
      magic = { file = false, bar = false },
      mods = { silent = true, keepalt = true },
    })
    if not ok and not tostring(message):find("E303", 1, true) then
      error(message, 0)
    end
  end)
end

--- Runs `work`, which <C-c> may end where it calls a function of Vim or Neovim asks something; any other error is
--- raised. Returns false when it was interrupted, else true and the result of `work`.
---@param work function
---@param ... any
---@return boolean is_done
---@return any result
function M.interruptible(work, ...)
  local ok, result = pcall(work, ...)
  if not ok and not tostring(result):find("Keyboard interrupt", 1, true) then
    error(result, 0)
  end
  return ok, result
end

--- Runs `work` once the screen is drawn and pending keys were handled. Neovim runs due timers before keys, so the
--- second timer, set by the first, runs after the keys.
---@param work fun()
function M.after_keys(work)
  vim.defer_fn(function()
    vim.defer_fn(work, 0)
  end, 0)
end

return M
