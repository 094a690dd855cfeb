--- The host process: started on first use, restarted a limited number of times, and only ever sent notifications.
local chats = require("parley.text.chats")
local config = require("parley.config")
local ending = require("parley.host.ending")
local queue = require("parley.host.queue")
local system = require("parley.system")

-- Loaded when the host starts, so that the first screen of a chat does not wait for these modules.
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

--- The number of stderr lines that are kept.
local tail_lines = 40

local state = {
  channel = nil,
  job = nil,
  starting = false,
  heard = false,
  --- Messages sent before the host's first reaction: it may not have read them.
  unheard = {},
  --- True while another Node is being looked for, because the first did not run.
  choosing = false,
  stderr = {},
  last_crash = nil,
  --- How many messages the host has sent.
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

local function report(message, level)
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

--- The setup that the running host has.
local introduced = nil

local function notify_channel(message)
  -- A channel that has just closed raises an error; its on_exit handles the rest.
  return pcall(vim.rpcnotify, state.channel, "parley", message)
end

--- Sends the first messages on a new channel: the setup, and every open chat.
local function introduce()
  introduced = setup_message()
  notify_channel(introduced)
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

--- Starts the host with another suitable Node, or says why there is none. Requests wait meanwhile.
local function choose_node(tail)
  state.choosing = true
  for _, message in ipairs(state.unheard) do
    queue.keep(message)
  end
  state.unheard = {}
  require("parley.host.failed_start").explain(paths().node(), tail, function(is_found)
    state.choosing = false
    if is_found then
      -- The first Node was replaced; that was not a crash.
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
  -- Not an approval key: those are gone together with everything else that the host drew.
  local respond = require("parley.config.own_keys").of("respond")[1] or ":Parley respond"
  report(
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
    -- Not in the user's working directory: a version manager's `node` obeys files in the folder where it starts.
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

--- Starts Neovim's own Node host, which loads rplugin/node/parley and answers with `ready`.
local function start_stock()
  state.starting = true
  if vim.fn.exists(":ParleyStock") ~= 2 then
    state.starting = false
    report(
      'vim.g.parley_host is "rplugin", but :ParleyStock does not exist. Run :UpdateRemotePlugins and restart.'
    )
    return
  end
  vim.cmd("ParleyStock start")
end

--- Starts the host unless it runs; returns false when that is not possible now. Never blocks. `reason` is why a build
--- is needed, or false, when that was checked already.
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

--- Starts the host for a chat that was just opened. Checking for a build and starting take some milliseconds each, so
--- keys are handled between the two.
local function start_soon()
  local reason = not build().is_running() and build().reason(paths().root()) or false
  system.after_keys(function()
    ensure(reason)
  end)
end

local function job_and_words()
  return state.job, state.words
end

--- Sends a message to the host, and starts it when needed. Messages wait while it is built or started, except `attach`:
--- a new host is told of every open chat anyway.
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
    local is_sent = notify_channel(message)
    if queue.asks[message.action] and state.job then
      ending.report_silence(job_and_words)
    end
    if message.action == "respond" and state.job then
      require("parley.host.update").mention()
    end
    if is_sent or state.job then
      return
    end
    -- Neovim owns the stock host and does not tell us when it exits.
    forget_channel()
    report("Neovim's node host ended and cannot start again: restart Neovim. Your chats are safe.")
  elseif state.starting or state.choosing or ending.is_under_way() or build().is_running() then
    queue.keep(message)
  end
end

--- Calls `listener` whenever a host is gone, while its drawings are still there.
---@param listener fun()
function M.on_gone(listener)
  table.insert(state.on_gone, listener)
end

--- Sends a message only to a running host: a new one would learn this anyway.
---@param message parley.Message
function M.send_if_running(message)
  if state.channel then
    notify_channel(message)
  elseif message.action == "detach" then
    queue.withdraw(message.buf)
  end
end

--- Sends a running host other options than it has.
function M.configure()
  local message = setup_message()
  if state.channel and not vim.deep_equal(message, introduced) then
    introduced = message
    notify_channel(message)
  end
end

--- Starts the host after a build, even a failed one: an old dist/ still works.
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

--- Records that the host has reacted: if it exits from now on, that is a crash and not a failed start.
function M.heard()
  state.heard = true
  state.words = state.words + 1
  state.unheard = {}
  if state.restarting then
    state.restarting = false
    report("Parley's host was restarted.", vim.log.levels.INFO)
  end
end

--- Offers a restart when the host does not react to the stop that it was just sent: a stop must always take effect.
function M.expect_word()
  ending.offer_restart(job_and_words, M.restart)
end

--- Takes the stock host's channel once it is ready.
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

--- Ends the host and starts a new one once it has exited. Requests made meanwhile are kept for the new one.
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
