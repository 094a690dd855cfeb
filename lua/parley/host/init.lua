--- The host process: started on first use, restarted with a bound, told things by notification only.
local build = require("parley.host.build")
local chats = require("parley.text.chats")
local config = require("parley.config")
local notify = require("parley.messages.notify")
local paths = require("parley.host.paths")

local M = {}

local restarts_allowed = 3
local restart_window_ms = 60000
local tail_lines = 40
--- Messages kept while the host is being built or started by the stock host.
local queue_limit = 200

local state = {
  channel = nil,
  job = nil,
  starting = false,
  heard = false,
  starts = {},
  queue = {},
  stderr = {},
  last_crash = nil,
  started_at = nil,
  stopping = false,
  on_gone = {},
}

function M.channel()
  return state.channel
end

function M.last_crash()
  return state.last_crash
end

local function tell(message, level)
  notify.notify(message, level or vim.log.levels.ERROR)
end

local function setup_message()
  local version = vim.version()
  return {
    action = "setup",
    root = paths.root(),
    configuration = config.given(),
    keys = config.named_keys(),
    config_dir = vim.fn.stdpath("config"),
    state_dir = vim.fn.stdpath("state"),
    data_dir = vim.fn.stdpath("data"),
    log_dir = vim.fn.stdpath("log"),
    cwd = vim.fn.getcwd(-1, -1),
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
  local queue = state.queue
  state.queue = {}
  for _, message in ipairs(queue) do
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

local function on_exit(job, code)
  if job ~= state.job then
    return
  end
  local tail = table.concat(state.stderr, "\n")
  local heard, stopping = state.heard, state.stopping
  forget_channel()
  state.stopping = false
  if vim.v.exiting ~= vim.NIL or stopping then
    return
  end
  state.last_crash = { code = code, stderr = tail, time = os.time() }
  if not heard then
    require("parley.host.failed_start").explain(paths.node(), tail)
    return
  end
  local last = state.stderr[#state.stderr]
  tell(
    ("Parley's host ended unexpectedly (code %d). The chats are whole; the next key starts it again."):format(
      code
    ) .. (last and ("\n" .. last) or "")
  )
end

local function may_start()
  local now = vim.uv.now()
  state.starts = vim.tbl_filter(function(start)
    return now - start < restart_window_ms
  end, state.starts)
  if #state.starts > restarts_allowed then
    tell(
      ("Parley's host ended %d times within a minute and is not started again by itself. "):format(
        #state.starts
      ) .. "Look at :checkhealth parley, then use :Parley restart."
    )
    return false
  end
  table.insert(state.starts, now)
  return true
end

local function start_own()
  state.stderr = {}
  state.heard = false
  local ok, job = pcall(vim.fn.jobstart, { paths.node(), paths.entry() }, {
    rpc = true,
    on_stderr = function(_, lines)
      remember_stderr(lines)
    end,
    on_exit = on_exit,
  })
  if not ok or job <= 0 then
    local words = "Parley needs Node to run, and %q cannot be executed. "
    tell(words:format(paths.node()) .. "Install Node, or set vim.g.parley_node to its path.")
    return
  end
  state.job = job
  state.channel = job
  state.started_at = vim.uv.now()
  introduce()
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

--- Starts the host when it does not run; false when it cannot be started now. Never blocks.
local function ensure()
  if state.channel then
    return true
  end
  if state.starting then
    return false
  end
  if vim.g.parley_host == "rplugin" then
    if may_start() then
      start_stock()
    end
    return false
  end
  if build.is_running() then
    return false
  end
  local reason = build.reason(paths.root())
  if reason then
    build.run_in_background(paths.root(), reason, M.start)
    return false
  end
  if may_start() then
    start_own()
  end
  return state.channel ~= nil
end

--- Tells the host something, starting it first when needed. Messages wait while it is built or started;
--- `attach` need not, since a fresh host hears of every open chat anyway.
function M.send(message)
  local was_running = state.channel ~= nil
  local runs = ensure()
  if message.action == "attach" and not was_running then
    return
  end
  if runs then
    if notify_channel(message) or state.job then
      return
    end
    -- The stock host is Neovim's; nobody tells us of its end.
    forget_channel()
    tell(
      "Neovim's node host ended. It never starts twice; restart Neovim. The transcripts are whole."
    )
  elseif state.starting or build.is_running() then
    if #state.queue < queue_limit then
      table.insert(state.queue, message)
    end
  end
end

--- Calls `listener` whenever a host is gone, with what it has drawn still there.
function M.on_gone(listener)
  table.insert(state.on_gone, listener)
end

--- Tells the host only when it runs: news that a fresh host would learn anyway.
function M.tell_running(message)
  if state.channel then
    notify_channel(message)
  end
end

--- Starts the host after a build, whatever it gave: an old dist/ works on.
function M.start()
  if state.channel or state.starting then
    return
  end
  if not vim.uv.fs_stat(paths.entry()) then
    state.queue = {}
    return
  end
  if may_start() then
    start_own()
  end
end

--- The host answered, so what ends it from now on is a crash and not a failed start.
function M.heard()
  state.heard = true
end

--- The stock host's channel, once its side is ready.
function M.ready(channel)
  state.heard = true
  if not state.starting then
    return
  end
  state.starting = false
  state.channel = channel
  introduce()
end

function M.stop()
  if state.job then
    state.stopping = true
    vim.fn.jobstop(state.job)
  end
end

function M.restart()
  state.starts = {}
  local job = state.job
  M.stop()
  if job then
    vim.fn.jobwait({ job }, 2000)
  end
  forget_channel()
  state.stopping = false
  config.reload()
  ensure()
end

return M
