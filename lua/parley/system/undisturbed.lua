--- Keeps errors in other plugins' autocommands away from Parley's windows and the files of chats. Within a function of
--- its API, Neovim turns such an error into an exception and ends the function halfway: a window stays open, or its
--- number is lost. Within a command that the user types, it reports the error and goes on, and so does this.
local M = {}

--- Errors of the functions themselves that Neovim reports in the same way: no room, a split while a window or a buffer
--- closes, the last window, an autocommand's window, the last one that does not float, 'winfixbuf'.
local own_errors = { "E36:", "E242:", "E444:", "E814:", "E1159:", "E1513:", "E5601:" }

--- The failures that the user was told.
local told = {}

local function tell(text)
  vim.notify(text, vim.log.levels.WARN)
end

--- What `run` runs.
local running = nil

--- Returns the first line of an error without the events that led to it.
---@param message string
---@return string
function M.reason(message)
  local line = message:match("^[^\n]*")
  line = line:match(".*[Ll]ua callback: (.*)") or line:match("E%d+: .*") or line
  line = line:match('.* Autocommands for "[^"]*": (.*)') or line
  return (line:gsub("^Vim%b():", ""))
end

local function report(message)
  local reason = M.reason(message)
  if not told[reason] then
    told[reason] = true
    local words = "An autocommand of another plugin failed: %s"
    vim.schedule(function()
      tell(words:format(reason))
    end)
  end
end

--- Whether an error comes from an autocommand; if so, the user is told.
---@param message any
---@return boolean
function M.is_theirs(message)
  local is_theirs = tostring(message):find(' Autocommands for "', 1, true) ~= nil
  if is_theirs then
    report(tostring(message))
  end
  return is_theirs
end

--- Whether a command that the user types would go on after this error, because it comes from an autocommand; then the
--- user is told. It ends where the autocommand throws an exception, as one does that forbids to write a file.
---@param message any
---@return boolean
function M.goes_on(message)
  local is_error = tostring(message):find(' Autocommands for "[^"]*": Vim[(:]') ~= nil
  return is_error and M.is_theirs(message)
end

--- Runs a function of Neovim's API, or a command by `vim.cmd`, to its end and returns its result. Errors of its own are
--- raised. The user is told of errors that nobody caught in Lua: others look the same here whether the autocommand
--- expected them (`silent! loadview`) or not. An exception that an autocommand throws (`:throw`) still ends it halfway,
--- without a result.
---@param act fun(...): any
---@param ... any its parameters
---@return any
function M.run(act, ...)
  local parameters, outer, before = { ... }, running, vim.v.errmsg
  local ok, result
  running = function()
    ok, result = pcall(act, unpack(parameters))
  end
  vim.v.errmsg = ""
  -- Only errors are silent; messages of handlers are shown.
  vim.cmd("silent! unsilent lua require('parley.system.undisturbed').go_on()")
  running = outer
  local message = vim.v.errmsg
  vim.v.errmsg = before
  if vim.list_contains(own_errors, message:match("^E%d+:")) then
    ok, result = false, message
  elseif message:find("[Ll]ua callback: ") or vim.startswith(message, "E5108:") then
    report(message)
  end
  if not ok and not M.is_theirs(result) then
    error(result, 0)
  end
  return ok and result or nil
end

--- Like `run` for what may be done twice and has more errors of its own, such as writing a file: only where an
--- autocommand failed in it, it is done again to its end.
---@param act fun(...): any
---@param ... any its parameters
function M.finish(act, ...)
  local ok, message = pcall(act, ...)
  if not ok and M.is_theirs(message) then
    M.run(act, ...)
  elseif not ok then
    error(message, 0)
  end
end

--- Runs the function within the command of `run`.
function M.go_on()
  running()
end

--- Sets how the user is told.
---@param how fun(text: string)
function M.listen(how)
  tell = how
end

return M
