--- `:checkhealth parley`: starts the host for real and says how to fix each failure.
local build = require("parley.host.build")
local chats = require("parley.text.chats")
local host = require("parley.host")
local key_table = require("parley.config.key_table")
local maps = require("parley.keys.maps")
local node = require("parley.host.node")
local own_keys = require("parley.config.own_keys")
local paths = require("parley.host.paths")
local supported = require("parley.host.supported")
local system = require("parley.system")

local M = {}

--- The host may have to start first, and then waits up to four seconds for the servers that start.
local answer_wait_ms = 15000
--- Several Node binaries may be tried, each with its own timeout.
local search_wait_ms = 30000

local reports = {}
local next_id = 1

--- Receives the host's part of the report: `report.lines` are `{level, text, fix}`.
---@param id integer
---@param report { lines: parley.HealthLine[] }
function M.receive(id, report)
  reports[id] = report
end

--- Writes `:help tag` as `:help |tag|`: Neovim otherwise links everything up to the next blank, a full stop included.
local function linked(text)
  return (text:gsub(":help ([%w_][%w_.-]*[%w_])", ":help |%1|"))
end

local function say(level, text, fix)
  text = linked(text)
  if type(fix) == "table" then
    fix = vim.tbl_map(linked, fix)
  elseif fix then
    fix = linked(fix)
  end
  if level == "ok" then
    vim.health.ok(text)
  elseif level == "error" then
    vim.health.error(text, fix)
  elseif level == "warn" then
    vim.health.warn(text, fix)
  else
    vim.health.info(fix and ("%s. %s"):format(text, fix) or text)
  end
end

local function check_neovim()
  local floor = supported.neovim()
  local version = tostring(vim.version())
  if floor and vim.version.lt(version, floor) then
    say(
      "error",
      "Neovim " .. version .. " is older than " .. floor,
      "Install Neovim " .. floor .. " or newer."
    )
  else
    say("ok", "Neovim " .. version)
  end
end

--- Warns of a second copy (two plugin managers, or a checkout next to an install): updating that one changes nothing.
local function check_copies()
  local name, used = "lua/parley/health.lua", paths.root()
  local seen = { [system.real(vim.fs.joinpath(used, name))] = true }
  local others = {}
  for _, file in ipairs(vim.api.nvim_get_runtime_file(name, true)) do
    -- One copy may be reachable by several paths.
    if not seen[system.real(file)] then
      seen[system.real(file)] = true
      others[#others + 1] = vim.fs.normalize(file):sub(1, -#name - 2)
    end
  end
  if #others > 0 then
    local text = ("Parley is installed more than once: %s is used, %s not"):format(
      used,
      table.concat(others, " and ")
    )
    say("warn", text, "Remove all but one, or take the others off 'runtimepath'.")
  end
end

--- Looks for Node exactly as the start of the host does, so that the report is about the Node that runs.
local function check_node()
  local floor = supported.node()
  local path, seen = nil, nil
  node.choose(floor, function(found, looked)
    path, seen = found, looked
  end)
  vim.wait(search_wait_ms, function()
    return seen ~= nil
  end, 10)
  if not path then
    local lines = vim.split(node.missing(floor, seen or {}), "\n")
    local fix = table.remove(lines)
    say("error", (table.concat(lines, " "):gsub("%.$", "")), fix)
    return false
  end
  local used = table.remove(seen)
  for _, passed in ipairs(seen) do
    say("info", node.described(passed) .. ", so it is passed over")
  end
  say("ok", ("Node %s (%s)"):format(used.version, vim.fn.exepath(path)))
  return true
end

local function check_build()
  local root = paths.root()
  if not vim.uv.fs_stat(paths.entry()) then
    say("error", "dist/ is not built in " .. root, "Run :Parley build.")
    return false
  end
  local reason = build.reason(root)
  if reason then
    say("warn", ("dist/ in %s is out of date: %s"):format(root, reason), "Run :Parley build.")
  else
    say("ok", "dist/ is up to date (" .. root .. ")")
  end
  return true
end

local function check_crash()
  local crash = host.last_crash()
  if crash then
    local when = os.date("%H:%M:%S", crash.time)
    local words = ("The host ended unexpectedly at %s with code %d."):format(when, crash.code)
    say(
      "warn",
      words .. "\n" .. crash.stderr,
      "Try :Parley restart; :Parley log shows what it noted."
    )
  end
end

local function check_host()
  local id = next_id
  next_id = next_id + 1
  local before = vim.uv.hrtime()
  host.send({ action = "health", id = id })
  vim.wait(answer_wait_ms, function()
    return reports[id] ~= nil
  end, 10)
  local report = reports[id]
  reports[id] = nil
  if not report then
    local fix = { "Look at :messages and :Parley log.", "Try :Parley restart, then :Parley build." }
    say("error", "The host did not answer within 15 seconds", fix)
    return
  end
  local milliseconds = math.floor((vim.uv.hrtime() - before) / 1e6)
  say(
    "ok",
    ("The host answered in %d ms (channel %s)"):format(milliseconds, tostring(host.channel()))
  )
  for _, line in ipairs(report.lines or {}) do
    say(line.level, line.text, line.fix)
  end
end

local function words_of(map)
  return map.desc or (map.rhs ~= "" and map.rhs) or "a map without a description"
end

--- Says which of the chat keys another plugin has mapped in chats, and what the user has mapped on them elsewhere.
local function check_other_maps()
  local scratch, hidden = require("parley.system.scratch").buffer(), {}
  for _, row in ipairs(key_table.rows) do
    for _, key in ipairs(own_keys.of(row.name)) do
      local elsewhere = vim.api.nvim_buf_call(scratch, function()
        return vim.fn.maparg(key, row.modes[1], false, true)
      end)
      if next(elsewhere) then
        hidden[#hidden + 1] = ("%s (%s)"):format(key, words_of(elsewhere))
      end
      for _, buf in ipairs(row.where == "chat" and chats.list() or {}) do
        local taken = maps.foreign(buf, row.modes[1], key)
        if taken then
          local name = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buf), ":t")
          local words = ("%s is not %s in %s, but: %s"):format(key, row.name, name, words_of(taken))
          say("warn", words, "Give one of them another key, see :help parley-setup-keys.")
        end
      end
    end
  end
  vim.api.nvim_buf_delete(scratch, { force = true })
  if #hidden > 0 then
    say("info", "what these keys do outside chats: " .. table.concat(hidden, ", "))
  end
end

local function check_keys()
  local problems = own_keys.get().problems
  for _, problem in ipairs(problems) do
    say("warn", problem, "See :help parley-setup-keys.")
  end
  if #problems == 0 then
    say("ok", "The keys of chats work as configured")
  end
  local words = {}
  for name in vim.spairs(own_keys.get().keys) do
    local pressed = own_keys.press(name)
    if pressed then
      table.insert(words, name .. " " .. pressed)
    end
  end
  say("info", "keys in chats: " .. table.concat(words, ", "))
  check_other_maps()
end

function M.check()
  vim.health.start("parley")
  check_neovim()
  check_copies()
  local can_start = check_node()
  can_start = check_build() and can_start
  check_crash()
  check_keys()
  if can_start then
    check_host()
  end
end

return M
