--- The keys as the person has them: the table of keys, under presets, config.json and `setup`. A value that cannot be
--- used costs that value alone.
local config = require("parley.config")
local key_table = require("parley.config.key_table")

local M = {}

---@class parley.OwnKeys
---@field keys table<string, string[]> by name, in the order of the table; empty for a name without keys
---@field global table<string, string[]> the same for keys that exist everywhere
---@field problems string[] keys that get in each other's way, as sentences

---@type parley.OwnKeys?
local resolved = nil
--- The configuration that `resolved` was made of.
local resolved_for = nil

--- A key, a list of keys, or false: a list.
local function listed(value)
  return type(value) == "table" and value or value and { value } or {}
end

--- The bytes that Neovim sees when the key is pressed.
---@param key string
---@return string
function M.bytes_of(key)
  local leaders = { leader = vim.g.mapleader or "\\", localleader = vim.g.maplocalleader or "\\" }
  local expanded = key:gsub("<(%a+)>", function(word)
    return leaders[word:lower()]
  end)
  return vim.api.nvim_replace_termcodes(expanded, true, true, true)
end

local function share_mode(a, b)
  for _, mode in ipairs(a.modes) do
    if vim.list_contains(b.modes, mode) then
      return true
    end
  end
  return false
end

--- The rows that have keys, those that the person set last first.
local function by_rank(chosen)
  local order = {}
  for index, row in ipairs(key_table.rows) do
    if chosen[row.name] then
      order[#order + 1] = { row = row, rank = chosen[row.name].rank, index = index }
    end
  end
  table.sort(order, function(a, b)
    if a.rank ~= b.rank then
      return a.rank > b.rank
    end
    return a.index < b.index
  end)
  return vim.tbl_map(function(entry)
    return entry.row
  end, order)
end

--- The row that has this key in a mode of the row; nil when none does.
local function holder(taken, bytes, row)
  for _, other in ipairs(taken) do
    if other.bytes == bytes and share_mode(other.row, row) then
      return other.row
    end
  end
end

--- Says which keys hide others.
local function tell_hidden(option, taken, problems)
  for _, short in ipairs(taken) do
    for _, long in ipairs(taken) do
      local hides = #short.bytes < #long.bytes and vim.startswith(long.bytes, short.bytes)
      if hides and share_mode(short.row, long.row) then
        local words = "%s: %s (%s) hides %s (%s), which begins with it."
        problems[#problems + 1] =
          words:format(option, short.key, short.row.name, long.key, long.row.name)
      end
    end
  end
end

--- Of two names with the same key the one that the person set later has it; says so, and which keys hide others.
local function settle(option, chosen, problems)
  local kept, taken = {}, {}
  for _, row in ipairs(by_rank(chosen)) do
    kept[row.name] = vim.tbl_filter(function(key)
      local bytes = M.bytes_of(key)
      local other = holder(taken, bytes, row)
      if other and other ~= row then
        local words = "%s: %s is set for both %s and %s; only %s has it."
        problems[#problems + 1] = words:format(option, key, other.name, row.name, other.name)
      end
      if not other then
        taken[#taken + 1] = { bytes = bytes, key = key, row = row }
      end
      return not other
    end, chosen[row.name].keys)
  end
  tell_hidden(option, taken, problems)
  return kept
end

--- The keys of all names, and how the person came by them: what they set themselves counts more.
local function choose(given)
  local chosen = {}
  for _, row in ipairs(key_table.rows) do
    chosen[row.name] = { keys = listed(row.key), rank = 0 }
  end
  for _, name in ipairs(listed(given.preset)) do
    for each, keys in pairs(key_table.presets[name]) do
      chosen[each] = { keys = listed(keys), rank = 1 }
    end
  end
  return chosen
end

local function resolve(option, chosen, given, problems)
  for _, row in ipairs(key_table.rows) do
    if given[row.name] ~= nil then
      chosen[row.name] = { keys = listed(given[row.name]), rank = 2 }
    end
  end
  return settle(option, chosen, problems)
end

--- The keys in force; read again when the configuration was.
---@return parley.OwnKeys
function M.get()
  if resolved and resolved_for == config.get() then
    return resolved
  end
  local problems = {}
  local options = config.get()
  resolved_for = options
  resolved = {
    keys = resolve("keys", choose(options.keys), options.keys, problems),
    global = resolve("global_keys", {}, options.global_keys, problems),
    problems = problems,
  }
  return resolved
end

--- The keys of one name.
---@param name string
---@return string[]
function M.of(name)
  return M.get().keys[name] or {}
end

--- What a person presses for a name, such as `ya or yo`; nil when they have no key for it.
---@param name string
---@return string?
function M.press(name)
  local keys = M.of(name)
  return #keys > 0 and table.concat(keys, " or ") or nil
end

local told = nil

--- Says once which keys get in each other's way.
---@param notify fun(message: string, level: integer)
function M.tell(notify)
  local problems = M.get().problems
  local text = table.concat(problems, "\n")
  if #problems > 0 and told ~= text then
    notify(text, vim.log.levels.WARN)
  end
  told = text
end

return M
