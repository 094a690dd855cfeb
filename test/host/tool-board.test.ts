/** `:Parley tools`: what is offered, what it costs, and switching it. */
import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { asking } from "../support/mcp-server.ts";
import { oneNeovim, TestNeovim } from "../support/neovim.ts";

let editor: TestNeovim | undefined;
afterEach(async () => {
  await editor?.cleanUp();
  editor = undefined;
});

it.each(oneNeovim)("is switched by keys, for the chat and for all ($version)", async ({ path }) => {
  const home = await mkdtemp(join(tmpdir(), "parley-board-"));
  const folder = join(home, "config", "nvim", "parley");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "mcp.json"), JSON.stringify({ mcpServers: { asking } }));
  await writeFile(join(folder, "config.json"), '{\n  // mine\n  "max_model_calls": 9\n}\n');
  const text = "---\nmodel: openai/gpt-5\n---\n\n💬: hi\n";
  editor = await TestNeovim.start({ path, home, chat: { text } });
  const nvim = editor;
  await nvim.ready();
  const chat = async () =>
    String(await nvim.lua("return table.concat(vim.api.nvim_buf_get_lines(1, 0, 4, false), '|')"));
  await nvim.command("Parley tools");
  const board = await nvim.untilText(/^5 of \d+ tools are offered, about \d+ tokens/m);
  expect(board).toMatch(/^\[x\] asking +\d+ tokens {2}ready$/m);
  expect(board).toMatch(/^ {2}\[x\] poem +\d+$/m);
  expect(board).toMatch(/^\[ \] builtin +0 tokens$/m);
  for (const line of board.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  await nvim.input("/poem<CR> ");
  await nvim.untilText(/^ {2}\[ \] poem/m);
  expect(await chat()).toContain("|tools: -asking.poem|");
  // The cursor stays, so that the same key takes it back.
  await nvim.input("<Space>");
  await nvim.untilText(/^ {2}\[x\] poem/m);
  expect(await chat()).not.toContain("tools:");
  await nvim.input("gg/read_file<CR><Space>");
  await nvim.untilText(/^ {2}\[x\] read_file/m);
  expect(await chat()).toContain("|tools: asking, builtin.read_file|");
  await nvim.input("S");
  await nvim.until("the configuration", async () =>
    (await readFile(join(folder, "config.json"), "utf8")).includes(
      '"tools": "asking, builtin.read_file"',
    ),
  );
  expect(await readFile(join(folder, "config.json"), "utf8")).toContain("// mine");
  await nvim.input("K");
  await nvim.untilText(/^# builtin\.read_file$/m);
  // Every chat without tools of its own has them from then on.
  await nvim.command("only");
  await nvim.openChat("another.md", "---\ntopic: x\n---\n\n💬: hello\n");
  await nvim.ready();
  await nvim.command("Parley tools");
  await nvim.untilText(/^ {2}\[x\] read_file/m);
  // What setup() says wins over the file, so saving there would change nothing.
  await nvim.command("lua require('parley').setup({ tools = 'none' })");
  await nvim.command("buffer 1 | only | Parley restart");
  await nvim.ready();
  await nvim.command("Parley tools");
  await nvim.untilText(/^\d of \d+ tools are offered/m);
  await nvim.input("S");
  await nvim.until("the reason", async () =>
    /Nothing was saved: require\("parley"\)\.setup\(\) sets tools/.test(await nvim.messages()),
  );
  expect(await readFile(join(folder, "config.json"), "utf8")).toContain(
    '"tools": "asking, builtin.read_file"',
  );
});
