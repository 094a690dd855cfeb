/** What servers ask of the person, answered by keys in every supported Neovim. */
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { asking } from "../support/mcp-server.ts";
import { oneNeovim, TestNeovim } from "../support/neovim.ts";
import { type Screen, watchScreen } from "../support/screen.ts";

let editor: TestNeovim | undefined;
afterEach(async () => {
  await editor?.cleanUp();
  editor = undefined;
});

async function open(path: string, init = "", tool = "city"): Promise<TestNeovim> {
  const home = await mkdtemp(join(tmpdir(), "parley-forms-"));
  const folder = join(home, "config", "nvim", "parley");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "mcp.json"), JSON.stringify({ mcpServers: { asking } }));
  const calls = [{ id: "c1", name: `mcp__asking__${tool}`, arguments: {} }];
  const turns = [{ calls }, { text: "That was all." }];
  await writeFile(join(home, "script.json"), JSON.stringify({ turns }));
  const chat = `---\nmodel: mock/file:${join(home, "script.json")}\n---\n\n💬: ask me\n`;
  editor = await TestNeovim.start({ path, home, chat: { text: chat }, init });
  await editor.ready();
  return editor;
}

async function run(nvim: TestNeovim): Promise<void> {
  await nvim.input("G<C-g><C-g>");
  await nvim.until("the keys named", async () => /yes to all|ya/.test(await nvim.virtualText()));
  await nvim.input("gg/^❓: <CR>ya");
}

/** Waits for words on the screen and answers them; a Neovim that waits for a key answers nothing else. */
async function see(
  nvim: TestNeovim,
  screen: Screen,
  words: readonly string[],
  keys: string,
): Promise<void> {
  for (const word of words) {
    await expect.poll(() => screen.text(), { timeout: 10_000 }).toContain(word);
  }
  await nvim.input(keys);
}

describe.each(oneNeovim)("a server's form in Neovim $version", ({ path }) => {
  it("is answered by keys and sent after a look at it", async () => {
    const nvim = await open(path);
    const screen = await watchScreen(nvim);
    await run(nvim);
    const who = "for the call ❓: city (line 9 of chat.md).";
    await see(nvim, screen, [who, "│ Which city?", "1: Answer", "3: Cancel"], "1<CR>");
    await see(nvim, screen, ["1/2, City (2 characters or more; required):"], "B<CR>");
    await see(nvim, screen, ["Write at least 2 characters. asking asks 1/2, City"], "ern<CR>");
    await see(nvim, screen, ["2: Blue", "3: Leave it out"], "2<CR>");
    await see(nvim, screen, ["  City: Bern", "1: Send", "4: Cancel"], "1<CR>");
    const text = await nvim.untilText(/That was all\.\n\n💬: $/);
    expect(text).toContain('{"action":"accept","content":{"city":"Bern","color":"b"}}');
  });

  it("keeps what was typed when a field is left, and is cancelled when the look at it is left", async () => {
    const nvim = await open(path);
    const screen = await watchScreen(nvim);
    await run(nvim);
    await see(nvim, screen, ["1: Answer", "3: Cancel"], "1<CR>");
    await see(nvim, screen, ["1/2, City"], "Bern<CR>");
    await see(nvim, screen, ["2: Blue", "3: Leave it out"], "<Esc>");
    const left = "2: Go on answering (1 left)";
    await see(nvim, screen, ["  City: Bern", left, "5: Cancel"], "<Esc>");
    expect(await nvim.untilText(/That was all\.\n\n💬: $/)).toContain('{"action":"cancel"}');
  });

  it.each(["Parley stop", "Parley stop call"])(
    "is taken away by :%s, and a late answer is not sent",
    async (stop) => {
      const init = `Asked = {}
vim.ui.select = function(items, options, choose)
  table.insert(Asked, { options.prompt, choose })
end`;
      const nvim = await open(path, init);
      await run(nvim);
      await nvim.until("the question", async () => (await nvim.lua("return #Asked")) === 1);
      await nvim.until("the words at the call", async () =>
        (await nvim.virtualText()).includes("waits for your answer to its server"),
      );
      const shown = `local lines = {}
      for _, win in ipairs(vim.api.nvim_list_wins()) do
        vim.list_extend(lines, vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false))
      end
      return table.concat(lines, "\\n")`;
      expect(await nvim.lua(shown)).toContain("│ Which city?");
      await nvim.command("call search('^❓', 'w')");
      await nvim.command(stop);
      await nvim.untilText(/❓[\s\S]*cancelled/);
      await nvim.until(
        "the window gone",
        async () => !String(await nvim.lua(shown)).includes("│ Which"),
      );
      await nvim.lua("Asked[1][2]({ label = 'Answer', value = 0 })");
      await nvim.until("the notice", async () =>
        (await nvim.messages()).includes("does not wait for an answer any more; nothing was sent"),
      );
      expect(await nvim.lua("return #Asked")).toBe(1);
    },
  );

  it("asks for an answer of the model only where that is configured, and shows it whole", async () => {
    const init = `Asked = {}
vim.ui.select = function(items, options, choose)
  local lines = {}
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    vim.list_extend(lines, vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false))
  end
  table.insert(Asked, options.prompt .. "\\n" .. table.concat(lines, "\\n"))
  choose(items[1])
end
require("parley").setup({ model = "mock/demo", mcp = { sampling = "ask" } })`;
    const nvim = await open(path, init, "poem");
    await run(nvim);
    const text = await nvim.untilText(/That was all\.\n\n💬: $/);
    expect(text).toContain('`{"model":"mock/demo","stopReason":"endTurn","role":"assistant"');
    expect(text).toContain("I heard you: “A poem in two lines.”");
    const asked = z.array(z.string()).parse(await nvim.lua("return Asked"));
    expect(asked).toHaveLength(2);
    expect(asked[0]).toMatch(/^asking wants an answer of mock\/demo\n/);
    expect(asked[0]).toContain("user:\n│ A poem\n│ in two lines.");
    expect(asked[1]).toMatch(/^Give this answer to asking\n/);
  });
});
