/** What a tool returns only for the user. */
import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, it } from "vitest";
import { neovims, TestNeovim } from "../support/neovim.ts";

const odd = fileURLToPath(new URL("../support/offers-server.mjs", import.meta.url));

let editor: TestNeovim | undefined;
afterEach(async () => {
  await editor?.cleanUp();
  editor = undefined;
});

it.each(neovims)("is shown and not logged, in Neovim $version", async ({ path }) => {
  const home = await mkdtemp(join(tmpdir(), "parley-personal-"));
  const folder = join(home, "config", "nvim", "parley");
  await mkdir(folder, { recursive: true });
  const mcpServers = { odd: { command: process.execPath, args: [odd] } };
  await writeFile(join(folder, "mcp.json"), JSON.stringify({ mcpServers }));
  const calls = [{ id: "c1", name: "mcp__odd__everything", arguments: {} }];
  const turns = [{ calls }, { text: "That was all." }];
  await writeFile(join(home, "script.json"), JSON.stringify({ turns }));
  const text = `---\nmodel: mock/file:${join(home, "script.json")}\n---\n\n💬: look\n`;
  editor = await TestNeovim.start({ path, home, chat: { text } });
  const nvim = editor;
  await nvim.ready();
  await nvim.input("G<C-g><C-g>");
  await nvim.untilText(/^❓: `/m);
  await nvim.until("the keys", async () => /ya all/.test(await nvim.virtualText()));
  await nvim.input("gg/^❓: <CR>ya");
  await nvim.untilText(/That was all\./);
  await nvim.until("the message", async () =>
    String(await nvim.lua("return vim.fn.execute('messages')")).includes("a word for the user"),
  );
  const log = String(await nvim.lua("return vim.fn.stdpath('log')"));
  const logged = await readFile(join(log, "parley", "parley.log"), "utf8");
  expect(logged).toContain("A tool's result has this for you");
  expect(logged).not.toContain("a word for the user");
});
