--- The configuration as the Lua half needs it: `setup` over config.json over the defaults. The host gets
--- what `setup` was given and reads config.json by itself.
local M = {}

local defaults = {
  --- Where chats live, as one folder or (`chat_dirs`) a list, the first one for new chats.
  chat_dir = nil,
  chat_dirs = nil,
  --- Keys of chat buffers; `false` removes one.
  keys = {
    respond = "<C-g><C-g>",
    stop = "<C-g>x",
    help = "<C-g>?",
    retry = false,
    new = false,
    approve_all = "ya",
    approve_always = "yA",
    approve_one = "yo",
    approve_always_one = "yO",
    deny_one = "yn",
    deny_all = "yN",
    details = "K",
  },
  --- Keys that exist everywhere, by the same names: `{ new = "<leader>pc" }`.
  global_keys = {},
  --- Keep tree-sitter highlighting on while an answer streams.
  stream_highlight = false,
  --- Fold results longer than this many lines; `false` folds nothing.
  fold_results = 12,
}

local given = {}
local merged = nil

--- JSON with comments and trailing commas, as the host reads it.
local function strip_comments(text)
  local kept = {}
  local at = 1
  while at <= #text do
    local from, to = text:find('^"[^"\\]*"', at)
    if not from and text:sub(at, at) == '"' then
      to = at
      repeat
        to = to + 1
        if text:sub(to, to) == "\\" then
          to = to + 2
        end
      until to >= #text or text:sub(to, to) == '"'
      from = at
    end
    if from then
      kept[#kept + 1] = text:sub(at, to)
      at = to + 1
    elseif text:find("^//", at) then
      at = text:find("\n", at, true) or #text + 1
    elseif text:find("^/%*", at) then
      at = (select(2, text:find("*/", at, true)) or #text) + 1
    elseif text:find("^,%s*[}%]]", at) then
      at = at + 1
    else
      kept[#kept + 1] = text:sub(at, at)
      at = at + 1
    end
  end
  return table.concat(kept)
end

local function read_file()
  local path = vim.fs.joinpath(vim.fn.stdpath("config"), "parley", "config.json")
  local file = io.open(path, "r")
  if not file then
    return {}
  end
  local text = file:read("*a")
  file:close()
  local ok, value = pcall(vim.json.decode, strip_comments(text), { luanil = { object = true } })
  -- What is wrong with the file is reported by the host, which knows the line.
  return ok and type(value) == "table" and value or {}
end

--- What can travel as JSON: functions and the like stay here.
local function plain(value)
  if type(value) ~= "table" then
    return (type(value) == "function" or type(value) == "userdata") and nil or value
  end
  if next(value) == nil then
    return value
  end
  local copy = {}
  for key, item in pairs(value) do
    copy[key] = plain(item)
  end
  return copy
end

function M.setup(options)
  given = options or {}
  merged = nil
end

--- What `setup` was given, for the host.
function M.given()
  local options = plain(given)
  return next(options) == nil and vim.empty_dict() or options
end

--- The keys by their names, for the words that tell what they do.
function M.named_keys()
  local names = vim.empty_dict()
  for name, key in pairs(M.get().keys) do
    names[name] = type(key) == "string" and key or nil
  end
  return names
end

function M.get()
  if not merged then
    local file = read_file()
    merged = vim.tbl_deep_extend("force", defaults, file, given)
  end
  return merged
end

--- The chat folders, absolute; the first one is for new chats.
function M.chat_dirs()
  local options = M.get()
  local value = options.chat_dirs
    or options.chat_dir
    or vim.fs.joinpath(vim.fn.stdpath("data"), "parley")
  local folders = type(value) == "table" and value or { value }
  return vim.tbl_map(function(folder)
    return vim.fs.normalize(vim.fn.fnamemodify(vim.fn.expand(folder), ":p")):gsub("(.)/$", "%1")
  end, folders)
end

--- Forget what was read from config.json, so that a changed file counts.
function M.reload()
  merged = nil
end

return M
