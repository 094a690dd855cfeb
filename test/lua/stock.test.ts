import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { type Editor, neovims, poll, readText, startEditor } from "./editor.ts";

const project = fileURLToPath(new URL("../..", import.meta.url));
const cli = join(project, "node_modules/neovim/bin/cli.js");

/** Serves a stock host's connection as dist/host.js does, and takes notes. */
const stockHost = `const note = "Received = Received or {}; table.insert(Received, (...))";
export async function serveStock(nvim) {
  nvim.on("notification", (method, [message]) => {
    if (method === "parley") nvim.request("nvim_exec_lua", [note, [message]]);
  });
  const code = "return require('parley.rpc').call(...)";
  await nvim.request("nvim_exec_lua", [code, ["ready", await nvim.channelId]]);
}
`;

describe.each(neovims)("Neovim's own node host on Neovim $version", (neovim) => {
  let editor: Editor | undefined;

  afterEach(() => editor?.quit());

  it("serves :ParleyStock after :UpdateRemotePlugins, beside :Parley", async () => {
    const before = `vim.g.node_host_prog = ${JSON.stringify(cli)}
      vim.env.PATH = ${JSON.stringify(`${join(process.execPath, "..")}:`)} .. vim.env.PATH
      vim.env.NVIM_RPLUGIN_MANIFEST = vim.fs.dirname(vim.env.MYVIMRC or vim.fn.stdpath("data")) .. "/manifest.vim"
      vim.g.parley_host = "rplugin"`;
    editor = await startEditor(neovim, { before, host: stockHost });
    const { folder } = editor;
    const root = join(folder, "plugin-root");
    mkdirSync(join(root, "rplugin"));
    cpSync(join(project, "rplugin/node"), join(root, "rplugin/node"), { recursive: true });
    writeFileSync(join(root, "package.json"), '{"type":"module"}');

    const manifest = join(folder, "manifest.vim");
    execFileSync(
      neovim.path,
      ["-u", join(folder, "init.lua"), "--headless", "+UpdateRemotePlugins", "+qa!"],
      {
        env: { ...process.env, NVIM_RPLUGIN_MANIFEST: manifest, XDG_DATA_HOME: folder },
        stdio: "pipe",
      },
    );
    expect(readText(manifest)).toContain("ParleyStock");

    const again = await startEditor(neovim, {
      before: `vim.opt.runtimepath:remove(vim.opt.runtimepath:get()[1])
        vim.opt.runtimepath:prepend(${JSON.stringify(root)})
        vim.g.node_host_prog = ${JSON.stringify(cli)}
        vim.env.NVIM_RPLUGIN_MANIFEST = ${JSON.stringify(manifest)}
        vim.g.parley_host = "rplugin"`,
    });
    try {
      expect(await again.nvim.call("exists", [":Parley"])).toBe(2);
      expect(await again.nvim.call("exists", [":ParleyStock"])).toBe(2);
      const buffer = await again.openChat("a.md", ["💬: one"]);
      await again.press("<C-g><C-g>");
      await poll("the respond", async () => (await again.received("respond")).length === 1);
      expect((await again.received("setup"))[0]).toMatchObject({ root });
      expect((await again.received("attach"))[0]).toMatchObject({ buf: buffer });
    } finally {
      await again.quit();
    }
  });
});
