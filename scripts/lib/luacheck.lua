-- Runs luacheck inside Neovim's own Lua: `nvim -l luacheck.lua ROOT FILES…`, where ROOT is the folder
-- that its packages were unpacked in. A machine needs no Lua of its own this way.
local root = table.remove(arg, 1)
package.path = root
  .. "/usr/share/lua/5.1/?.lua;"
  .. root
  .. "/usr/share/lua/5.1/?/init.lua;"
  .. package.path
for _, folder in ipairs(vim.fn.glob(root .. "/usr/lib/*/lua/5.1", true, true)) do
  package.cpath = folder .. "/?.so;" .. package.cpath
end
require("luacheck.main")
