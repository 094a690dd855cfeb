--- The keys in force: the key table, overridden by presets, config.json and `setup`. An invalid value affects only its
--- own key.
local config = require("parley.config")
local key_table = require("parley.config.key_table")

local M = {}

---@class parley.OwnKeys
---@field keys table<string, string[]> by name, in the order of the table; empty for a name without keys
---@field global table<string, string[]> the same for keys that exist everywhere
---@field problems string[] conflicts between keys, as sentences

---@type parley.OwnKeys?
local resolved = nil
--- The configuration that `resolved` was computed from.
local resolved_for = nil

--- Turns a key, a list of keys, or false into a list.
local function listed(value)
  return type(value) == "table" and value or value and { value } or {}
end

--- Returns the bytes that Neovim receives when the key is pressed.
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

--- Returns the rows that have keys, those with the highest rank first.
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

--- Returns the row that already has this key in one of the modes of `row`; nil when none does.
local function holder(taken, bytes, row)
  for _, other in ipairs(taken) do
    if other.bytes == bytes and share_mode(other.row, row) then
      return other.row
    end
  end
end

--- Reports keys that are a prefix of others and hide them.
local function report_hidden(option, taken, problems)
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

--- When two names have the same key, the one with the higher rank keeps it. Reports that, and keys that hide others.
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
  report_hidden(option, taken, problems)
  return kept
end

--- Returns the keys of all names with a rank: 0 for a default, 1 for a preset (2 is for a key set by name).
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

--- Returns the keys in force; computed again when the configuration was reloaded.
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

--- Returns the keys of one name.
---@param name string
---@return string[]
function M.of(name)
  return M.get().keys[name] or {}
end

--- Returns the keys of a name for a message, such as `ya or yo`; nil when it has none.
---@param name string
---@return string?
function M.press(name)
  local keys = M.of(name)
  return #keys > 0 and table.concat(keys, " or ") or nil
end

local told = nil

--- Reports conflicts between keys once.
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
