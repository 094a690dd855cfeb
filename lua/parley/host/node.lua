--- Finding a Node to run: what the person named, PATH, then where version managers and systems put it. Needs
--- nothing else of the plugin, so that build.lua at the top can load it before the plugin is there.
local here = vim.fs.dirname(debug.getinfo(1, "S").source:sub(2))
local system = package.loaded["parley.system"]
  or dofile(vim.fs.joinpath(vim.fs.dirname(here), "system", "init.lua"))

local M = {}

--- Where Node is put, by who puts it there: patterns of `glob()`, with `{NAME}` for a variable of the environment
--- and `{NAME:default}` for one that may be missing. In the order in which they are tried.
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

--- A Node that was looked at.
---@class parley.SeenNode
---@field by string who has it: PATH, a version manager, a setting
---@field path string
---@field version? string nil when it does not run
---@field is_late? boolean it did not say its version in time
---@field why? string what it, or the system, said in place of its version

--- What a search needs to know of the machine, so that it can be tried for another one.
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

--- The version in a path such as `…/node/v22.11.0/bin/node`; nil where there is none.
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

--- The Node of PATH, by its absolute entries alone: a relative one means a program of whatever repository this is, as
--- on Windows does the working folder, which comes first there. Nil when there is none.
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

--- Every Node in the known places, as `{ by, path }`: place by place, of each the newest first.
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

--- What the person named; it is used or complained of, and never passed over.
---@return string? path, string? by
function M.named()
  local named, by = vim.g.parley_node, "vim.g.parley_node"
  if not named then
    named, by = vim.env.PARLEY_NODE, "$PARLEY_NODE"
  end
  if not named then
    return nil
  end
  -- No shell looks at it: `~/node` would be a folder called `~`. It is started in a folder of its own.
  local path = vim.fs.normalize(named)
  return path:find("/", 1, true) and vim.fn.fnamemodify(path, ":p") or path, by
end

--- Where a Node is asked: not where somebody works, whose files a version manager's script would obey.
local own_folder = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h")

--- The one that was found to run when the first choice did not, for as long as this Neovim runs.
local chosen = nil

--- The Node to start, without starting any: a look at its version costs as much as the host.
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
  -- There is none: a bare word might still be found, in the folder that Neovim is in.
  return system.is_windows and "C:/node.exe" or "/node"
end

--- Milliseconds that a Node gets to say its version, or to begin to run the host: what is called `node` may be a
--- script of a version manager that waits for something.
M.patience_ms = 5000

--- The first line that a program printed before it gave up: shims and loaders say in it what is missing.
---@param text? string
---@return string? words nil when it printed nothing
function M.first_words(text)
  local line = vim.trim(text or ""):match("^[^\r\n]*")
  return line ~= "" and vim.fn.strcharpart(vim.fn.strtrans(line), 0, 200) or nil
end

--- Asks Nodes for their versions, one after the other, until one is at least `floor`.
---@param candidates { by: string, path: string }[]
---@param seen parley.SeenNode[]
---@param done fun(path: string?, seen: parley.SeenNode[])
local function ask(candidates, floor, seen, done)
  local candidate = table.remove(candidates, 1)
  if not candidate then
    return done(nil, seen)
  end
  local function answered(result)
    -- What says more than its version says it to the host's channel, too, and breaks it.
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
      -- Without the place in Neovim's own Lua where the system said it.
      answered({ stderr = tostring(problem):gsub("^.-(E%u+: )", "%1", 1) })
    end)
  end
end

--- Whether this Node says in time that it is new enough.
---@param path string
---@param floor? string
---@param done fun(does: boolean)
function M.will_do(path, floor, done)
  ask({ { by = "", path = path } }, floor, {}, function(found)
    done(found ~= nil)
  end)
end

--- Looks for a Node that is new enough and remembers it: `done` gets its path, or nil, and what was seen.
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

--- Where a Node is and what came of it, without a full stop.
---@param node parley.SeenNode
---@return string
function M.described(node)
  local what = node.version and ("is " .. node.version)
    or (node.is_late and "does not answer" or "does not run")
  local why = node.why and ": " .. node.why:gsub("%.$", "") or ""
  return ("%s (%s) %s%s"):format(node.path, node.by, what, why)
end

--- What to say when there is no Node that will do: what was found where, and how to get one.
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
