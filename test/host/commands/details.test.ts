/** `K` on a waiting call, in every supported Neovim, with a server that becomes another one. */
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect } from "vitest";
import { z } from "zod";
import { itInTurn, neovims, TestNeovim } from "../../support/neovim.ts";

const server = fileURLToPath(new URL("../../support/offers-server.mjs", import.meta.url));
let editor: TestNeovim | undefined;
afterEach(async () => {
  await editor?.cleanUp();
  editor = undefined;
});

const call = (id: string, tool: string, args: object = {}) => ({
  calls: [{ id, name: `mcp__odd__${tool}`, arguments: args }],
});

async function open(path: string, turns: readonly object[], rules = {}): Promise<TestNeovim> {
  const home = await mkdtemp(join(tmpdir(), "parley-details-"));
  const folder = join(home, "config", "nvim", "parley");
  await mkdir(folder, { recursive: true });
  const odd = { command: process.execPath, args: [server, "--token", "t0p"], env: { K: "s3cret" } };
  await writeFile(join(folder, "mcp.json"), JSON.stringify({ mcpServers: { odd } }));
  await writeFile(join(folder, "config.json"), JSON.stringify({ rules }));
  await writeFile(join(home, "script.json"), JSON.stringify({ turns }));
  const chat = `---\nmodel: mock/file:${join(home, "script.json")}\n---\n\n💬: go on\n`;
  editor = await TestNeovim.start({ path, home, chat: { text: chat } });
  await editor.ready();
  return editor;
}

/** Waits for the open call with this id, with the cursor on it. */
async function untilWaiting(nvim: TestNeovim, id: string): Promise<void> {
  await nvim.untilText(new RegExp(`^❓: .*"${id}"`, "m"));
  await nvim.until("the keys", async () => /mcp__odd__/.test(await nvim.virtualText()));
  await nvim.lua(`vim.fn.search([["${id}"]], "w")`);
  await nvim.until("the call drawn", () =>
    nvim.lua(`return vim.iter(require("parley.screen.calls.open_rows").list(vim.api.nvim_get_current_buf())):any(function(call)
      return call.line + 1 == vim.fn.line(".")
    end)`),
  );
}

const floats = async (nvim: TestNeovim) =>
  z.array(z.string()).parse(
    await nvim.lua(`for _, win in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(win).relative ~= "" then
        return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false)
      end
    end
    return {}`),
  );

async function details(nvim: TestNeovim): Promise<string> {
  await nvim.input("K");
  const lines = await nvim.until("the window", async () => {
    const found = await floats(nvim);
    return found.length > 0 && found;
  });
  await nvim.input("q");
  await nvim.until("its end", async () => (await floats(nvim)).length === 0);
  return lines.join("\n");
}

describe.each(neovims)("K in Neovim $version", ({ path }) => {
  const it = itInTurn(path);
  it("matters to rules too: they allow nothing that changed since a yes", async () => {
    const go = { go: "x" };
    const turns = [call("c0", "change", go), call("c1", "change"), call("c2", "change", go)];
    const rule = { tool: "odd.change", arguments: go };
    const nvim = await open(path, turns, { allow: [rule] });
    await nvim.input("G<C-g><C-g>");
    await untilWaiting(nvim, "c1");
    await nvim.input("yo");
    // Where the change came after it was drawn, the new description is looked at first.
    const isListed = async () => (await floats(nvim)).length > 0;
    await nvim.until(
      "its end or the list",
      async () => /^❓:\[yo\] /m.test(await nvim.text()) || isListed(),
    );
    if (await isListed()) await nvim.input("yo");
    await untilWaiting(nvim, "c2");
    expect(await nvim.text()).toMatch(/^❓:\[auto\] .*"c0"/m);
    const rules = `rules: allow ${JSON.stringify(rule)}, so: you are asked, because the definition changed`;
    expect(await details(nvim)).toContain(rules);
  });

  it("says what is claimed, what rules say and what changed", async () => {
    const turns = [call("c1", "change"), call("c2", "change", { a: "\u202e" }), { text: "End." }];
    const nvim = await open(path, turns, { allow: ["odd.still"] });
    await nvim.input("G<C-g><C-g>");
    await untilWaiting(nvim, "c1");
    const first = await details(nvim);
    expect(first).toContain(
      "tool: change (mcp__odd__change)\ntitle: Change yourself\nserver: odd\n",
    );
    // The window wraps a long command.
    expect(first.replaceAll(/\n {4}/g, "")).toContain(`${server} --token [hidden]\n`);
    expect(first).toContain("env: K=[hidden]");
    expect(first).toContain("\n  read-only: yes\n");
    expect(first).toContain("rules: none covers this call, so you are asked");
    expect(first).toContain("history: you have not approved it on this machine yet");
    await nvim.input("yA");
    await nvim.untilText(/^❓:\[yA\] .*"c1"/m);
    await untilWaiting(nvim, "c2");
    await nvim.until("the remark", async () =>
      /definition changed since \d{4}-\d\d-\d\d: description, claims/.test(
        await nvim.virtualText(),
      ),
    );
    const second = await details(nvim);
    expect(second).toContain("  Deletes\\u{202e} everything, 1.");
    expect(second).toContain("  a: \\u{202e}");
    expect(second).toContain("\n  read-only: no\n");
    expect(second).toMatch(/^history: not remembered in this chat$/m);
    expect(second).toMatch(/^history: definition changed since [-\d]+: description, claims$/m);
    await nvim.input("yo");
    await nvim.untilText(/End\.\n\n💬: $/);
  });

  it("is what it was everywhere else", async () => {
    const nvim = await open(path, [call("c1", "still"), { text: "End." }]);
    await nvim.lua("Own = 0; vim.keymap.set('n', 'K', function() Own = Own + 1 end)");
    await nvim.input("G<C-g><C-g>");
    await untilWaiting(nvim, "c1");
    await nvim.input("ggK");
    await nvim.until("the own map", async () => (await nvim.lua("return Own")) === 1);
    await nvim.until("our map again", async () =>
      /everything about this call/.test(
        String(await nvim.lua("return vim.fn.maparg('K', 'n', false, true).desc")),
      ),
    );
    await nvim.lua(`vim.fn.search([["c1"]], "w")`);
    expect(await details(nvim)).toContain("tool: still");
    expect(await nvim.lua("return Own")).toBe(1);
    await nvim.lua(`vim.fn.search([["c1"]], "w")`);
    await nvim.input("yo");
    await nvim.untilText(/End\.\n\n💬: $/);
    await nvim.input("K");
    await nvim.until("the own map", async () => (await nvim.lua("return Own")) === 2);
  });
});
