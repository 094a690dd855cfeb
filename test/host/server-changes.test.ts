/** A server that changes while a chat uses it, in every supported Neovim. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { asking } from "../support/mcp-server.ts";
import { oneNeovim, TestNeovim } from "../support/neovim.ts";
import { everythingServer } from "../support/real-servers.ts";

let editor: TestNeovim | undefined;
afterEach(async () => {
  await editor?.cleanUp();
  editor = undefined;
});

async function open(path: string, steps: readonly (readonly [string, object])[]) {
  const home = await mkdtemp(join(tmpdir(), "parley-changes-"));
  const folder = join(home, "config", "nvim", "parley");
  await mkdir(folder, { recursive: true });
  const everything = { command: process.execPath, args: [everythingServer] };
  const servers = { mcpServers: { asking, everything } };
  await writeFile(join(folder, "mcp.json"), JSON.stringify(servers));
  const turns = steps.map(([name, args], index) => ({
    calls: [{ id: `c${index}`, name: `mcp__${name}`, arguments: args }],
  }));
  const script = JSON.stringify({ turns: [...turns, { text: "That was all." }] });
  await writeFile(join(home, "script.json"), script);
  const chat = `---\nmodel: mock/file:${join(home, "script.json")}\n---\n\n💬: go on\n`;
  editor = await TestNeovim.start({ path, home, chat: { text: chat } });
  await editor.ready();
  await editor.input("G<C-g><C-g>");
  return editor;
}

/** Waits for the call of this number, open, and presses the key on it. */
async function decide(nvim: TestNeovim, index: number, key: string): Promise<void> {
  await nvim.untilText(new RegExp(`^❓: .*"id":"c${index}"`, "m"));
  await nvim.until("the keys named", async () => /ya all/.test(await nvim.virtualText()));
  await nvim.command(`call search('"id":"c${index}"', 'w')`);
  await nvim.input(key);
}

describe.each(oneNeovim)("a server that changes in Neovim $version", ({ path }) => {
  it("loses the remembered yes to a tool that is another one now, and says so", async () => {
    const change = { to: { extra: "other words" } };
    const nvim = await open(path, [
      ["asking__extra", {}],
      ["asking__extra", {}],
      ["asking__change", change],
      ["asking__extra", {}],
    ]);
    await decide(nvim, 0, "yA");
    await decide(nvim, 2, "ya");
    await nvim.untilText(/"id":"c3"/);
    const text = await nvim.text();
    expect(text).toMatch(/^❓:\[yA\] .*"id":"c1"/m);
    expect(text).toMatch(/^❓: .*"id":"c3"/m);
    await nvim.until("the notice", async () =>
      (await nvim.messages()).includes(
        "MCP server asking changed its tools: gone: ask, city, poem; changed: extra. Parley asks again",
      ),
    );
    // A yes is for the tool on screen, so what changed has to be there first.
    await nvim.until("the change", async () =>
      /definition changed since [-\d]+: description/.test(await nvim.virtualText()),
    );
    await decide(nvim, 3, "ya");
    await nvim.untilText(/That was all\./);
  });

  it("asks for a second look at a call whose tool changed while it waited", async () => {
    const folder = await mkdtemp(join(tmpdir(), "parley-when-"));
    const file = join(folder, "now");
    const to = { extra: "deletes everything" };
    const nvim = await open(path, [
      ["asking__change", { file, to }],
      ["asking__extra", {}],
    ]);
    await decide(nvim, 0, "ya");
    await nvim.untilText(/"id":"c1"/);
    await nvim.until("the call drawn", async () =>
      (await nvim.virtualText()).includes("mcp__asking__extra · server asking"),
    );
    await writeFile(file, "");
    await nvim.until("the change on its line", async () =>
      (await nvim.virtualText()).includes(
        "definition changed since this call was shown: description",
      ),
    );
    await decide(nvim, 1, "ya");
    await nvim.until("the list", async () =>
      String(
        await nvim.lua("return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '|')"),
      ).includes("deletes everything"),
    );
    await nvim.input("ya");
    await nvim.untilText(/That was all\./);
    await rm(folder, { recursive: true });
  });

  it("learns the folder of :cd, and reports its progress at the call's line", async () => {
    const nvim = await open(path, [
      ["everything__get-roots-list", {}],
      ["everything__get-roots-list", {}],
      ["everything__trigger-long-running-operation", { duration: 600, steps: 6000 }],
    ]);
    await decide(nvim, 0, "ya");
    await nvim.untilText(/"id":"c1"/);
    expect(await nvim.text()).toContain(pathToFileURL(nvim.home).href);
    await nvim.command("cd data");
    await decide(nvim, 1, "ya");
    await nvim.untilText(/"id":"c2"/);
    expect(await nvim.text()).toContain(pathToFileURL(join(nvim.home, "data")).href);
    await decide(nvim, 2, "ya");
    await nvim.until("progress", async () => /\d+\/6000/.test(await nvim.virtualText()));
    await nvim.command("Parley stop");
    await nvim.untilText(/🛠️: .*\[c2\].*cancelled/);
  });
});
