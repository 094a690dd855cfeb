-- Builds dist/ after an install or an update. lazy.nvim runs this file automatically, in a coroutine, from any folder
-- and before the plugin is loaded. Elsewhere: `:luafile build.lua`, `nvim -l build.lua`, or a plugin manager's hook.
local root = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h")
local build = dofile(vim.fs.joinpath(root, "lua", "parley", "host", "build.lua"))

local is_done, problem = false, nil

-- Not every coroutine can yield: the main one cannot, and none can below a `dofile`.
local can_yield = coroutine.isyieldable ~= nil and coroutine.isyieldable()

local function progress(message)
  if not can_yield then
    vim.notify(message)
  end
end

build.run(root, progress, function(reason)
  is_done, problem = true, reason
end)

--- Waits a little: lazy.nvim resumes a coroutine that only yields in a busy loop, but its `sleep` leaves the editor
--- free.
local function rest()
  local async = package.loaded["lazy.async"]
  local task = async and async.running()
  if task then
    task:sleep(100)
  else
    coroutine.yield()
  end
end

if can_yield then
  coroutine.yield("Parley: npm ci --omit=dev and bundling…")
  while not is_done do
    rest()
  end
else
  vim.wait(10 * 60 * 1000, function()
    return is_done
  end, 50)
end

if not is_done then
  error(
    "Parley was not built: npm took longer than ten minutes. Look at the network, then try again.",
    0
  )
elseif problem then
  error(problem, 0)
end
