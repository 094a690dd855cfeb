--- Builds dist/: decides whether a build is needed and runs it without blocking. It requires no other module of the
--- plugin, so that the top-level build.lua can load it before the plugin is installed.
local here = vim.fs.dirname(debug.getinfo(1, "S").source:sub(2))
local node = package.loaded["parley.host.node"] or dofile(vim.fs.joinpath(here, "node.lua"))

local M = {}

--- When the running build began, in milliseconds of `hrtime`; nil when none runs.
---@type number?
local began = nil

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
  local whole = root .. "/" .. path
  local now = vim.uv.fs_stat(whole)
  if not now or now.size ~= recorded.size then
    return true
  end
  local milliseconds = now.mtime.sec * 1000 + math.floor(now.mtime.nsec / 1e6)
  -- A fresh checkout changes times without changing contents, so the hash decides.
  return milliseconds ~= recorded.mtimeMs and hash_of(whole) ~= recorded.hash
end

--- Returns the folder that has or will have dist/: `root`, or the cache folder when `root` is not writable.
---@param root string
---@return string
function M.place(root)
  if stat(root, "dist", "host.js") or vim.fn.filewritable(root) == 2 then
    return root
  end
  local name = "build-" .. vim.fn.sha256(root):sub(1, 16)
  return vim.fs.joinpath(vim.fn.stdpath("cache"), "parley", name)
end

--- Returns why dist/ must be built, in a few words; nil when it is up to date.
---@param root string
---@return string?
function M.reason(root)
  -- A release has no sources: it comes with dist/ and cannot build.
  if not stat(root, "src") then
    return nil
  end
  local place = M.place(root)
  local record = read_json(vim.fs.joinpath(place, "dist", "build.json"))
  if not record or not record.sources or not stat(place, "dist", "host.js") then
    return "it has not been built yet"
  end
  -- Read-only sources belong to an installation, which only changes together with its package.json.
  if place == root then
    return M.sources_differ(root, record) and "its sources changed" or nil
  end
  local recorded = record.sources["package.json"]
  return recorded and differs(root, "package.json", recorded) and "its sources changed" or nil
end

---@param root string
---@param record { sources: table<string, table> } what build.json holds
---@return boolean
function M.sources_differ(root, record)
  local count = 0
  for path, recorded in pairs(record.sources) do
    count = vim.startswith(path, "src/") and count + 1 or count
    if differs(root, path, recorded) then
      return true
    end
  end
  local files = 0
  for _, kind in vim.fs.dir(vim.fs.joinpath(root, "src"), { depth = 10 }) do
    files = kind == "file" and files + 1 or files
  end
  return files ~= count
end

---@return boolean
function M.is_running()
  return began ~= nil
end

--- Returns when the running build began, in milliseconds of `hrtime`.
---@return number?
function M.began()
  return began
end

--- Runs a command and calls `done` with an error sentence or nil, and the output.
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

--- Returns the minimum versions that the plugin in `root` supports; empty when the file is missing.
---@param root string
---@return { node?: string, neovim?: string[] }
function M.supported(root)
  return read_json(vim.fs.joinpath(root, "scripts", "supported.json")) or {}
end

local function check_node(root, done)
  local floor = M.supported(root).node
  node.choose(floor, function(path, seen)
    done(path, not path and node.missing(floor, seen) or nil)
  end)
end

--- Copies the files that a build reads to a writable folder.
local function copy_sources(root, place)
  local function copy(path)
    local from, to = vim.fs.joinpath(root, path), vim.fs.joinpath(place, path)
    local info = vim.uv.fs_stat(from)
    if not info then
      return
    elseif info.type == "directory" then
      vim.fn.mkdir(to, "p")
      for name in vim.fs.dir(from) do
        copy(path .. "/" .. name)
      end
    else
      assert(vim.uv.fs_copyfile(from, to))
      -- A copy of a read-only file would be read-only too, and the next build could not replace it.
      vim.uv.fs_chmod(to, 420)
      vim.uv.fs_utime(
        to,
        info.mtime.sec + info.mtime.nsec / 1e9,
        info.mtime.sec + info.mtime.nsec / 1e9
      )
    end
  end
  vim.fn.delete(vim.fs.joinpath(place, "src"), "rf")
  vim.fn.mkdir(place, "p")
  for _, path in ipairs({ "src", "scripts", "package.json", "package-lock.json", ".npmrc" }) do
    copy(path)
  end
end

--- Returns the message of a failed build: the last lines of its output, without its progress.
local function failure(place, result)
  local kept = stat(place, "dist", "host.js") and " The previous build still works." or ""
  local why = last_lines((result.stderr or "") .. (result.stdout or ""), 6)
  return ("Parley was not built. %s%s\n:Parley build tries again."):format(why, kept)
end

--- Builds dist/ for the plugin in `root`. `progress` gets sentences; `done` gets an error sentence, or nil on success.
--- The old dist/ is replaced only when the new one is complete.
---@param root string
---@param progress fun(sentence: string)
---@param done fun(problem?: string)
function M.run(root, progress, done)
  local place = M.place(root)
  check_node(root, function(path, node_problem)
    if node_problem then
      return done("Parley was not built. " .. node_problem)
    end
    if place ~= root then
      local ok, problem = pcall(copy_sources, root, place)
      if not ok then
        return done(("Parley was not built: %s cannot be written: %s"):format(place, problem))
      end
    end
    progress("Parley: installing dependencies and building (npm ci --omit=dev)…")
    local command = { path, vim.fs.joinpath(place, "scripts", "build.mjs"), "--production" }
    run(command, { cwd = place }, function(result)
      done(result.code ~= 0 and failure(place, result) or nil)
    end)
  end)
end

--- Builds and then calls `finished`, also after a failure. Announces the build in one short line: a second message
--- right away would make Neovim wait for Enter.
---@param root string
---@param reason string
---@param finished fun()
function M.run_in_background(root, reason, finished)
  if began then
    return
  end
  began = vim.uv.hrtime() / 1e6
  local notify = require("parley.messages.notify")
  notify.notify(("Parley is building its host (%s)."):format(reason), vim.log.levels.INFO)
  M.run(root, function() end, function(problem)
    began = nil
    if problem then
      notify.notify(problem, vim.log.levels.ERROR)
    else
      notify.notify("Parley: built.", vim.log.levels.INFO)
    end
    finished()
  end)
end

return M
