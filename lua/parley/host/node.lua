--- Finds a Node to run: the one that the user configured, then PATH, then the usual places of version managers and
--- systems. The top-level build.lua loads it before the plugin is installed, so it requires only `parley.system`.
local here = vim.fs.dirname(debug.getinfo(1, "S").source:sub(2))
local system = package.loaded["parley.system"]
  or dofile(vim.fs.joinpath(vim.fs.dirname(here), "system", "init.lua"))

local M = {}

--- The places of Node by manager, in the order in which they are tried: `glob()` patterns with `{NAME}` for an
--- environment variable and `{NAME:default}` for one that may be unset.
---@type table<string, { by: string, pattern: string }[]>
local places = {
  unix = {
    { by = "nvm", pattern = "{NVM_DIR:~/.nvm}/versions/node/*/bin/node" },
    { by = "fnm", pattern = "{FNM_DIR:~/.local/share/fnm}/node-versions/*/installation/bin/node" },
    { by = "fnm", pattern = "~/.fnm/node-versions/*/installation/bin/node" },
    {
      by = "fnm",
      pattern = "~/Library/Application Support/fnm/node-versions/*/installation/bin/node",
    },
    { by = "volta", pattern = "{VOLTA_HOME:~/.volta}/tools/image/node/*/bin/node" },
    { by = "asdf", pattern = "{ASDF_DATA_DIR:~/.asdf}/installs/nodejs/*/bin/node" },
    { by = "mise", pattern = "{MISE_DATA_DIR:~/.local/share/mise}/installs/node/*/bin/node" },
    { by = "nodenv", pattern = "{NODENV_ROOT:~/.nodenv}/versions/*/bin/node" },
    { by = "Homebrew", pattern = "{HOMEBREW_PREFIX:/opt/homebrew}/bin/node" },
    { by = "Homebrew", pattern = "{HOMEBREW_PREFIX:/opt/homebrew}/opt/node@*/bin/node" },
    { by = "Homebrew", pattern = "/home/linuxbrew/.linuxbrew/bin/node" },
    { by = "the system", pattern = "/usr/local/bin/node" },
    { by = "the system", pattern = "/usr/bin/node" },
    { by = "MacPorts", pattern = "/opt/local/bin/node" },
    { by = "snap", pattern = "/snap/bin/node" },
    { by = "Nix", pattern = "~/.nix-profile/bin/node" },
    { by = "Nix", pattern = "/etc/profiles/per-user/{USER}/bin/node" },
    { by = "Nix", pattern = "/run/current-system/sw/bin/node" },
  },
  windows = {
    { by = "nvm", pattern = "{NVM_HOME:~/AppData/Roaming/nvm}/v*/node.exe" },
    {
      by = "fnm",
      pattern = "{FNM_DIR:~/AppData/Roaming/fnm}/node-versions/*/installation/node.exe",
    },
    {
      by = "volta",
      pattern = "{VOLTA_HOME:~/AppData/Local/Volta}/tools/image/node/*/node.exe",
    },
    { by = "mise", pattern = "{MISE_DATA_DIR:~/AppData/Local/mise}/installs/node/*/node.exe" },
    { by = "scoop", pattern = "~/scoop/apps/nodejs*/current/node.exe" },
    { by = "the system", pattern = "{ProgramFiles:C:/Program Files}/nodejs/node.exe" },
  },
}

--- A Node that was tried.
---@class parley.SeenNode
---@field by string where it came from: PATH, a version manager, a setting
---@field path string
---@field version? string nil when it does not run
---@field is_late? boolean it did not print its version in time
---@field why? string the error that it, or the system, gave instead of a version

--- What a search needs to know about the machine, so that tests can search another one.
---@class parley.node.Machine
---@field windows boolean
---@field home string
---@field env table<string, string?>
---@field glob fun(pattern: string): string[]
---@field is_program fun(path: string): boolean

---@return parley.node.Machine
local function this_machine()
  return {
    windows = system.is_windows,
    home = vim.uv.os_homedir() or "",
    env = vim.env,
    glob = function(pattern)
      return vim.fn.glob(pattern, true, true)
    end,
    is_program = function(path)
      return vim.fn.executable(path) == 1
    end,
  }
end

--- Returns the version in a path such as `…/node/v22.11.0/bin/node`; nil without one.
local function version_in(path)
  return vim.version.parse(path:match("v?(%d+%.%d+%.%d+)[/\\]") or "")
end

local function newest_first(a, b)
  local left, right = version_in(a), version_in(b)
  if left and right and left ~= right then
    return vim.version.gt(left, right)
  end
  return a < b
end

local function expand(pattern, machine)
  local expanded = pattern:gsub("{([%w_]+):?([^}]*)}", function(name, default)
    local value = machine.env[name]
    return (value and value ~= "") and value or default
  end)
  return (expanded:gsub("^~", (machine.home:gsub("%%", "%%%%"))))
end

--- Returns the Node on PATH, or nil. Only absolute entries count: a relative one, like the working directory that
--- Windows searches first, could run a program of whatever repository is open.
---@param machine? parley.node.Machine
---@return string?
function M.on_path(machine)
  machine = machine or this_machine()
  local name = machine.windows and "node.exe" or "node"
  local entries =
    vim.split(machine.env.PATH or "", machine.windows and ";" or ":", { plain = true })
  for _, entry in ipairs(entries) do
    entry = entry:gsub('^"(.*)"$', "%1")
    local path = entry:gsub("[/\\]+$", "") .. "/" .. name
    if system.is_absolute(entry, machine.windows) and machine.is_program(path) then
      return path
    end
  end
end

--- Returns every Node in the known places as `{ by, path }`, place by place and the newest first.
---@param machine? parley.node.Machine
---@return { by: string, path: string }[]
function M.known(machine)
  machine = machine or this_machine()
  local found, seen = {}, {}
  for _, place in ipairs(machine.windows and places.windows or places.unix) do
    local paths = machine.glob(expand(place.pattern, machine))
    table.sort(paths, newest_first)
    for _, path in ipairs(paths) do
      if not seen[path] then
        seen[path] = true
        table.insert(found, { by = place.by, path = path })
      end
    end
  end
  return found
end

--- Returns the Node that the user configured. It is used or reported as broken, never skipped.
---@return string? path, string? by
function M.named()
  local named, by = vim.g.parley_node, "vim.g.parley_node"
  if not named then
    named, by = vim.env.PARLEY_NODE, "$PARLEY_NODE"
  end
  if not named then
    return nil
  end
  -- No shell expands `~`, and the path must be absolute because Node starts in another folder.
  local path = vim.fs.normalize(named)
  return path:find("/", 1, true) and vim.fn.fnamemodify(path, ":p") or path, by
end

--- Where Nodes are run to find their version: not in the user's working directory, whose files a version manager's
--- script would obey.
local own_folder = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h")

--- The Node that was found when the first choice did not run; kept until Neovim exits.
local chosen = nil

--- Returns the Node to start, without running any: asking for its version takes as long as starting the host.
---@return string path
function M.path()
  local named = M.named()
  if named or chosen then
    return named or chosen
  end
  local found = M.on_path()
  if found then
    return found
  end
  for _, candidate in ipairs(M.known()) do
    if vim.fn.executable(candidate.path) == 1 then
      return candidate.path
    end
  end
  -- There is none. A path that cannot exist, since a bare name might be found in Neovim's working directory.
  return system.is_windows and "C:/node.exe" or "/node"
end

--- Milliseconds that a Node gets to print its version or to begin to run the host: `node` may be a version manager's
--- script that waits for something.
M.patience_ms = 5000

--- Returns the first line that a failed program printed; shims and loaders say there what is missing.
---@param text? string
---@return string? words nil when it printed nothing
function M.first_words(text)
  local line = vim.trim(text or ""):match("^[^\r\n]*")
  return line ~= "" and vim.fn.strcharpart(vim.fn.strtrans(line), 0, 200) or nil
end

--- Asks the candidates for their versions, one after the other, until one is at least `floor`.
---@param candidates { by: string, path: string }[]
---@param seen parley.SeenNode[]
---@param done fun(path: string?, seen: parley.SeenNode[])
local function ask(candidates, floor, seen, done)
  local candidate = table.remove(candidates, 1)
  if not candidate then
    return done(nil, seen)
  end
  local function answered(result)
    -- A program that prints more than a version would also print that into the host's RPC channel and break it.
    local said = vim.trim(result.stdout or "")
    local version = said:find("^v?%d[^%s]*$") and vim.version.parse(said) or nil
    table.insert(seen, {
      by = candidate.by,
      path = candidate.path,
      version = version and tostring(version) or nil,
      is_late = result.code == 124,
      why = not version and (M.first_words(result.stderr) or M.first_words(said)) or nil,
    })
    if version and not (floor and vim.version.lt(version, floor)) then
      return done(candidate.path, seen)
    end
    ask(candidates, floor, seen, done)
  end
  local options = { text = true, timeout = M.patience_ms, cwd = own_folder }
  local ok, problem = pcall(vim.system, { candidate.path, "--version" }, options, function(result)
    vim.schedule(function()
      answered(result)
    end)
  end)
  if not ok then
    vim.schedule(function()
      -- Without the position in Neovim's own Lua code.
      answered({ stderr = tostring(problem):gsub("^.-(E%u+: )", "%1", 1) })
    end)
  end
end

--- Calls `done` with whether this Node reports a version of at least `floor` in time.
---@param path string
---@param floor? string
---@param done fun(does: boolean)
function M.will_do(path, floor, done)
  ask({ { by = "", path = path } }, floor, {}, function(found)
    done(found ~= nil)
  end)
end

--- Looks for a Node that is new enough and remembers it. `done` gets its path or nil, and all that were tried.
---@param floor? string
---@param done fun(path?: string, seen: parley.SeenNode[])
function M.choose(floor, done)
  local named, by = M.named()
  if named then
    ask({ { by = by, path = named } }, floor, {}, done)
    return
  end
  local candidates = M.known()
  local on_path = M.on_path()
  if on_path then
    table.insert(candidates, 1, { by = "PATH", path = on_path })
  end
  ask(candidates, floor, {}, function(path, seen)
    chosen = path
    done(path, seen)
  end)
end

--- Describes where a Node is and why it was or was not used, without a full stop.
---@param node parley.SeenNode
---@return string
function M.described(node)
  local what = node.version and ("is " .. node.version)
    or (node.is_late and "does not answer" or "does not run")
  local why = node.why and ": " .. node.why:gsub("%.$", "") or ""
  return ("%s (%s) %s%s"):format(node.path, node.by, what, why)
end

--- Returns the message for when no suitable Node exists: what was found where, and how to get one.
---@param floor? string
---@param seen parley.SeenNode[]
---@return string
function M.missing(floor, seen)
  local lines = { ("Parley needs Node %s or newer."):format(floor or "20") }
  for _, node in ipairs(seen) do
    table.insert(lines, M.described(node) .. ".")
  end
  if #seen == 0 then
    table.insert(lines, "There is none on PATH, nor where version managers put it.")
  end
  table.insert(lines, "Install one from https://nodejs.org, or set vim.g.parley_node to its path.")
  return table.concat(lines, "\n")
end

return M
