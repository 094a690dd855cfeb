--- The maps of chat buffers: each key triggers the `<Plug>` map of its name.
local key_table = require("parley.config.key_table")
local own_keys = require("parley.config.own_keys")

local M = {}

---@class parley.DecisionKey one of the user's keys for a decision
---@field key string
---@field row parley.KeyRow

--- Returns the decision of the key with this name; nil when it is not an approval key.
---@param name string
---@return parley.KeyDecision?
function M.decision(name)
  for _, row in ipairs(key_table.rows) do
    if row.name == name then
      return row.decision
    end
  end
end

--- Returns the key row of a recorded decision.
---@param record string
---@return parley.KeyRow
function M.row_of(record)
  return assert(vim.iter(key_table.rows):find(function(row)
    return row.decision ~= nil and row.decision.record == record
  end))
end

--- Returns the user's approval keys, in the order of the table.
---@return parley.DecisionKey[]
function M.approval_keys()
  local found = {}
  for _, row in ipairs(key_table.rows) do
    for _, key in ipairs(row.decision and own_keys.of(row.name) or {}) do
      found[#found + 1] = { key = key, row = row }
    end
  end
  return found
end

--- The help lists the essential keys first, because a low screen cuts off the rest.
local first = { respond = 1, stop = 2, help = 4 }

local function rank(row)
  return first[row.name] or (row.where == "call" and 3) or 5
end

--- Returns the keys in force for the help float: `{ {key, description}, … }`.
---@return [string, string][]
function M.list()
  local ranks = { {}, {}, {}, {}, {} }
  for _, row in ipairs(key_table.rows) do
    local keys = own_keys.of(row.name)
    if #keys > 0 then
      table.insert(ranks[rank(row)], { table.concat(keys, ", "), row.words })
    end
  end
  return vim.iter(ranks):flatten(1):totable()
end

---@type table<integer, { modes: string[], key: string }[]>
local set_keys = {}
--- Bytes of the keys that are mapped everywhere.
---@type table<string, true>
local global_keys = {}

local function is_own(item)
  return vim.startswith(item.desc or "", "Parley: ")
end

local function map(modes, key, row, buf)
  local plug = ("<Plug>(parley-%s)"):format(row.name:gsub("_", "-"))
  local options = { buffer = buf, remap = true, desc = "Parley: " .. row.words }
  vim.keymap.set(modes, key, plug, options)
end

--- Returns a map that replaced one of Parley's in this buffer, such as a language server's; nil without one.
---@param buf integer
---@param mode string
---@param key string
---@return table<string, any>?
function M.foreign(buf, mode, key)
  if not vim.api.nvim_buf_is_valid(buf) then
    return nil
  end
  local item = vim.api.nvim_buf_call(buf, function()
    return vim.fn.maparg(key, mode, false, true)
  end)
  return item.buffer == 1 and not is_own(item) and item or nil
end

--- Makes which-key read the buffer's keys again: it does so when a buffer is entered or when something is added.
local function register_with_which_key()
  local which_key = package.loaded["which-key"]
  if which_key and which_key.did_setup then
    which_key.add({})
  end
end

---@param buf integer
function M.set(buf)
  M.unset(buf)
  local set = {}
  for _, row in ipairs(key_table.rows) do
    for _, key in ipairs(row.where == "chat" and own_keys.of(row.name) or {}) do
      map(row.modes, key, row, buf)
      set[#set + 1] = { modes = row.modes, key = key }
    end
  end
  set_keys[buf] = set
  register_with_which_key()
end

---@param buf integer
function M.unset(buf)
  for _, item in ipairs(set_keys[buf] or {}) do
    for _, mode in ipairs(item.modes) do
      -- Unloading the buffer removes its maps, and the user may have removed one.
      if not M.foreign(buf, mode, item.key) then
        pcall(vim.keymap.del, mode, item.key, { buffer = buf })
      end
    end
  end
  set_keys[buf] = nil
end

--- Removes the global maps of earlier options, unless the user has mapped their keys to something else since.
local function unset_global()
  for _, item in ipairs(next(global_keys) and vim.api.nvim_get_keymap("n") or {}) do
    if is_own(item) and global_keys[own_keys.bytes_of(item.lhs)] then
      vim.keymap.del("n", item.lhs)
    end
  end
  global_keys = {}
end

function M.set_global()
  unset_global()
  local global = own_keys.get().global
  for _, row in ipairs(key_table.rows) do
    for _, key in ipairs(global[row.name] or {}) do
      map("n", key, row)
      global_keys[own_keys.bytes_of(key)] = true
    end
  end
end

return M
