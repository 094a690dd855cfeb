--- What differs between systems, each behind a function that can be given another one; only here and in
--- src/system/ it is asked which system this is. Needs nothing else of the plugin: build.lua loads it by its path.
local M = {}

M.is_windows = vim.fn.has("win32") == 1

--- @param windows? boolean for a test of another system
local function on_windows(windows)
  if windows == nil then
    return M.is_windows
  end
  return windows
end

--- One spelling of a path: Neovim writes `C:/x` and `c:\x`, the host `C:\x`. Elsewhere a backslash is part of a name.
---@param path string
---@param windows? boolean
---@return string
function M.plain(path, windows)
  if not on_windows(windows) then
    return path
  end
  return (path:gsub("\\", "/"):gsub("^%l:", string.upper))
end

--- Behind all links where there is something; to be compared with others of these.
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

--- Whether whoever looks at the path tells another machine who they are: on Windows, one that begins with two slashes.
---@param path string
---@param windows? boolean
---@return boolean
function M.is_network(path, windows)
  return on_windows(windows) and path:find("^[/\\][/\\]") ~= nil
end

--- Whether a path is the folder or lies below it; both as `real` or `plain` gives them. Windows knows no case.
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

--- `~` and `~/…` as the home folder; on Windows `~\…` too. As it is for somebody who has none.
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

--- The words before an address that have it opened, where Neovim's own are not to be used: on Windows those of 0.12
--- are a shell's, which ends the address at its first `&` and runs what follows. By its path, since Windows looks for
--- a program in the folder that is worked in first. Nil elsewhere.
---@param windows? boolean
---@return string[]?
function M.opener(windows)
  if not on_windows(windows) then
    return nil
  end
  local system = vim.env.SystemRoot or "C:/Windows"
  return { M.plain(system, windows) .. "/System32/rundll32.exe", "url.dll,FileProtocolHandler" }
end

--- The buffer whose file has this path, by whatever spelling; nil when there is none.
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
--- What Windows says of a file that another program has open.
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

--- As `uv.fs_rename`; on Windows it is tried again for a fifth of a second while the file in its place is open.
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

--- Gives a buffer the name of its file. Where no swap file can be made (E303) Neovim says so as of an error, and has
--- given the name; it says the same of every file there.
---@param buf integer
---@param path string
function M.name_buffer(buf, path)
  vim.api.nvim_buf_call(buf, function()
    local ok, message = pcall(vim.cmd, {
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

--- Runs `work` when the screen is drawn and a key that came meanwhile was heard: timers that are due come before keys,
--- so one that is set by another comes after them.
---@param work fun()
function M.after_keys(work)
  vim.defer_fn(function()
    vim.defer_fn(work, 0)
  end, 0)
end

return M
