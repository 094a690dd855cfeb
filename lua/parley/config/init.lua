--- The configuration for the Lua half: `setup` over config.json over the defaults, each value checked as the host
--- checks it. The host receives the arguments of `setup`, reads config.json itself and reports mistakes.
local check = require("parley.config.check")
local options = require("parley.config.options")
local system = require("parley.system")

local M = {}

local given = {}
--- The merged options, and the raw values of config.json; nil until they are first needed.
local merged = nil
local written = nil

local function config_folder()
  return vim.fs.joinpath(vim.fn.stdpath("config"), "parley")
end

local function file_path()
  return vim.fs.joinpath(config_folder(), "config.json")
end

--- Whether the path is that of config.json, which may be a link.
---@param path string
---@return boolean
function M.is_file(path)
  return system.real(path) == system.real(file_path())
end

--- Returns the raw values of config.json.
local function file_values()
  if not written then
    local opened = io.open(file_path(), "rb")
    local value = nil
    if opened then
      value = require("parley.config.json").decode(opened:read("*a") or "")
      opened:close()
    end
    written = type(value) == "table" and value or {}
  end
  return written
end

local function table_or_empty(value)
  return type(value) == "table" and value or {}
end

--- Returns the usable values of one source.
local function usable(values)
  local kept = {}
  for name, option in pairs(options) do
    local value = table_or_empty(values)[name]
    if value ~= nil and value ~= vim.NIL then
      kept[name] = check.usable(value, option.schema)
    end
  end
  return kept
end

--- Returns the value without what JSON cannot carry. In place of a function the host gets a value that no option
--- accepts, so that it reports the option.
local function plain(value)
  if type(value) == "function" or type(value) == "userdata" or type(value) == "thread" then
    return value == vim.NIL and value or { {} }
  elseif type(value) ~= "table" or next(value) == nil then
    return value
  end
  local is_list = vim.islist(value)
  local copy = {}
  for key, item in pairs(value) do
    copy[is_list and key or tostring(key)] = plain(item)
  end
  return copy
end

---@param values? parley.Options
function M.setup(values)
  given = values == nil and {} or values
  M.reload()
end

--- Returns the arguments of `setup`, for the host.
---@return table
function M.given()
  local values = plain(given)
  return type(values) == "table" and next(values) == nil and vim.empty_dict() or values
end

--- Expands `~`, `$NAME` and `${NAME}` as src/app/configuration/config.ts does.
local function expand(path)
  path = system.expand_home(path)
  return (
    path:gsub("%${?[%w_]+}?", function(word)
      local name = word:match("^%${([%w_]+)}$")
      if name then
        return vim.env[name]
      end
      local rest
      name, rest = word:match("^%$([%w_]+)(.*)$")
      return name and vim.env[name] and vim.env[name] .. rest
    end)
  )
end

--- Returns the absolute path in the host's spelling; a relative one starts at the folder of config.json.
local function absolute(path)
  path = expand(path)
  local whole = system.is_absolute(path) and path or vim.fs.joinpath(config_folder(), path)
  return (vim.fs.normalize(whole, { expand_env = false }):gsub("(.)/$", "%1"))
end

--- Returns the chat folders that one source names; nil when it names none.
local function folders_of(values)
  local value = values.chat_dirs or values.chat_dir
  local folders = type(value) == "table" and value or { value }
  return folders[1] and folders or nil
end

local function merge()
  local file, setup = usable(file_values()), usable(given)
  local values = {}
  for name, option in pairs(options) do
    local value = setup[name]
    if value == nil then
      value = file[name]
    end
    if value == nil then
      value = option.default
    end
    values[name] = value
  end
  values.keys = vim.tbl_extend("force", file.keys or {}, setup.keys or {})
  values.global_keys = vim.tbl_extend("force", file.global_keys or {}, setup.global_keys or {})
  local default = { vim.fs.joinpath(vim.fn.stdpath("data"), "parley") }
  values.chat_dirs = vim.tbl_map(absolute, folders_of(setup) or folders_of(file) or default)
  values.chat_dir = nil
  return values
end

--- Returns the options of the Lua half, all with valid values.
---@return table<string, any>
function M.get()
  merged = merged or merge()
  return merged
end

--- Returns the absolute chat folders; new chats go into the first.
---@return string[]
function M.chat_dirs()
  return M.get().chat_dirs
end

--- Returns the names in a table such as `agents`, for completion.
---@param setting string
---@return string[]
function M.names(setting)
  local names = {}
  for _, values in ipairs({ file_values(), table_or_empty(given) }) do
    for name in pairs(table_or_empty(values[setting])) do
      names[tostring(name)] = true
    end
  end
  return vim.tbl_keys(names)
end

--- Forgets what was read from config.json, so that a changed file takes effect.
function M.reload()
  merged = nil
  written = nil
end

return M
