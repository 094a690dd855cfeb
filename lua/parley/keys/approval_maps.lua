--- The approval keys. They are mapped in a buffer only while its last answer has calls. With the cursor on an open call
--- they decide; on a decided call they say so; anywhere else, and when a text object follows at once, they do what they
--- do without Parley.
local decide = require("parley.keys.decide")
local key_table = require("parley.config.key_table")
local maps = require("parley.keys.maps")
local own_keys = require("parley.config.own_keys")

local M = {}

--- How long after `y` and its second key another key can still turn them into a yank with a text object.
local object_wait_ms = 200
local objects = "wWsp[]()b<>t{}B\"'`"
local nothing = "<Plug>(parley-nothing)"
-- CTRL-\ CTRL-N cancels a pending count, register or operator.
local resolve_keys = [[<C-\><C-N><Cmd>lua require("parley.keys.approval_maps").resolve()<CR>]]

local group = vim.api.nvim_create_augroup("parley.keys", {})
--- Buffers whose last answer has calls.
local wanted = {}
--- By buffer: our maps, each with the map that it replaced.
local set = {}
--- Buffers whose maps are removed while the current keys are read.
local suspended = {}
--- The key pressed on a call line, until it is clear what follows.
local pending = nil

local function codes(keys)
  return vim.api.nvim_replace_termcodes(keys, true, true, true)
end

local function map(buf, mode, key, words, press)
  local before = vim.api.nvim_buf_call(buf, function()
    return vim.fn.maparg(key, mode, false, true)
  end)
  vim.keymap.set(mode, key, press, {
    buffer = buf,
    expr = true,
    remap = true,
    nowait = true,
    replace_keycodes = false,
    desc = "Parley: " .. words .. " (on a ❓: line)",
  })
  set[buf] = set[buf] or {}
  table.insert(set[buf], { mode = mode, key = key, before = before.buffer == 1 and before or nil })
end

--- Removes our maps of one mode, or of all, and restores the ones they replaced.
local function unmap(buf, mode)
  local left = {}
  for _, item in ipairs(set[buf] or {}) do
    if mode and item.mode ~= mode then
      left[#left + 1] = item
    elseif not maps.foreign(buf, item.mode, item.key) then
      -- The user may have removed the map, and unloading a buffer does.
      pcall(vim.api.nvim_buf_del_keymap, buf, item.mode, item.key)
      if item.before then
        vim.api.nvim_buf_call(buf, function()
          vim.fn.mapset(item.mode, false, item.before)
        end)
      end
    end
  end
  set[buf] = #left > 0 and left or nil
end

local function map_all(buf)
  for _, row in ipairs(key_table.rows) do
    for _, key in ipairs(row.where == "call" and own_keys.of(row.name) or {}) do
      map(buf, "n", key, row.words, function()
        if row.decision then
          return M.pressed(row.decision.record, key)
        end
        return M.asked(key)
      end)
    end
  end
end

--- Removes our maps until Neovim waits for a command with nothing pending, so that the keys are looked up as if Parley
--- were not there, including longer maps of others with the same prefix.
local function suspend(buf)
  unmap(buf)
  if suspended[buf] then
    return
  end
  suspended[buf] = true
  vim.api.nvim_create_autocmd("SafeState", {
    group = group,
    once = true,
    callback = function()
      suspended[buf] = nil
      if wanted[buf] and vim.api.nvim_buf_is_loaded(buf) then
        map_all(buf)
        M.follow(buf)
      end
    end,
  })
end

--- Returns what the keys expand to when they are not ours. A map to nothing comes first so that the first key is looked
--- up again: Neovim does not remap it when a map's right side begins with its left side.
local function fall_through(buf, keys)
  suspend(buf)
  return codes(nothing) .. codes(keys)
end

--- Whether a key applies to the call at the cursor: a waiting call, or one decided a moment ago. Without the latter, a
--- second press would start an operator that swallows the next keys.
local function is_on_call(buf)
  return decide.call_at_cursor(buf) ~= nil or decide.is_on_decided_call()
end

local function take(buf, decision, key, count)
  -- The decision waits for the next key, but not here: no text may change while an expression is evaluated, and the
  -- host may be writing to another chat.
  pending = {
    press = decide.collect(buf, decision),
    is_decided = decide.call_at_cursor(buf) == nil,
    key = key,
    count = count,
    register = vim.v.register,
  }
  return codes(resolve_keys)
end

--- Called by Neovim for each approval key; returns what it expands to.
---@param decision string
---@param key string
---@return string keys for an expression mapping
function M.pressed(decision, key)
  local buf = vim.api.nvim_get_current_buf()
  if not is_on_call(buf) then
    return fall_through(buf, key)
  end
  return take(buf, decision, key, vim.v.count)
end

--- Called by Neovim for the key that shows a call's details; returns what it expands to.
---@param key string
---@return string keys for an expression mapping
function M.asked(key)
  local buf = vim.api.nvim_get_current_buf()
  if not decide.call_row() then
    return fall_through(buf, key)
  end
  return codes([[<Cmd>lua require("parley.keys.decide").details()<CR>]])
end

--- Whether any map begins with `keys`.
local function begins_map(buf, mode, keys)
  local function any(mapped)
    return vim.iter(mapped):any(function(item)
      return vim.startswith(item.lhsraw or item.lhs, keys)
    end)
  end
  return any(vim.api.nvim_buf_get_keymap(buf, mode)) or any(vim.api.nvim_get_keymap(mode))
end

--- Returns the next key if it comes in time, without consuming it.
local function next_key()
  local code = 0
  vim.wait(object_wait_ms, function()
    code = vim.fn.getchar(1)
    return code ~= 0
  end, 5)
  if type(code) == "number" then
    return code ~= 0 and vim.fn.nr2char(code) or nil
  end
  return code
end

local function is_yank(buf, key, following)
  if key == "ya" and #following == 1 and objects:find(following, 1, true) then
    return true
  end
  return begins_map(buf, "o", key:sub(2) .. following) or begins_map(buf, "n", key .. following)
end

--- Feeds the keys back to Neovim as they were typed, with register and count.
local function feed_back(key, count, register)
  local before = (register ~= '"' and ('"' .. register) or "")
    .. (count > 0 and tostring(count) or "")
  vim.api.nvim_feedkeys(before .. key, "mi", false)
end

--- Makes the decision, unless a text object follows in time.
function M.resolve()
  local taken = pending
  pending = nil
  if not taken then
    return
  end
  local buf = taken.press.buf
  if taken.key:find("^y.$") then
    local following = next_key()
    if following and is_yank(buf, taken.key, following) then
      suspend(buf)
      feed_back(taken.key, taken.count, taken.register)
      return
    end
  end
  if taken.is_decided then
    decide.say_decided()
    return
  end
  decide.decide(taken.press, false)
end

--- Someone who types slower than 'timeoutlen' has the operator pending when the second key comes. So on a call line,
--- and only after `y`, the second key is mapped in Operator-pending mode.
local function map_second_keys(buf)
  if vim.iter(set[buf] or {}):any(function(item)
    return item.mode == "o"
  end) then
    return
  end
  for _, each in ipairs(maps.approval_keys()) do
    local key, record = each.key, each.row.decision.record
    local second = key:match("^y(.)$")
    if second then
      map(buf, "o", second, each.row.words, function()
        -- `y3a` continues with a text object, and so does an `a` after another operator.
        if vim.v.count > 0 or vim.v.operator ~= "y" then
          unmap(buf, "o")
          return codes(nothing) .. second
        end
        return take(buf, record, key, 0)
      end)
    end
  end
end

--- Maps the second keys as soon as the cursor is on a call, not only once the operator is pending: plugins such as
--- which-key read the maps and wait for a key before any event is triggered.
---@param buf integer
function M.follow(buf)
  local is_here = vim.api.nvim_get_current_buf() == buf
  if is_here and wanted[buf] and not suspended[buf] and is_on_call(buf) then
    map_second_keys(buf)
  else
    unmap(buf, "o")
  end
end

local function follow_cursor(buf)
  vim.api.nvim_create_autocmd("CursorMoved", {
    group = group,
    buffer = buf,
    callback = function()
      M.follow(buf)
    end,
  })
  if vim.api.nvim_get_current_buf() == buf then
    M.follow(buf)
  end
end

local function watch_operator()
  vim.api.nvim_clear_autocmds({ group = group, event = "ModeChanged" })
  vim.api.nvim_create_autocmd("ModeChanged", {
    group = group,
    pattern = "n:no",
    callback = function()
      local buf = vim.api.nvim_get_current_buf()
      local is_ours = wanted[buf] and not suspended[buf] and vim.v.operator == "y"
      if is_ours and is_on_call(buf) then
        map_second_keys(buf)
      end
    end,
  })
  vim.api.nvim_create_autocmd("ModeChanged", {
    group = group,
    pattern = "no*:*",
    callback = function()
      for buf in pairs(set) do
        unmap(buf, "o")
      end
      vim.schedule(function()
        M.follow(vim.api.nvim_get_current_buf())
      end)
    end,
  })
end

local function add(buf)
  if next(wanted) == nil then
    vim.keymap.set({ "n", "o" }, nothing, "<Nop>", { desc = "Parley: nothing" })
    watch_operator()
  end
  wanted[buf] = true
  if not suspended[buf] then
    map_all(buf)
  end
  follow_cursor(buf)
end

--- Removes the approval keys, when no call is left that they could apply to.
---@param buf integer
function M.remove(buf)
  if not wanted[buf] then
    return
  end
  wanted[buf] = nil
  if vim.api.nvim_buf_is_valid(buf) then
    unmap(buf)
    vim.api.nvim_clear_autocmds({ group = group, event = "CursorMoved", buffer = buf })
  else
    set[buf] = nil
  end
  if next(wanted) == nil then
    vim.api.nvim_clear_autocmds({ group = group, event = "ModeChanged" })
  end
end

--- Sets or removes the keys: they exist while the buffer's last answer has calls.
---@param buf integer
---@param has_calls boolean
function M.set(buf, has_calls)
  if not has_calls then
    M.remove(buf)
  elseif not wanted[buf] then
    add(buf)
  end
end

--- Maps the keys again after `setup` changed them.
---@param buf integer
function M.refresh(buf)
  if wanted[buf] then
    M.remove(buf)
    add(buf)
  end
end

return M
