--- The keys of chat buffers and the names that `<Plug>` maps and options give to what they do.
local config = require("parley.config")

local M = {}

local approvals = {
  approve_all = "ya",
  approve_always = "yA",
  approve_one = "yo",
  approve_always_one = "yO",
  deny_one = "yn",
  deny_all = "yN",
}

local descriptions = {
  respond = "answer the question at the cursor",
  stop = "stop what runs in this chat",
  help = "list the keys of this chat",
  retry = "ask for the last step again",
  new = "a new chat",
  approve_all = "yes to all open calls, this time",
  approve_always = "yes to all open calls, and remember their tools",
  approve_one = "yes to this call, this time",
  approve_always_one = "yes to this call, and remember its tool",
  deny_one = "no to this call",
  deny_all = "no to all open calls",
  details = "show everything about this call",
}

--- Keys that a chat has wherever its cursor is; the others are about a call and come with it.
local everywhere = { respond = true, stop = true, retry = true, new = true, help = true }
local typing = { respond = true, stop = true }

--- The decision that a key of this name makes; nil when it makes none.
function M.decision(name)
  return approvals[name]
end

--- What each approval key is mapped to: `{ ya = "ya", … }` by decision; one that was removed is missing.
function M.approval_keys()
  local keys = config.get().keys
  local found = {}
  for name, decision in pairs(approvals) do
    if keys[name] then
      found[decision] = keys[name]
    end
  end
  return found
end

--- The keys as they are, for the help float: `{ {key, description}, … }`.
function M.list()
  local keys = config.get().keys
  local order = {
    "respond",
    "stop",
    "retry",
    "new",
    "help",
    "approve_all",
    "approve_always",
    "approve_one",
    "approve_always_one",
    "deny_one",
    "deny_all",
    "details",
  }
  local rows = {}
  for _, name in ipairs(order) do
    if keys[name] then
      rows[#rows + 1] = { keys[name], descriptions[name] }
    end
  end
  return rows
end

local set_keys = {}

--- A key does what the `<Plug>` map of its name does.
local function map(modes, key, name, buf)
  local plug = ("<Plug>(parley-%s)"):format(name:gsub("_", "-"))
  local options = { buffer = buf, remap = true, desc = "Parley: " .. descriptions[name] }
  vim.keymap.set(modes, key, plug, options)
end

function M.set(buf)
  M.unset(buf)
  local set = {}
  for name, key in pairs(config.get().keys) do
    if key and everywhere[name] then
      local modes = typing[name] and { "n", "i" } or { "n" }
      map(modes, key, name, buf)
      set[#set + 1] = { modes = modes, key = key }
    end
  end
  set_keys[buf] = set
end

function M.unset(buf)
  for _, map in ipairs(set_keys[buf] or {}) do
    -- Buffer-local maps are gone when the buffer was unloaded, and a person may have removed one.
    pcall(vim.keymap.del, map.modes, map.key, { buffer = buf })
  end
  set_keys[buf] = nil
end

function M.set_global()
  for name, key in pairs(config.get().global_keys) do
    if key and descriptions[name] then
      map("n", key, name)
    end
  end
end

return M
