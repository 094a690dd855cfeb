--- The approval keys. They exist in a buffer only while its last answer has calls, and decide only with the cursor
--- on an open one; on one that is decided they say so; everywhere else, and when a text object follows at once, they
--- are what they are without us.
local decide = require("parley.keys.decide")
local key_table = require("parley.config.key_table")
local maps = require("parley.keys.maps")
local own_keys = require("parley.config.own_keys")

local M = {}

--- How long after a key on a call line a text-object key makes it the yank it looks like.
local object_wait_ms = 200
local objects = "wWsp[]()b<>t{}B\"'`"
local nothing = "<Plug>(parley-nothing)"
-- CTRL-\ CTRL-N drops what is pending: a count, a register, an operator.
local resolve_keys = [[<C-\><C-N><Cmd>lua require("parley.keys.approval_maps").resolve()<CR>]]

local group = vim.api.nvim_create_augroup("parley.keys", {})
--- Buffers whose last answer has calls.
local wanted = {}
--- By buffer: our maps, each with the one that was there before.
local set = {}
--- Buffers whose maps are away for the keys that are being read.
local suspended = {}
--- The key pressed on a call line, until it is known what follows.
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

--- Takes our maps of one mode, or of all, away and puts back what was there before.
local function unmap(buf, mode)
  local left = {}
  for _, item in ipairs(set[buf] or {}) do
    if mode and item.mode ~= mode then
      left[#left + 1] = item
    elseif not maps.foreign(buf, item.mode, item.key) then
      -- A person may have removed it, and unloading a buffer does.
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

--- Takes our maps away until Neovim waits for a command with nothing pending, so that the keys pressed are
--- looked up as if we were not there: longer maps of others that begin alike included.
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

--- What the keys become when they are not ours. The map to nothing in front lets the first of them be looked
--- up again: Neovim leaves that out when the right side of a map begins with its left.
local function fall_through(buf, keys)
  suspend(buf)
  return codes(nothing) .. codes(keys)
end

--- Whether a key means the call that the cursor is on: one that waits, or one that was decided a moment ago, where a
--- lone key would be half an operator that eats the next ones.
local function is_on_call(buf)
  return decide.call_at_cursor(buf) ~= nil or decide.is_on_decided_call()
end

local function take(buf, decision, key, count)
  -- Deciding waits for what follows, and not here: while an expression is evaluated no text may change, and
  -- the host may be writing to another chat.
  pending = {
    press = decide.collect(buf, decision),
    is_decided = decide.call_at_cursor(buf) == nil,
    key = key,
    count = count,
    register = vim.v.register,
  }
  return codes(resolve_keys)
end

--- Called by Neovim for each approval key: what it becomes.
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

--- Called by Neovim for the key that shows everything about a call: what it becomes.
---@param key string
---@return string keys for an expression mapping
function M.asked(key)
  local buf = vim.api.nvim_get_current_buf()
  if not decide.call_row() then
    return fall_through(buf, key)
  end
  vim.schedule(decide.details)
  return codes([[<C-\><C-N>]])
end

--- Whether somebody's map begins with `keys`.
local function begins_map(buf, mode, keys)
  local function any(mapped)
    return vim.iter(mapped):any(function(item)
      return vim.startswith(item.lhsraw or item.lhs, keys)
    end)
  end
  return any(vim.api.nvim_buf_get_keymap(buf, mode)) or any(vim.api.nvim_get_keymap(mode))
end

--- The next key when it comes in time; it stays unread.
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

--- Gives keys back to Neovim as they were typed: register, count, operator.
local function feed_back(key, count, register)
  local before = (register ~= '"' and ('"' .. register) or "")
    .. (count > 0 and tostring(count) or "")
  vim.api.nvim_feedkeys(before .. key, "mi", false)
end

--- Decides, unless a text object follows in time.
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

--- A typist slower than 'timeoutlen' has the operator pending when the second key comes. Only on a call line, and only
--- behind `y`, the second key alone is ours.
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
        -- `y3a` is on its way to a text object, and so is an `a` behind another operator.
        if vim.v.count > 0 or vim.v.operator ~= "y" then
          unmap(buf, "o")
          return codes(nothing) .. second
        end
        return take(buf, record, key, 0)
      end)
    end
  end
end

--- The second keys are there as long as the cursor is on a call, and not only once the operator is pending: plugins
--- that show what may follow (which-key) look at the maps, and wait for a key, before anybody else hears of it.
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

--- No call is left that a key could mean.
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

--- The keys exist while the buffer's last answer has calls.
---@param buf integer
---@param has_calls boolean
function M.set(buf, has_calls)
  if not has_calls then
    M.remove(buf)
  elseif not wanted[buf] then
    add(buf)
  end
end

--- The keys that are set were changed by `setup`.
---@param buf integer
function M.refresh(buf)
  if wanted[buf] then
    M.remove(buf)
    add(buf)
  end
end

return M
