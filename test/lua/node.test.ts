/** Finding a Node: on other machines' paths by values, and on this one with an old one in front. */
import { afterEach, describe, expect, it } from "vitest";
import { oneNeovim } from "../support/neovims.ts";
import { type Editor, neovims, poll, startEditor } from "./editor.ts";

const find = `local files, windows, env = ...
local known = require("parley.host.node").known({
  windows = windows,
  home = windows and "C:/Users/me" or "/home/me",
  env = env,
  glob = function(pattern)
    local wanted = "^" .. pattern:gsub("%p", "%%%0"):gsub("%%%*", "[^/]*") .. "$"
    return vim.tbl_filter(function(file) return file:find(wanted) ~= nil end, files)
  end,
})
return vim.tbl_map(function(node) return node.by .. " " .. node.path end, known)`;

/** A Node of another version at a path below the home, as version managers have them. */
const fakeNode = (path: string, version: string) => `
do
  local path = vim.env.HOME .. ${JSON.stringify(path)}
  vim.fn.mkdir(vim.fs.dirname(path), "p")
  vim.fn.writefile({ "#!/bin/sh", 'echo "${version}"', 'test "$1" = --version' }, path)
  vim.fn.setfperm(path, "rwxr-xr-x")
end`;

const realNode = (path: string) => `
do
  local path = vim.env.HOME .. ${JSON.stringify(path)}
  vim.fn.mkdir(vim.fs.dirname(path), "p")
  vim.uv.fs_symlink(${JSON.stringify(process.execPath)}, path)
end`;

const nothingNamed = `vim.g.parley_node = nil
vim.env.PARLEY_NODE = nil
vim.env.PATH = vim.env.HOME .. "/bin:/bin"`;

describe.each(neovims)("Node on Neovim $version", (neovim) => {
  let editor: Editor;

  afterEach(() => editor.quit());

  it("is looked for where managers put it, the newest first", async () => {
    editor = await startEditor(neovim);
    const files = [
      "/home/me/.nvm/versions/node/v9.11.2/bin/node",
      "/home/me/.nvm/versions/node/v22.1.0/bin/node",
      "/home/me/.local/share/fnm/node-versions/v20.19.0/installation/bin/node",
      "/elsewhere/volta/tools/image/node/24.0.0/bin/node",
      "/home/me/.asdf/installs/nodejs/20.19.4/bin/node",
      "/home/me/.local/share/mise/installs/node/26.0.0/bin/node",
      "/home/me/.nodenv/versions/20.19.1/bin/node",
      "/opt/homebrew/bin/node",
      "/usr/bin/node",
      "/usr/bin/deno",
      "/etc/profiles/per-user/me/bin/node",
    ];
    const env = { VOLTA_HOME: "/elsewhere/volta", NVM_DIR: "", USER: "me" };
    expect(await editor.lua(find, files, false, env)).toEqual([
      "nvm /home/me/.nvm/versions/node/v22.1.0/bin/node",
      "nvm /home/me/.nvm/versions/node/v9.11.2/bin/node",
      "fnm /home/me/.local/share/fnm/node-versions/v20.19.0/installation/bin/node",
      "volta /elsewhere/volta/tools/image/node/24.0.0/bin/node",
      "asdf /home/me/.asdf/installs/nodejs/20.19.4/bin/node",
      "mise /home/me/.local/share/mise/installs/node/26.0.0/bin/node",
      "nodenv /home/me/.nodenv/versions/20.19.1/bin/node",
      "Homebrew /opt/homebrew/bin/node",
      "the system /usr/bin/node",
      "Nix /etc/profiles/per-user/me/bin/node",
    ]);
    const windows = ["C:/Users/me/AppData/Roaming/nvm/v22.0.0/node.exe", "D:/apps/nodejs/node.exe"];
    expect(await editor.lua(find, windows, true, { ProgramFiles: "D:/apps" })).toEqual([
      "nvm C:/Users/me/AppData/Roaming/nvm/v22.0.0/node.exe",
      "the system D:/apps/nodejs/node.exe",
    ]);
  });

  it("is of an absolute folder of PATH, and never of the folder that Neovim is in", async () => {
    editor = await startEditor(neovim);
    const find = (windows: boolean, PATH: string, ...there: readonly string[]) =>
      editor.lua(
        `local windows, path, there = ...
        return require("parley.host.node").on_path({
          windows = windows,
          env = { PATH = path },
          is_program = function(file) return vim.list_contains(there, file) end,
        })`,
        windows,
        PATH,
        there,
      );
    const everywhere = ["./node", "node_modules/.bin/node", "/node", "/usr/bin/node"];
    expect(await find(false, ".:node_modules/.bin::/usr/bin", ...everywhere)).toBe("/usr/bin/node");
    expect(await find(false, ".:node_modules/.bin:", ...everywhere)).toBe(null);
    const path = ';.;bin;"D:\\nodejs\\"';
    expect(await find(true, path, "node.exe", "./node.exe", "D:\\nodejs/node.exe")).toBe(
      "D:\\nodejs/node.exe",
    );
    expect(await find(true, "\\\\server\\share", "node.exe")).toBe(null);
  });

  it.each([
    ["v20.0.0", "starts"],
    ["v18.1.0", "is too old, and is asked for its version"],
  ])(
    "obeys no file of the folder that Neovim is in, as version managers let it: %s %s",
    async (version) => {
      const shim = (path: string, lines: readonly string[]) => `
do
  local path = ${path}
  vim.fn.mkdir(vim.fs.dirname(path), "p")
  vim.fn.writefile({ ${lines.map((line) => JSON.stringify(line)).join(", ")} }, path)
  vim.fn.setfperm(path, "rwxr-xr-x")
end`;
      const run =
        version === "v20.0.0"
          ? `exec ${process.execPath} "$@"`
          : `echo ${version}; test "$1" = --version`;
      const before = `${nothingNamed}
${shim('vim.env.HOME .. "/bin/node"', ["#!/bin/sh", '[ -x ./node ] && exec ./node "$@"', run])}
${shim('vim.env.HOME .. "/repository/node"', ["#!/bin/sh", 'touch "$HOME/ran"', run])}
${realNode("/.asdf/installs/nodejs/20.0.0/bin/node")}
vim.cmd.cd(vim.env.HOME .. "/repository")`;
      editor = await startEditor(neovim, { before });
      await editor.openChat("a.md", ["💬: one"]);
      await editor.press("<C-g><C-g>");
      await poll("the question", async () => (await editor.received("respond")).length === 1);
      await editor.lua("vim.cmd.checkhealth('parley')");
      expect(await editor.lua("return vim.uv.fs_stat(vim.env.HOME .. '/ran') == nil")).toBe(true);
    },
  );

  it("is another one when that on PATH is too old, and what was asked is asked", async () => {
    const before = `${nothingNamed}
${fakeNode("/bin/node", "v18.1.0")}
${fakeNode("/.nvm/versions/node/v99.1.0/bin/node", "v16.0.0")}
${realNode("/.asdf/installs/nodejs/20.0.0/bin/node")}`;
    editor = await startEditor(neovim, { before });
    await editor.openChat("a.md", ["💬: one"]);
    await editor.press("<C-g><C-g>");
    await poll("the question", async () => (await editor.received("respond")).length === 1);
    expect(await editor.lua("return Notified")).toEqual([]);
    // A Node that was passed over is no crash, which :checkhealth would warn of.
    expect(await editor.lua("return require('parley.host').last_crash() == nil")).toBe(true);
  });

  it("reports once that there is no usable one, with what was found and how to get one", async () => {
    const before = `${nothingNamed}
${fakeNode("/bin/node", "v18.1.0")}
${fakeNode("/.nvm/versions/node/v16.3.0/bin/node", "v16.3.0")}
require("parley.host.node").patience_ms = 60000
require("parley.host.node").known = (function(known)
  return function()
    return vim.tbl_filter(function(node) return node.by ~= "the system" end, known())
  end
end)(require("parley.host.node").known)`;
    editor = await startEditor(neovim, { before });
    const path = editor.writeChat("a.md", ["💬: one"]);
    await editor.nvim.request("nvim_cmd", [{ cmd: "edit", args: [path] }, {}]);
    const [said = ""] = await poll("the message", async () => {
      const messages = await editor.lua<string[]>("return Notified");
      return messages.length > 0 && messages;
    });
    expect(said).toContain("needs Node 20.19.0 or newer");
    expect(said).toMatch(/bin\/node \(PATH\) is 18\.1\.0/);
    expect(said).toMatch(/\.nvm\/.*\(nvm\) is 16\.3\.0/);
    expect(said).toContain("https://nodejs.org");
    await editor.press("<C-g><C-g>");
    await editor.press("<C-g><C-g>");
    expect(await editor.lua("return Notified")).toEqual([said]);
  });
});

/** What PATH may have where `node` should be, with a good one of nvm after it. */
const odd: [what: string, onPath: string][] = [
  ["a folder called node", 'vim.fn.mkdir(vim.env.HOME .. "/bin/node", "p")'],
  ["a shim that ends with a failure", shim("echo 'No version is set' >&2; exit 126")],
  ["a shim that waits for ever", shim("exec sleep 1000")],
  [
    "a shim that says a version and then waits",
    shim('[ "$1" = --version ] && echo v18.0.0 && exit; exec sleep 1000'),
  ],
  ["a shim that prints other words", shim("echo 'now using node'; exit 0")],
  [
    "a shim that says something before it runs Node",
    shim(`echo 'an update is there'; exec ${process.execPath} "$@"`),
  ],
  ["a file that is no program", shim("", "#!/nowhere/interpreter")],
];

function shim(text: string, first = "#!/bin/sh"): string {
  const lines = JSON.stringify([first, text]).slice(1, -1);
  return `vim.fn.mkdir(vim.env.HOME .. "/bin", "p")
    vim.fn.writefile({ ${lines} }, vim.env.HOME .. "/bin/node")
    vim.fn.setfperm(vim.env.HOME .. "/bin/node", "rwxr-xr-x")`;
}

describe.each(oneNeovim)("behind something odd on PATH, on Neovim $version,", (neovim) => {
  let editor: Editor;

  afterEach(() => editor.quit());

  it.each(odd)("a good Node of nvm is found: %s", async (_, onPath) => {
    const before = `${nothingNamed}
${realNode("/.nvm/versions/node/v22.11.0/bin/node")}
${onPath}
require("parley.host.node").patience_ms = 300`;
    editor = await startEditor(neovim, { before });
    await editor.openChat("a.md", ["💬: one"]);
    await editor.press("<C-g><C-g>");
    await poll("the question", async () => (await editor.received("respond")).length === 1);
    expect(await editor.lua("return Notified")).toEqual([]);
  });

  it.each([
    ["vim.g.parley_node", "~/my nodes/node"],
    ["vim.env.PARLEY_NODE", "~/my nodes/node"],
    ["vim.g.parley_node", "nodes/node"],
  ])("%s may be %s", async (named, path) => {
    const before = `${nothingNamed}
${realNode("/my nodes/node")}
vim.cmd.cd(vim.env.HOME)
vim.uv.fs_symlink("my nodes", "nodes")
${named} = "${path}"`;
    editor = await startEditor(neovim, { before });
    await editor.openChat("a.md", ["💬: one"]);
    await editor.press("<C-g><C-g>");
    await poll("the question", async () => (await editor.received("respond")).length === 1);
    expect(await editor.lua("return Notified")).toEqual([]);
    await editor.lua("vim.cmd.checkhealth('parley')");
    const health = await editor.lua<string[]>("return vim.api.nvim_buf_get_lines(0, 0, -1, false)");
    expect(health.join("\n")).toMatch(/OK Node \d+\.\d+\.\d+ \(\/.*odes\/node\)/);
  });

  it("the health says which is used, and which is passed over", async () => {
    const before = `${nothingNamed}
${realNode("/.nvm/versions/node/v22.11.0/bin/node")}
${shim("echo v18.20.4")}`;
    editor = await startEditor(neovim, { before });
    await editor.lua("vim.cmd.checkhealth('parley')");
    const health = await editor.lua<string[]>("return vim.api.nvim_buf_get_lines(0, 0, -1, false)");
    expect(health.join("\n")).toMatch(/OK Node \d+\.\d+\.\d+ \(\/.*nvm\/.*node\)/);
    expect(health.join("\n")).toMatch(/bin\/node \(PATH\) is 18\.20\.4, so it is passed over/);
    expect(health.join("\n")).not.toContain("ERROR");
  });

  it("the health of a Node that was named and is too old says so", async () => {
    const before = `${nothingNamed}
${realNode("/.nvm/versions/node/v22.11.0/bin/node")}
${shim("echo v18.20.4")}
vim.env.PARLEY_NODE = vim.env.HOME .. "/bin/node"`;
    editor = await startEditor(neovim, { before });
    await editor.lua("vim.cmd.checkhealth('parley')");
    const health = await editor.lua<string[]>("return vim.api.nvim_buf_get_lines(0, 0, -1, false)");
    expect(health.join("\n")).toMatch(/ERROR Parley needs Node \d+\.\d+\.\d+ or newer/);
    expect(health.join("\n")).toMatch(/bin\/node \(\$PARLEY_NODE\) is 18\.20\.4/);
  });

  it.each([
    [
      "says in the system's words that what the user named is not there",
      `vim.g.parley_node = "/nowhere/node"`,
      "/nowhere/node (vim.g.parley_node) does not run: ENOENT: no such file",
    ],
    [
      "NODE_OPTIONS is named where Node starts and the host does not",
      `vim.g.parley_node = ${JSON.stringify(process.execPath)}
vim.env.NODE_OPTIONS = "--require /nowhere/hook.js"`,
      "NODE_OPTIONS is set (--require /nowhere/hook.js)",
    ],
  ])("%s", async (_, before, told) => {
    editor = await startEditor(neovim, { before });
    const path = editor.writeChat("a.md", ["💬: one"]);
    await editor.nvim.request("nvim_cmd", [{ cmd: "edit", args: [path] }, {}]);
    const said = await poll("the message", async () => {
      const messages = await editor.lua<string[]>("return Notified");
      return messages.length > 0 && messages.join("\n");
    });
    expect(said).toContain(told);
  });

  it("a Node in a folder with spaces and quotes runs", async () => {
    const before = `${nothingNamed}
${realNode(`/my 'own' nodes/node`)}
vim.env.PATH = vim.env.HOME .. "/my 'own' nodes:/bin"`;
    editor = await startEditor(neovim, { before });
    await editor.openChat("a.md", ["💬: one"]);
    await editor.press("<C-g><C-g>");
    await poll("the question", async () => (await editor.received("respond")).length === 1);
    expect(await editor.lua("return Notified")).toEqual([]);
  });
});
