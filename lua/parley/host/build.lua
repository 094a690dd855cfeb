--- Making dist/: whether it is needed, and running it without blocking. Needs nothing else of the plugin, so
--- that build.lua at the top can load it before the plugin is there.
local M = {}

local running = false

local function stat(...)
  return vim.uv.fs_stat(vim.fs.joinpath(...))
end

local function read_json(path)
  local file = io.open(path, "r")
  if not file then
    return nil
  end
  local ok, value = pcall(vim.json.decode, file:read("*a"))
  file:close()
  return ok and value or nil
end

local function hash_of(path)
  local file = io.open(path, "rb")
  if not file then
    return nil
  end
  local text = file:read("*a")
  file:close()
  return vim.fn.sha256(text):sub(1, 16)
end

local function differs(root, path, recorded)
  local now = stat(root, path)
  if not now or now.size ~= recorded.size then
    return true
  end
  local milliseconds = now.mtime.sec * 1000 + math.floor(now.mtime.nsec / 1e6)
  -- A fresh checkout has new times and old contents.
  return milliseconds ~= recorded.mtimeMs and hash_of(vim.fs.joinpath(root, path)) ~= recorded.hash
end

--- Why dist/ has to be built, in a few words; nil when it is there and made from these sources.
function M.reason(root)
  local record = read_json(vim.fs.joinpath(root, "dist", "build.json"))
  -- An installation without sources came with its dist/ and cannot build another.
  if not stat(root, "src") then
    return nil
  end
  if not record or not stat(root, "dist", "host.js") then
    return "it was not built yet"
  end
  local count = 0
  for path, recorded in pairs(record.sources) do
    count = vim.startswith(path, "src/") and count + 1 or count
    if differs(root, path, recorded) then
      return "its sources changed"
    end
  end
  local files = 0
  for _, kind in vim.fs.dir(vim.fs.joinpath(root, "src"), { depth = 10 }) do
    files = kind == "file" and files + 1 or files
  end
  return files ~= count and "its sources changed" or nil
end

function M.is_running()
  return running
end

local function node()
  return vim.g.parley_node or vim.env.PARLEY_NODE or "node"
end

--- Runs a command; `done` gets an error sentence or nil, and the output.
local function run(command, options, done)
  local ok, message = pcall(
    vim.system,
    command,
    vim.tbl_extend("force", { text = true }, options),
    function(result)
      vim.schedule(function()
        done(result)
      end)
    end
  )
  if not ok then
    vim.schedule(function()
      done({ code = 127, stdout = "", stderr = tostring(message) })
    end)
  end
end

local function last_lines(text, count)
  local lines = vim.split(vim.trim(text), "\n", { plain = true })
  return table.concat(vim.list_slice(lines, math.max(1, #lines - count + 1)), "\n")
end

local function check_node(root, done)
  run({ node(), "--version" }, {}, function(result)
    local found = vim.version.parse(vim.trim(result.stdout or ""))
    local floor = (read_json(vim.fs.joinpath(root, "scripts", "supported.json")) or {}).node
    if result.code ~= 0 or not found then
      done(
        ("Parley was not built: %q does not run. Install Node %s or newer, or set vim.g.parley_node."):format(
          node(),
          floor or ""
        )
      )
    elseif floor and vim.version.lt(found, floor) then
      done(
        ("Parley was not built: it needs Node %s or newer, and %q is %s."):format(
          floor,
          node(),
          tostring(found)
        )
      )
    else
      done(nil)
    end
  end)
end

local function check_npm(done)
  local npm = vim.fn.has("win32") == 1 and "npm.cmd" or "npm"
  if vim.fn.executable(npm) == 1 then
    done(nil)
  else
    done(
      "Parley was not built: npm is not on PATH. Install it; it comes with Node (https://nodejs.org)."
    )
  end
end

--- Builds dist/ in `root`: `progress` gets sentences, `done` one on failure and nil on success. The old dist/
--- is touched only when the new one is complete.
function M.run(root, progress, done)
  check_node(root, function(node_problem)
    if node_problem then
      return done(node_problem)
    end
    check_npm(function(npm_problem)
      if npm_problem then
        return done(npm_problem)
      end
      progress("Parley: installing dependencies and building (npm ci --omit=dev)…")
      run({ node(), "scripts/build.mjs", "--production" }, { cwd = root }, function(result)
        if result.code == 0 then
          return done(nil)
        end
        done(
          ("Parley was not built (code %d); a dist/ that was there works on. :Parley build tries again.\n%s"):format(
            result.code,
            last_lines((result.stderr or "") .. (result.stdout or ""), 8)
          )
        )
      end)
    end)
  end)
end

--- Builds with notifications and calls `finished` afterwards, whatever came of it.
function M.run_in_background(root, reason, finished)
  if running then
    return
  end
  running = true
  local function say(message, level)
    require("parley.messages.notify").notify(message, level or vim.log.levels.INFO)
  end
  -- One short line: a second message at once would wait for Enter.
  say(("Parley builds its host (%s); what you asked for follows."):format(reason))
  M.run(root, function() end, function(problem)
    running = false
    if problem then
      say(problem, vim.log.levels.ERROR)
    else
      say("Parley: built.")
    end
    finished()
  end)
end

return M
