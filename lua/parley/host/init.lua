--- The host process: started on first use, restarted with a bound, told things by notification only.
local chats = require("parley.text.chats")
local config = require("parley.config")
local ending = require("parley.host.ending")
local queue = require("parley.host.queue")
local system = require("parley.system")

-- Loaded when the host is started: the first screen of a chat waits for none of these.
local function build()
  return require("parley.host.build")
end
local function paths()
  return require("parley.host.paths")
end
local function start_limit()
  return require("parley.host.start_limit")
end

local M = {}

--- Lines of stderr that are kept.
local tail_lines = 40

local state = {
  channel = nil,
  job = nil,
  starting = false,
  heard = false,
  --- What was sent before the host said anything: it may not have been read.
  unheard = {},
  --- Another Node is looked for, since the first did not run.
  choosing = false,
  stderr = {},
  last_crash = nil,
  --- How often a host said anything.
  words = 0,
  restarting = false,
  on_gone = {},
}

---@return integer?
function M.channel()
  return state.channel
end

---@return { code: integer, stderr: string, time: integer }? crash the last one, in seconds since the epoch
function M.last_crash()
  return state.last_crash
end

local function tell(message, level)
  require("parley.messages.notify").notify(message, level or vim.log.levels.ERROR)
end

local function setup_message()
  local version = vim.version()
  return {
    action = "setup",
    root = paths().built(),
    configuration = config.given(),
    keys = require("parley.config.own_keys").get().keys,
    config_dir = vim.fn.stdpath("config"),
    state_dir = vim.fn.stdpath("state"),
    data_dir = vim.fn.stdpath("data"),
    log_dir = vim.fn.stdpath("log"),
    cwd = require("parley.text.chats").folder(),
    version = require("parley.version"),
    nvim = ("%d.%d.%d"):format(version.major, version.minor, version.patch),
  }
end

local function notify_channel(message)
  -- A channel that closed a moment ago throws; its on_exit says what there is to say.
  return pcall(vim.rpcnotify, state.channel, "parley", message)
end

--- The first messages on a fresh channel: who we are, and every chat that is open.
local function introduce()
  notify_channel(setup_message())
  for _, buf in ipairs(chats.list()) do
    if vim.api.nvim_buf_is_loaded(buf) then
      notify_channel(chats.attach_message(buf))
    end
  end
  for _, message in ipairs(queue.take()) do
    table.insert(state.unheard, message)
    notify_channel(message)
  end
end

local function remember_stderr(lines)
  for _, line in ipairs(lines) do
    if line ~= "" then
      table.insert(state.stderr, line)
    end
  end
  while #state.stderr > tail_lines do
    table.remove(state.stderr, 1)
  end
end

local function forget_channel()
  state.channel = nil
  state.job = nil
  state.starting = false
  for _, listener in ipairs(state.on_gone) do
    listener()
  end
end

--- Starts again with a Node that will do, or says why there is none; what was asked waits meanwhile.
local function choose_node(tail)
  state.choosing = true
  for _, message in ipairs(state.unheard) do
    queue.keep(message)
  end
  state.unheard = {}
  require("parley.host.failed_start").explain(paths().node(), tail, function(is_found)
    state.choosing = false
    if is_found then
      -- That one was passed over and did not break.
      state.last_crash = nil
      M.start()
    else
      queue.take()
    end
  end)
end

local function on_exit(job, code)
  if ending.ended(job) or job ~= state.job then
    return
  end
  local tail = table.concat(state.stderr, "\n")
  local heard = state.heard
  forget_channel()
  if vim.v.exiting ~= vim.NIL then
    return
  end
  state.last_crash = { code = code, stderr = tail, time = os.time() }
  if not heard then
    choose_node(tail)
    return
  end
  local last = state.stderr[#state.stderr]
  -- Not any key: what it drew is gone, the keys of its calls too.
  local respond = require("parley.config.own_keys").of("respond")[1] or ":Parley respond"
  tell(
    ("Parley's host ended unexpectedly (code %d). Your chats are safe; %s in one of them starts it again."):format(
      code,
      respond
    ) .. (last and ("\n" .. last) or "")
  )
end

local function start_own()
  state.stderr = {}
  state.heard = false
  state.unheard = {}
  local ok, job = pcall(vim.fn.jobstart, paths().command(), {
    rpc = true,
    -- Not where somebody works: what version managers have as `node` obeys files of the folder it starts in.
    cwd = paths().root(),
    env = paths().environment(),
    on_stderr = function(_, lines)
      remember_stderr(lines)
    end,
    on_exit = on_exit,
  })
  if not ok or job <= 0 then
    choose_node("")
    return
  end
  state.job = job
  state.channel = job
  require("parley.host.update").started()
  introduce()
  vim.defer_fn(function()
    if job == state.job and not state.heard then
      require("parley.host.failed_start").end_unfit(paths().node(), job)
    end
  end, require("parley.host.node").patience_ms)
end

--- Neovim's own node host loads rplugin/node/parley and answers with `ready`.
local function start_stock()
  state.starting = true
  if vim.fn.exists(":ParleyStock") ~= 2 then
    state.starting = false
    tell(
      'vim.g.parley_host is "rplugin", but :ParleyStock does not exist. Run :UpdateRemotePlugins and restart.'
    )
    return
  end
  vim.cmd("ParleyStock start")
end

--- Starts the host when it does not run; false when it cannot be started now. Never blocks. `reason`, where that was
--- looked at already: why it has to be built, or false.
---@param reason? string|false
local function ensure(reason)
  if state.channel then
    return true
  end
  if state.starting or state.choosing or ending.is_under_way() then
    return false
  end
  if vim.g.parley_host == "rplugin" then
    if start_limit().may_start() then
      start_stock()
    end
    return false
  end
  if build().is_running() then
    return false
  end
  if reason == nil then
    reason = build().reason(paths().root())
  end
  if reason then
    build().run_in_background(paths().root(), reason, M.start)
    return false
  end
  if start_limit().may_start() then
    start_own()
  end
  return state.channel ~= nil
end

--- Starts the host for a chat that was opened. To see whether it has to be built and to start it takes some
--- milliseconds each: a key is heard between the two.
local function start_soon()
  local reason = not build().is_running() and build().reason(paths().root()) or false
  system.after_keys(function()
    ensure(reason)
  end)
end

local function job_and_words()
  return state.job, state.words
end

--- Tells the host something, starting it first when needed. Messages wait while it is built or started;
--- `attach` need not, since a fresh host hears of every open chat anyway.
---@param message parley.Message
function M.send(message)
  if message.action == "attach" and not state.channel then
    start_soon()
    return
  end
  local runs = ensure()
  if runs then
    if not state.heard and state.job then
      table.insert(state.unheard, message)
    end
    local is_told = notify_channel(message)
    if queue.asks[message.action] and state.job then
      ending.tell_silence(job_and_words)
    end
    if message.action == "respond" and state.job then
      require("parley.host.update").mention()
    end
    if is_told or state.job then
      return
    end
    -- The stock host is Neovim's; nobody tells us of its end.
    forget_channel()
    tell("Neovim's node host ended and cannot start again: restart Neovim. Your chats are safe.")
  elseif state.starting or state.choosing or ending.is_under_way() or build().is_running() then
    queue.keep(message)
  end
end

--- Calls `listener` whenever a host is gone, with what it has drawn still there.
---@param listener fun()
function M.on_gone(listener)
  table.insert(state.on_gone, listener)
end

--- Tells the host only when it runs: news that a fresh host would learn anyway.
---@param message parley.Message
function M.tell_running(message)
  if state.channel then
    notify_channel(message)
  elseif message.action == "detach" then
    queue.withdraw(message.buf)
  end
end

--- Starts the host after a build, whatever it gave: an old dist/ works on.
function M.start()
  if state.channel or state.starting or ending.is_under_way() then
    return
  end
  if not vim.uv.fs_stat(paths().entry()) then
    queue.take()
    return
  end
  if start_limit().may_start() then
    start_own()
  end
end

--- The host answered, so what ends it from now on is a crash and not a failed start.
function M.heard()
  state.heard = true
  state.words = state.words + 1
  state.unheard = {}
  if state.restarting then
    state.restarting = false
    tell("Parley's host was restarted.", vim.log.levels.INFO)
  end
end

--- Offers to start the host again when it has not said anything since a stop that it was just told of: no program of
--- a server and no text may keep it busy for so long, and a stop must never be in vain.
function M.expect_word()
  ending.offer_restart(job_and_words, M.restart)
end

--- The stock host's channel, once its side is ready.
---@param channel integer
function M.ready(channel)
  state.heard = true
  if not state.starting then
    return
  end
  state.starting = false
  state.channel = channel
  introduce()
end

--- Ends the host and starts another one once it has ended. What is asked meanwhile is kept for that.
function M.restart()
  start_limit().forget()
  state.restarting = true
  local function start()
    config.reload()
    ensure()
  end
  local job = state.job
  forget_channel()
  if job then
    ending.begin(job, start)
  elseif ending.is_under_way() then
    ending.expect(start)
  else
    start()
  end
end

return M
