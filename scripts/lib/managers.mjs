// The plugin managers in the README: the init.lua for each, and the Neovim it needs.
import { join } from "node:path";

const lua = JSON.stringify;

/**
 * By name: arguments for a first start when that installs, and a function from `{ code, address, branch, home }` to the
 * text of init.lua. `code` is the folder of the manager itself, `address` a git repository whose `branch` is a release.
 */
export const managers = {
  "vim.pack": {
    since: "0.12",
    init: ({ address, branch }) =>
      `vim.pack.add({ { src = ${lua(address)}, version = ${lua(branch)} } }, { confirm = false })`,
  },
  "plain packages": {
    since: "0.10",
    init: ({ address, branch, home }) => {
      const folder = join(home, "data", "nvim", "site", "pack", "parley", "start", "parley.nvim");
      const clone = ["git", "clone", "--quiet", "--depth=1", `--branch=${branch}`, address, folder];
      return `local folder = ${lua(folder)}
if not vim.uv.fs_stat(folder) then
  vim.fn.system({ ${clone.map(lua).join(", ")} })
end
vim.cmd("packloadall!")`;
    },
  },
  "lazy.nvim": {
    since: "0.10",
    // After an install its window stays open and would receive the keys.
    installs: ["--headless", "+qa"],
    init: ({ code, address, branch, home }) => `vim.opt.runtimepath:prepend(${lua(code)})
require("lazy").setup({ { url = ${lua(address)}, branch = ${lua(branch)}, name = "parley.nvim" } }, {
  performance = { rtp = { reset = false } },
  root = ${lua(join(home, "lazy"))}, lockfile = ${lua(join(home, "lock.json"))}, rocks = { enabled = false },
})`,
  },
  "mini.deps": {
    since: "0.10",
    init: ({ code, address, branch, home }) => `vim.opt.runtimepath:prepend(${lua(code)})
require("mini.deps").setup({ path = { package = ${lua(join(home, "data", "nvim", "site"))} } })
MiniDeps.add({ source = ${lua(address)}, name = "parley.nvim", checkout = ${lua(branch)} })`,
  },
  paq: {
    since: "0.10",
    init: ({ code, address, branch }) => `vim.opt.runtimepath:prepend(${lua(code)})
local paq = require("paq")
paq({ { url = ${lua(address)}, branch = ${lua(branch)}, as = "parley.nvim" } })
if #vim.fn.getcompletion("Parley", "command") == 0 then
  vim.api.nvim_create_autocmd("User", { pattern = "PaqDoneInstall", command = "packadd! parley.nvim | runtime! plugin/parley.lua" })
  paq.install()
end`,
  },
  "vim-plug": {
    since: "0.10",
    init: ({ code, address, branch, home }) => `vim.cmd.source(${lua(join(code, "plug.vim"))})
local folder = ${lua(join(home, "plugged"))}
vim.fn["plug#begin"](folder)
vim.fn["plug#"](${lua(address)}, { branch = ${lua(branch)}, as = "parley.nvim" })
vim.fn["plug#end"]()
if not vim.uv.fs_stat(folder .. "/parley.nvim") then
  vim.cmd("silent! PlugInstall --sync")
  vim.cmd("silent! bdelete")
  vim.cmd("runtime! plugin/parley.lua")
end`,
  },
};
