--- The keys of chat buffers and the names that `<Plug>` maps and options give to what they do.
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

local typing = { respond = true, stop = true }

local function leave_insert_mode()
  if vim.api.nvim_get_mode().mode:find("^[iR]") then
    vim.cmd.stopinsert()
  end
end

local actions = {
  respond = function()
    leave_insert_mode()
    require("parley").respond()
  end,
  stop = function()
    require("parley").stop()
  end,
  retry = function()
    require("parley").retry()
  end,
  new = function()
    require("parley").new()
  end,
  help = function()
    require("parley.float").help(M.list())
  end,
}

--- Does what a key of this name does; names as in `<Plug>(parley-approve-all)` or `approve_all`.
function M.press(name)
  name = name:gsub("-", "_")
  if approvals[name] then
    require("parley.keys").act(approvals[name])
  elseif name == "details" then
    require("parley.keys").details()
  else
    actions[name]()
  end
end

--- What each approval key is mapped to: `{ ya = "ya", … }` by decision; one that was removed is missing.
function M.approval_keys()
  local keys = require("parley.config").get().keys
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
  local keys = require("parley.config").get().keys
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

function M.set(buf)
  M.unset(buf)
  local set = {}
  for name, key in pairs(require("parley.config").get().keys) do
    if key and actions[name] then
      local modes = typing[name] and { "n", "i" } or { "n" }
      vim.keymap.set(modes, key, function()
        M.press(name)
      end, { buffer = buf, desc = "Parley: " .. descriptions[name] })
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
  for name, key in pairs(require("parley.config").get().global_keys) do
    if key and descriptions[name] then
      vim.keymap.set("n", key, function()
        M.press(name)
      end, { desc = "Parley: " .. descriptions[name] })
    end
  end
end

return M
